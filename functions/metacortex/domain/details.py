"""What each kind of memory adds to the common fields, and how it is written as JSON."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TypeAlias

from metacortex.domain.json import JSON


class Kind(StrEnum):
    """What a memory is."""

    NOTE = "note"
    EPISODE = "episode"
    FACT = "fact"


KIND_NAMES = tuple(kind.value for kind in Kind)
GIVEN_KINDS = (Kind.NOTE, Kind.EPISODE)
"""What a text can be remembered as; a fact is a statement of its own."""


@dataclass(frozen=True, slots=True)
class NoteDetails:
    """A note adds nothing to the common fields."""


A_NOTE = NoteDetails()


class EpisodeCategory(StrEnum):
    """What sort of thing happened; an ADR is an architecture decision record."""

    ADR = "adr"
    BUG_ROOT_CAUSE = "bug_root_cause"
    INVARIANT = "invariant"
    SESSION_NOTE = "session_note"
    MIGRATION = "migration"
    INCIDENT = "incident"
    EVENT = "event"


CATEGORY_NAMES = tuple(category.value for category in EpisodeCategory)


@dataclass(frozen=True, slots=True)
class EpisodeDetails:
    """An episode adds what happened, by name and sort, and which files it touched."""

    title: str | None = None
    category: EpisodeCategory | None = None
    files_touched: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FactDetails:
    """A fact adds one statement: what of a subject is so.

    Subjects and objects that are entities are named by their ids; beside them stands how they were
    called when it was written, which a later merge of entities leaves alone.
    """

    subject_id: str
    subject: str
    predicate: str
    object: str
    """The value, or the name of the entity that is the object."""
    object_id: str | None = None
    """The object where it is an entity."""
    singular: bool = True
    """Whether there is one such value at a time."""
    confidence: float | None = None
    """How sure the one who said it is, in [0, 1]."""
    category: str | None = None
    source_episode_id: str | None = None


Details: TypeAlias = NoteDetails | EpisodeDetails | FactDetails
"""The union of what the kinds add."""


def details_json(details: Details) -> dict[str, JSON]:
    """Return what a kind adds, as it is stored and hashed."""
    if isinstance(details, FactDetails):
        return asdict(details)
    return _episode_json(details) if isinstance(details, EpisodeDetails) else {}


def read_details(kind: Kind, stored: Mapping[str, JSON]) -> Details:
    """Return what a memory of this kind adds, from what `details_json` made of it."""
    if kind is Kind.NOTE:
        return NoteDetails()
    if kind is Kind.FACT:
        return _read_fact(stored)
    return _read_episode(stored)


def _episode_json(details: EpisodeDetails) -> dict[str, JSON]:
    # The title stands always and the rest only where it was given, so that the digests of episodes
    # from before there was more than a title stay.
    stored: dict[str, JSON] = {"title": details.title}
    if details.category is not None:
        stored["category"] = details.category.value
    if details.files_touched:
        stored["files_touched"] = list(details.files_touched)
    return stored


def _read_episode(stored: Mapping[str, JSON]) -> EpisodeDetails:
    title, category = stored.get("title"), stored.get("category")
    files = stored.get("files_touched")
    return EpisodeDetails(
        title if isinstance(title, str) else None,
        EpisodeCategory(category) if isinstance(category, str) else None,
        tuple(each for each in files if isinstance(each, str)) if isinstance(files, list) else (),
    )


def _read_fact(stored: Mapping[str, JSON]) -> FactDetails:
    text = {name: value for name, value in stored.items() if isinstance(value, str)}.get
    confidence = stored.get("confidence")
    return FactDetails(
        subject_id=text("subject_id", ""),
        subject=text("subject", ""),
        predicate=text("predicate", ""),
        object=text("object", ""),
        object_id=text("object_id"),
        singular=stored.get("singular") is not False,
        confidence=float(confidence) if isinstance(confidence, int | float) else None,
        category=text("category"),
        source_episode_id=text("source_episode_id"),
    )
