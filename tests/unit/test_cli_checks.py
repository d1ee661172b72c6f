"""What doctor makes of the figures that a machine may have."""

from pathlib import Path

import pytest

from metacortex.commands.checks import clock, disk
from metacortex.verdict import Verdict
from tests.fakes import START


@pytest.mark.parametrize(
    ("free_mb", "verdict"),
    [(0, "fail"), (99, "fail"), (100, "warn"), (999, "warn"), (1_000, "ok"), (10**6, "ok")],
)
def test_a_disk_is_judged_by_what_is_free(free_mb: int, verdict: str) -> None:
    check = disk(free_mb, Path("/memory"))
    assert check.verdict == verdict
    assert f"{free_mb} MB are free at '/memory'" in check.finding


@pytest.mark.parametrize(
    ("now", "newest", "verdict"),
    [
        (START, None, Verdict.OK),
        (START, START, Verdict.OK),
        (START, START + 1, Verdict.FAIL),
        (0, None, Verdict.FAIL),
    ],
)
def test_a_clock_is_judged_by_what_it_has_said(
    now: int, newest: int | None, verdict: Verdict
) -> None:
    check = clock(now, newest)
    assert check.verdict is verdict
    assert ("set " in check.finding) == (verdict is Verdict.FAIL)
