"""The settings of a deployment: functions/.env.deploy where it is there, else the environment."""

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from deploy.running import ROOT, Refused

DEPLOY_FILE = "functions/.env.deploy"
EXAMPLE = ROOT / "functions" / ".env.example"
ONE_MACHINE = ("HOST", "PORT", "METACORTEX_DATA_DIR", "METACORTEX_EMBEDDING_FOLDER")
"""Settings that mean something on one machine only; they are not deployed."""
PLATFORM = ("FUNCTION_TARGET", "FUNCTION_SIGNATURE_TYPE", "K_SERVICE", "K_REVISION")
EMULATOR = "FIRESTORE_EMULATOR_HOST"

_NAME = re.compile("[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Given:
    """The settings that were found, where, and what is odd about them."""

    settings: Mapping[str, str]
    source: str
    unknown: tuple[str, ...]
    open_to_others: bool = False


def given_settings(env: Mapping[str, str], file: str | None, root: Path = ROOT) -> Given:
    """Return the settings of the file, which is then all that counts; without one, those of `env`
    that MetaCortex knows.

    Raises:
        Refused: the file that was named is not there, or one cannot be read.
    """
    known = known_settings()
    path = root / (file or DEPLOY_FILE)
    if not path.exists():
        if file:
            raise Refused(f"'{file}' is not there")
        found = {name: value for name, value in env.items() if name in known}
        return Given(found, "the environment", ())
    try:
        read = dict(_read(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise Refused(f"'{file or DEPLOY_FILE}' cannot be read: {error}") from error
    unknown = tuple(name for name in read if name not in known and not name.startswith("OTEL_"))
    return Given(read, file or DEPLOY_FILE, unknown, bool(path.stat().st_mode & 0o077))


def known_settings() -> frozenset[str]:
    """Return the names of all settings, which a test holds functions/.env.example to."""
    text = EXAMPLE.read_text(encoding="utf-8")
    return frozenset(re.findall(r"^#?([A-Z][A-Z0-9_]*)=", text, re.MULTILINE))


def _read(text: str) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        name, equals, value = stripped.removeprefix("export ").partition("=")
        if not equals or not _NAME.fullmatch(name):
            raise ValueError(f"line {number} is no NAME=value")
        yield name, _value(value, number)


def _value(text: str, number: int) -> str:
    """Read a value as a shell does that sources the file: quotes go, and a comment behind it."""
    try:
        words = shlex.split(text, comments=True)
    except ValueError as error:
        raise ValueError(f"line {number} has a quote that does not end") from error
    if len(words) > 1:
        raise ValueError(f"line {number} has a value with spaces: put it in single quotes")
    return words[0] if words else ""
