"""Names of one thing become one entity, and can be told apart again.

A merge lets one entity point to another and rewrites nothing: memories and facts keep the ids that
they have, and who reads follows them. So an undone merge leaves no trace but its two Changes.
"""

from metacortex.domain.errors import Conflict, InvalidInput
from metacortex.domain.knowledge.entity import Entity
from metacortex.domain.lifecycle import BranchState, Change, ChangeKind, Standing
from metacortex.domain.moment import Milliseconds

MOST_ALIASES = 29
"""How many other names an entity has: with its own as many as one query takes."""


JUDGE = "judge"
"""The cause of a merge that a language model decided."""


def merger(
    entity: Entity, into: Entity, client: str, at: Milliseconds, cause: str | None = None
) -> Change | None:
    """Return the Change by which an entity is merged into another, that stands for itself; None
    where it is already.

    Raises:
        InvalidInput: both are one, or they are in different namespaces.
        Conflict: it is merged into another one, or `into` into one that is not there.
    """
    if entity.merged_with == into.id:
        return None
    if entity.id == into.id:
        raise InvalidInput("from and into name the same entity")
    if entity.namespace != into.namespace:
        raise InvalidInput("from and into must be in one namespace")
    if entity.merged_with is not None:
        raise Conflict("from is already merged into another entity; undo that first")
    if into.merged_with is not None:
        raise Conflict("into was merged into an entity that is gone; undo that first")
    after = Standing(BranchState.MERGED, into.id)
    return Change(ChangeKind.MERGED, entity.id, entity.standing, after, at, client, cause=cause)


def separation(entity: Entity, client: str, at: Milliseconds) -> Change | None:
    """Return the Change by which a merge is undone; None where there is none."""
    if entity.merged_with is None:
        return None
    after = Standing(BranchState.ACTIVE)
    return Change(ChangeKind.MERGED, entity.id, entity.standing, after, at, client)


def check_room(names: int) -> None:
    """Check that an entity may have so many names.

    Raises:
        Conflict: they are too many.
    """
    if names > MOST_ALIASES + 1:
        raise Conflict(f"An entity has at most {MOST_ALIASES} aliases; merge fewer into this one")
