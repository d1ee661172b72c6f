"""Where memories, events and registered clients are kept."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from metacortex.problems import Problems
from metacortex.reading import Reader

DEFAULT_DATA_DIR = Path("~/.metacortex")
PROJECT = "GOOGLE_CLOUD_PROJECT"
EMULATOR = "FIRESTORE_EMULATOR_HOST"
ENGINES = ("sqlite", "firestore")
DEFAULT_COLLECTION = "memory_vectors"
DEFAULT_DATABASE = "(default)"
LARGEST_FIRESTORE_DIMENSION = 2_048

# Google's own rules, as its documentation and its interfaces state them.
_PROJECT_FORM = re.compile("([a-z0-9.-]+:)?[a-z][a-z0-9-]{4,28}[a-z0-9]")
_PROJECT_ALLOWED = (
    "the id of a project: 6 to 30 of a-z 0-9 -, the first a letter, the last no hyphen"
)
_DATABASE_FORM = re.compile(r"\(default\)|[a-z][a-z0-9-]{2,61}[a-z0-9]")
_DATABASE_ALLOWED = "(default), or 4 to 63 of a-z 0-9 -, the first a letter, the last no hyphen"
# An emulator knows every project, and makes it at its first use.
_EMULATED_PROJECT_FORM = re.compile("[a-z][a-z0-9-]{0,61}[a-z0-9]")
_EMULATED_PROJECT_ALLOWED = "2 to 63 of a-z 0-9 -, the first a letter, the last no hyphen"
_COLLECTION_FORM = re.compile("[A-Za-z][A-Za-z0-9_-]{0,63}")
_OTHER_COLLECTIONS = frozenset(
    (
        *("tenants", "clients", "entities", "documents", "fact_timelines"),
        *("memory_windows", "memory_events", "memory_changes", "memory_fingerprints", "memory_use"),
    )
)


@dataclass(frozen=True, slots=True)
class SqliteSettings:
    """One file in the data directory; `cache_mb` is what memories in use may take."""

    cache_mb: int


@dataclass(frozen=True, slots=True)
class FirestoreSettings:
    """A Firestore database. `project` is None where the credentials name it; `emulator` is the
    host of an emulator, which the client library finds in the environment by itself.
    """

    project: str | None
    database: str
    collection: str
    emulator: str | None


EngineSettings: TypeAlias = SqliteSettings | FirestoreSettings


def engine_settings(read: Reader) -> EngineSettings:
    """Return the engine that the settings name: Firestore where the platform runs a function,
    whose disk does not stay, and SQLite elsewhere.
    """
    deployed = read.text("FUNCTION_TARGET") is not None
    name = read.one_of("METACORTEX_ENGINE", ENGINES, "firestore" if deployed else "sqlite")
    cache_mb = read.whole("METACORTEX_CACHE_MB", 512, 1)
    firestore = firestore_settings(read)
    return firestore if name == "firestore" else SqliteSettings(cache_mb)


def firestore_settings(read: Reader) -> FirestoreSettings:
    """Return the database that the settings name, whichever engine is chosen."""
    read.host_and_port(EMULATOR)
    return FirestoreSettings(
        project=named_project(read),
        database=read.formed("FIRESTORE_DATABASE", _DATABASE_FORM, _DATABASE_ALLOWED)
        or DEFAULT_DATABASE,
        collection=_collection(read),
        emulator=read.text(EMULATOR),
    )


def named_project(read: Reader) -> str | None:
    """Return the project that the settings name, by Google's rules where it is Google's."""
    if read.text(EMULATOR) is None:
        return read.formed(PROJECT, _PROJECT_FORM, _PROJECT_ALLOWED)
    return read.formed(PROJECT, _EMULATED_PROJECT_FORM, _EMULATED_PROJECT_ALLOWED)


def emulator_of(env: Mapping[str, str]) -> tuple[str, int] | None:
    """Return the host and the port of the emulator, which `env` may name.

    Raises:
        ConfigurationError: they are none.
    """
    problems = Problems()
    found = Reader(env, problems).host_and_port(EMULATOR)
    problems.raise_any()
    return found


def data_dir(read: Reader) -> Path:
    """Return the folder of the memory and of the tokens that `serve` made."""
    return read.folder("METACORTEX_DATA_DIR") or DEFAULT_DATA_DIR.expanduser()


def data_dir_of(env: Mapping[str, str]) -> Path:
    """Return the folder of the memory, which `env` may name.

    Raises:
        ConfigurationError: it stands under the home of a user that there is not.
    """
    problems = Problems()
    folder = data_dir(Reader(env, problems))
    problems.raise_any()
    return folder


def _collection(read: Reader) -> str:
    name = read.text("MEMORY_COLLECTION") or DEFAULT_COLLECTION
    if not _COLLECTION_FORM.fullmatch(name) or name in _OTHER_COLLECTIONS:
        read.problems.add(
            "MEMORY_COLLECTION must be a letter and up to 63 of A-Z a-z 0-9 _ -, and not the name"
            " of another of the collections"
        )
        return DEFAULT_COLLECTION
    return name
