"""An entity: a named thing that facts speak of and memories mention."""

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import sha256

from metacortex.domain.lifecycle import BranchState, Standing
from metacortex.domain.moment import Milliseconds
from metacortex.domain.words.folding import plain

ENTITY_PREFIX = "ent_"
MAX_NAME_LENGTH = 200

_ID = re.compile(f"{ENTITY_PREFIX}[0-9a-f]{{32}}")


class EntityType(StrEnum):
    """What the way in which a name is written tells of what it names."""

    ACRONYM = "acronym"
    FILE = "file"
    IDENTIFIER = "identifier"
    NAME = "name"
    """Any other, which somebody has given."""


TYPE_NAMES = tuple(each.value for each in EntityType)


@dataclass(frozen=True, slots=True)
class Entity:
    """One name in one namespace, and what it stands for.

    Several names of one thing are entities merged into one: that of the others is reached through
    `merged_with`, and each other name is an alias of it.
    """

    id: str
    namespace: str
    name: str
    """As it was first written."""
    type: EntityType
    created_at: Milliseconds
    by_hand: bool = False
    """Whether it stays when nothing mentions it any more."""
    merged_with: str | None = None
    """The id of the entity that it was merged into."""

    @property
    def standing(self) -> Standing:
        """The part of it that Changes decide."""
        state = BranchState.MERGED if self.merged_with else BranchState.ACTIVE
        return Standing(state, self.merged_with)

    def after(self, standing: Standing) -> "Entity":
        """Return it as a Change leaves it."""
        return replace(self, merged_with=standing.superseded_by)


def entity_id(namespace: str, name: str) -> str:
    """Return the id of the entity of this name: the same for every spelling that folds alike, in
    every store.
    """
    key = f"{namespace}\0{folded_name(name)}"
    return ENTITY_PREFIX + sha256(key.encode()).hexdigest()[:32]


def id_called(namespace: str, name_or_id: str) -> str:
    """Return the id of what a name, or an id itself, stands for in a namespace."""
    return name_or_id if is_entity_id(name_or_id) else entity_id(namespace, name_or_id)


def is_entity_id(text: str) -> bool:
    """Whether a text is an id that an entity can have, rather than a name."""
    return _ID.fullmatch(text) is not None


def folded_name(name: str) -> str:
    """Return what two spellings of one name have in common: neither case nor the width of spaces
    and letters tells names apart. Accents do: Ana and Aña are two.
    """
    return " ".join(plain(name).casefold().split())
