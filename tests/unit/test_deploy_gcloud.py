"""What scripts/preflight says of a gcloud that does not run, does not answer or answers oddly."""

import pytest

from deploy import running
from tests.deploy_runs import failures
from tests.google_cloud import Cloud


@pytest.mark.parametrize("answer", ["[]", '"x"', "null"])
def test_a_gcloud_that_does_not_tell_its_version_has_an_unknown_one(
    cloud: Cloud, answer: str
) -> None:
    cloud.answer("version", answer)
    assert failures(cloud) == []
    assert "ok    gcloud: version unknown" in cloud.told


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("#!/bin/sh\necho 'ERROR: its Python is gone' >&2; exit 3\n", "its Python is gone"),
        ("#!/bin/sh\nkill -9 $$\n", "status -9"),
        ("\0\1 not a program", "gcloud cannot be run: Exec format error"),
    ],
)
def test_a_gcloud_that_does_not_run_is_a_failure(cloud: Cloud, content: str, told: str) -> None:
    (cloud.commands / "gcloud").write_text(content)
    assert failures(cloud) == [f"gcloud: it does not run: {told}; mend it, or install it anew"]


def test_a_gcloud_that_does_not_answer_is_given_up(
    cloud: Cloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "READ_SECONDS", 0.01)
    (cloud.commands / "gcloud").write_text("#!/bin/sh\nexec /bin/sleep 5\n")
    assert (
        "gcloud: it does not run: gcloud did not answer within 0.01 seconds; mend it, or install it"
        " anew"
    ) in failures(cloud)


@pytest.mark.parametrize("asked", ["firestore databases describe", "services list"])
def test_an_answer_of_another_kind_is_told(cloud: Cloud, asked: str) -> None:
    cloud.answer(asked, '"odd"')
    assert any("gcloud answered JSON of another kind" in line for line in failures(cloud))
