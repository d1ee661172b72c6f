"""What scripts/check says of locks that do not fit, and of places that others do not have."""

from pathlib import Path

import pytest
from packaging.version import Version

from scripts.check_files import PLACES, lock_problems, pins, unsatisfied


def test_the_committed_locks_satisfy_their_ranges() -> None:
    assert list(lock_problems()) == []


def test_a_range_that_no_pin_meets_is_told() -> None:
    pinned = {"httpx": {Version("0.28.1")}, "numpy": {Version("2.4.6"), Version("3.0")}}
    ranges = ["httpx>=0.28,<1", "HTTPX>=1", "numpy>=2,<3", "typer"]
    assert list(unsatisfied("some.lock", pinned, ranges)) == [
        "some.lock does not satisfy HTTPX>=1: run scripts/lock",
        "some.lock does not satisfy numpy<3,>=2: run scripts/lock",
        "some.lock does not satisfy typer: run scripts/lock",
    ]


def test_every_pin_of_a_name_is_read_whatever_its_platform(tmp_path: Path) -> None:
    lock = tmp_path / "some.lock"
    lock.write_text(
        "# a comment\n"
        "Some_Name==1.0 ; python_full_version < '3.12' \\\n    --hash=sha256:aa\n"
        "some-name==2.0 ; python_full_version >= '3.12' \\\n    --hash=sha256:bb\n"
    )
    assert pins(lock) == {"some-name": {Version("1.0"), Version("2.0")}}


@pytest.mark.parametrize(
    "line",
    [
        "see /" + "home/someone/notes",
        "/" + "Users/someone/x.py",
        "cd /" + "root/project",
        "https://registry." + "npmjs.org/x",
        "https://files." + "pythonhosted.org/x",
        "https://pypi." + "org/simple/x",
    ],
)
def test_a_place_that_others_do_not_have_is_found(line: str) -> None:
    assert PLACES.search(line)


@pytest.mark.parametrize(
    "line", ["~/.config", "/home/me/notes", "/var/data", "the home/office line", "pypi"]
)
def test_other_paths_are_left_alone(line: str) -> None:
    assert PLACES.search(line) is None
