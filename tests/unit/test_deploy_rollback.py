"""scripts/rollback: which revision it chooses, and what it does when it cannot."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy import rollback
from metacortex.domain.json import JSON
from tests.google_cloud import PROJECT, Cloud, answered, failed
from tests.google_web import google_web

SERVICE = "metacortexmcp"
NAMES = tuple(f"{SERVICE}-0000{number}-abc" for number in range(1, 5))


def revision(name: str, created: str, ready: str = "True") -> JSON:
    """Return a revision as `gcloud run revisions list` tells it."""
    return {
        "metadata": {"name": name, "creationTimestamp": created},
        "status": {"conditions": [{"type": "Ready", "status": ready}]},
    }


@pytest.fixture
def cloud(tmp_path: Path) -> Iterator[Cloud]:
    """Four revisions: the third serves, the second never became ready, and the fourth failed.

    The function's address is of nobody, so that no check after a rollback succeeds.
    """
    with google_web() as web:
        made = Cloud(tmp_path, url="http://127.0.0.1:9", addresses=web.addresses)
        listed = [
            revision(NAMES[0], "2026-11-01T00:00:00Z"),
            revision(NAMES[3], "2026-11-04T00:00:00Z", "False"),
            revision(NAMES[1], "2026-11-02T00:00:00Z", "Unknown"),
            revision(NAMES[2], "2026-11-03T00:00:00Z"),
        ]
        made.answer("run revisions list", answered(listed))
        traffic: JSON = [{"revisionName": NAMES[2], "percent": 100, "latestRevision": True}]
        made.answer("run services describe", answered({"status": {"traffic": traffic}}))
        made.answer("run services update-traffic", answered({"status": {}}))
        yield made


def sent_to(cloud: Cloud) -> list[list[str]]:
    """Return the command lines that sent requests elsewhere."""
    return cloud.ran("run", "services", "update-traffic")


def test_all_requests_go_to_the_newest_ready_revision_before_the_present(cloud: Cloud) -> None:
    assert rollback.main([], cloud.outside()) == 1
    assert sent_to(cloud) == [
        [
            *("run", "services", "update-traffic", SERVICE, f"--to-revisions={NAMES[0]}=100"),
            *("--region=us-central1", f"--project={PROJECT}", "--format=json"),
        ]
    ]


def test_the_same_checks_follow_as_after_a_deployment(cloud: Cloud) -> None:
    assert rollback.main([], cloud.outside()) == 1
    assert any(line.startswith("fail  health: 127.0.0.1:9 did not answer") for line in cloud.told)


def test_a_revision_may_be_named(cloud: Cloud) -> None:
    rollback.main(["--to", NAMES[1]], cloud.outside())
    assert [line[4] for line in sent_to(cloud)] == [f"--to-revisions={NAMES[1]}=100"]


def test_the_revisions_can_be_listed_alone(cloud: Cloud) -> None:
    assert rollback.main(["--list"], cloud.outside()) == 0
    assert cloud.told == [
        f"{NAMES[3]}  2026-11-04T00:00:00Z  not ready  0%",
        f"{NAMES[2]}  2026-11-03T00:00:00Z  ready  100%",
        f"{NAMES[1]}  2026-11-02T00:00:00Z  not ready  0%",
        f"{NAMES[0]}  2026-11-01T00:00:00Z  ready  0%",
    ]
    assert sent_to(cloud) == []


def test_a_dry_run_shows_where_requests_would_go_and_leaves_them(cloud: Cloud) -> None:
    assert rollback.main(["--dry-run"], cloud.outside()) == 0
    line = next(line for line in cloud.told if line.startswith("would run: "))
    assert f"gcloud run services update-traffic {SERVICE} --to-revisions={NAMES[0]}=100" in line
    assert "would send: GET http://127.0.0.1:9/healthz/" in cloud.told
    assert sent_to(cloud) == []


@pytest.mark.parametrize(
    ("arguments", "asked", "answer", "told"),
    [
        (
            ["--to", "metacortexmcp-00009-zzz"],
            "version",
            answered({}),
            "There is no revision metacortexmcp-00009-zzz; see scripts/rollback --list",
        ),
        (
            [],
            "run revisions list",
            answered([revision(NAMES[2], "2026-11-03T00:00:00Z")]),
            "There is no earlier revision to go back to",
        ),
        (
            [],
            "functions describe",
            failed("ResponseError: status=[404], message=[Function not found]"),
            f"There is no function in us-central1 of {PROJECT}",
        ),
        (
            [],
            "functions describe",
            failed("The caller does not have permission"),
            "The caller does not have permission",
        ),
        (
            [],
            "functions describe",
            failed("You do not have an active account.\nPlease run:\n  $ gcloud auth login"),
            "You do not have an active account; run: gcloud auth login",
        ),
    ],
)
def test_where_there_is_nothing_to_go_back_to_nothing_changes(
    cloud: Cloud,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    asked: str,
    answer: str,
    told: str,
) -> None:
    cloud.answer(asked, answer)
    assert rollback.main(arguments, cloud.outside()) == 1
    assert capsys.readouterr().err == f"{told}\n"
    assert sent_to(cloud) == []


def test_the_revision_that_serves_already_changes_nothing(cloud: Cloud) -> None:
    assert rollback.main(["--to", NAMES[2]], cloud.outside()) == 0
    assert cloud.told[-1] == f"{NAMES[2]} serves all requests already: nothing changes"
    assert sent_to(cloud) == []


def test_without_gcloud_a_rollback_says_where_to_get_it(
    cloud: Cloud, capsys: pytest.CaptureFixture[str]
) -> None:
    (cloud.commands / "gcloud").unlink()
    assert rollback.main([], cloud.outside()) == 1
    assert capsys.readouterr().err == (
        "gcloud is not installed; install it: https://cloud.google.com/sdk/docs/install\n"
    )
