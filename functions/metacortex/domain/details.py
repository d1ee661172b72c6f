"""What each kind of memory adds to the common fields, and how it is written as JSON."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from metacortex.domain.json import JSON


class Kind(StrEnum):
    """What a memory is."""

    NOTE = "note"
    EPISODE = "episode"


KIND_NAMES = tuple(kind.value for kind in Kind)


@dataclass(frozen=True, slots=True)
class NoteDetails:
    """A note adds nothing to the common fields."""


A_NOTE = NoteDetails()


@dataclass(frozen=True, slots=True)
class EpisodeDetails:
    """An episode adds the name of what happened."""

    title: str | None = None


Details: TypeAlias = NoteDetails | EpisodeDetails
"""The union of what the kinds add."""


def details_json(details: Details) -> dict[str, JSON]:
    """Return what a kind adds, as it is stored and hashed."""
    return {"title": details.title} if isinstance(details, EpisodeDetails) else {}


def read_details(kind: Kind, stored: Mapping[str, JSON]) -> Details:
    """Return what a memory of this kind adds, from what `details_json` made of it."""
    if kind is Kind.NOTE:
        return NoteDetails()
    title = stored.get("title")
    return EpisodeDetails(title if isinstance(title, str) else None)
