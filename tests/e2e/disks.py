"""Small disks of their own, to be filled or made read-only: a tmpfs, which only root may mount."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest

from tests.lacking import lacking


@contextmanager
def small_disk(place: Path, megabytes: int) -> Iterator[Path]:
    """Mount a disk of this size at `place` until the block ends.

    Skips the test where it cannot; with CI=true that is a failure.
    """
    place.mkdir()
    mounted = _run("mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(place))
    if mounted is not None:
        lacking(f"needs to mount a tmpfs: {mounted}")
    try:
        yield place
    finally:
        # Lazily, so that what still has a file open there does not keep it for ever.
        _run("umount", "-l", str(place))


def make_read_only(disk: Path) -> None:
    """Let nobody write to a disk any more."""
    assert _run("mount", "-o", "remount,ro", str(disk)) is None


def fill(disk: Path) -> Path:
    """Take all the room that is left with one file, and return it."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        # The last room is too small for a large piece.
        for size in (1 << 16, 1 << 10):
            with pytest.raises(OSError, match="No space left"):
                _write_on(file, bytes(size))
    return filler


def _write_on(file: IO[bytes], piece: bytes) -> None:
    while file.write(piece):
        pass


def _run(*command: str) -> str | None:
    """Run a command; return why it failed, if it did."""
    if os.geteuid() != 0:
        return "not root"
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True)
    except FileNotFoundError:
        return f"{command[0]} is missing"
    return None if done.returncode == 0 else done.stderr.strip()
