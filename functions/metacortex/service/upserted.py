"""What became of a fact that was stated."""

from dataclasses import dataclass
from enum import StrEnum

from metacortex.domain.knowledge.fact import Fact
from metacortex.domain.knowledge.placing import Placed
from metacortex.service.proposing import Proposed


class WriteStatus(StrEnum):
    """What a statement came to."""

    CREATED = "created"
    DUPLICATE = "duplicate"
    """It is known already."""
    CLOSED = "closed"
    """It is known already, and has got the end that was told."""


@dataclass(frozen=True, slots=True)
class Upserted:
    """The fact as it stands, what the statement came to, the ids of the facts that it has closed,
    the kinds of secrets that were taken out, and what its new names may stand for.
    """

    fact: Fact
    status: WriteStatus
    superseded: tuple[str, ...]
    redacted: tuple[str, ...]
    proposals: tuple[Proposed, ...]


def upserted_of(
    placed: Placed, redacted: tuple[str, ...], proposals: tuple[Proposed, ...]
) -> Upserted:
    """Return what a statement came to, from how it was placed."""
    ended = (each.subject_id for each in placed.changes)
    superseded = tuple(id_ for id_ in ended if id_ != placed.fact.id)
    return Upserted(placed.fact, status_of(placed), superseded, redacted, proposals)


def status_of(placed: Placed) -> WriteStatus:
    """Return whether a statement was new, known, or the end of a known one."""
    if placed.created:
        return WriteStatus.CREATED
    own = (each for each in placed.changes if each.subject_id == placed.fact.id)
    # It may also have been cut for another, told under another name of its subject.
    is_closed = any(each.after.superseded_by is None for each in own)
    return WriteStatus.CLOSED if is_closed else WriteStatus.DUPLICATE
