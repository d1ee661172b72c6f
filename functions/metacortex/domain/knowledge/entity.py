"""An entity: a named thing that facts speak of and memories mention."""

from hashlib import sha256

from metacortex.domain.words.folding import plain

ENTITY_PREFIX = "ent_"


def entity_id(namespace: str, name: str) -> str:
    """Return the id of the entity of this name: the same for every spelling that folds alike, in
    every store.
    """
    key = f"{namespace}\0{folded_name(name)}"
    return ENTITY_PREFIX + sha256(key.encode()).hexdigest()[:32]


def folded_name(name: str) -> str:
    """Return what two spellings of one name have in common: neither case nor the width of spaces
    and letters tells names apart. Accents do: Ana and Aña are two.
    """
    return " ".join(plain(name).casefold().split())
