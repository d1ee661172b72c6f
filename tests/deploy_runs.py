"""Runs of the deploy scripts in a stand-in of Google Cloud, and what they came to."""

import pytest

from deploy import preflight, release
from tests.google_cloud import Cloud, failed

NO_FUNCTION = failed("ResponseError: status=[404], code=[Ok], message=[Function not found]")


def failures(cloud: Cloud, *arguments: str) -> list[str]:
    """Run preflight, and return what failed; its status says the same."""
    status = preflight.main(["--skip-tests", *arguments], cloud.outside())
    found = [line.removeprefix("fail  ") for line in cloud.told if line.startswith("fail")]
    assert status == (1 if found else 0)
    return found


def deploy(cloud: Cloud, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Deploy a function that tells no address, where the run ends at the latest, and return why it
    ended.
    """
    cloud.answer("functions describe", NO_FUNCTION)
    assert release.main(["--skip-tests", *arguments], cloud.outside()) == 1
    return capsys.readouterr().err.strip()
