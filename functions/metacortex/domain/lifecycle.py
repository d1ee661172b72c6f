"""The lifecycle of a memory: its branch states, and the append-only record of how they change.

`branch_state`, `superseded_by` and `valid_until` of a memory are the projection of its Changes.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from metacortex.domain.errors import Conflict, InvalidInput
from metacortex.domain.integrity import digest
from metacortex.domain.json import JSON
from metacortex.domain.moment import Milliseconds, Moment, moment_json, read_moment


class BranchState(StrEnum):
    """Where a memory stands, in the order in which the contract lists the states."""

    ACTIVE = "active"
    WIP = "wip"
    MERGED = "merged"
    DEPRECATED = "deprecated"


STATE_NAMES = tuple(state.value for state in BranchState)
PROMOTED_STATES = (BranchState.ACTIVE, BranchState.MERGED)
"""What a draft can become."""


class ChangeKind(StrEnum):
    """What happened to a memory."""

    STATE = "state"
    CLOSED = "closed"
    """It stopped being true."""
    CORRECTED = "corrected"
    """It never was true: its interval is empty from then on."""
    SUPERSEDED = "superseded"
    MERGED = "merged"
    """An entity was merged into another, or is one by itself again."""
    REOPENED = "reopened"
    """What ended it was taken back."""
    FORGOTTEN = "forgotten"


FORGOTTEN = "forgotten"
"""What a memory is superseded by whose replacement was forgotten. No memory has this id."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The part of a memory that Changes decide."""

    branch_state: BranchState
    superseded_by: str | None = None
    valid_until: Moment | None = None

    def as_json(self) -> dict[str, JSON]:
        """Return it as it is stored and hashed. An open end is left out, as it was before ends
        were recorded, so that the digests of those Changes stay.
        """
        standing: dict[str, JSON] = {
            "branch_state": self.branch_state.value,
            "superseded_by": self.superseded_by,
        }
        return standing | (
            {"valid_until": moment_json(self.valid_until)} if self.valid_until else {}
        )


def read_standing(stored: Mapping[str, JSON]) -> Standing:
    """Return the standing that `as_json` made this of."""
    replacement = stored["superseded_by"]
    return Standing(
        BranchState(str(stored["branch_state"])),
        replacement if isinstance(replacement, str) else None,
        read_moment(stored.get("valid_until")),
    )


@dataclass(frozen=True, slots=True)
class Change:
    """One entry of the permanent record of truth. `before` is None where the memory was made by it.

    Its place in the sequence is given by the store; `sha256` covers everything else.
    """

    kind: ChangeKind
    subject_id: str
    before: Standing | None
    after: Standing
    recorded_at: Milliseconds
    client: str
    memory_sha256: str | None = None
    """Where it made the memory, the digest of that, which stays when the memory is forgotten. None
    where an earlier version made it.
    """
    cause: str | None = None
    """Where a contradiction was resolved by it or opened again, the id of that finding; where a
    language model had names merged, `merging.JUDGE`.
    """

    @property
    def sha256(self) -> str:
        """Digest of the change in its canonical form."""
        changed: dict[str, JSON] = {
            "v": 1,
            "kind": self.kind.value,
            "subject_id": self.subject_id,
            "before": self.before.as_json() if self.before else None,
            "after": self.after.as_json(),
            "recorded_at": self.recorded_at,
            "client": self.client,
        }
        # Left out where there is none, so that the digests of earlier Changes stay.
        further = {"memory_sha256": self.memory_sha256, "cause": self.cause}
        return digest(
            changed | {name: value for name, value in further.items() if value is not None}
        )


def promotion(
    memory_id: str, standing: Standing, state: BranchState, client: str, at: Milliseconds
) -> Change | None:
    """Return the Change by which a draft moves on to `state`, or None where it is there already.

    Raises:
        InvalidInput: no draft becomes this.
        Conflict: the memory is no draft.
    """
    if state not in PROMOTED_STATES:
        raise InvalidInput(f"branch_state must be one of {', '.join(PROMOTED_STATES)}")
    if standing.branch_state is state:
        return None
    if standing.branch_state is not BranchState.WIP:
        raise Conflict(
            f"Document is in state '{standing.branch_state}'; only one in state 'wip' can be"
            " promoted"
        )
    after = replace(standing, branch_state=state)
    return Change(ChangeKind.STATE, memory_id, standing, after, at, client)


def orphaning(memory_id: str, standing: Standing, client: str, at: Milliseconds) -> Change:
    """Return the Change of a memory whose replacement is forgotten."""
    after = replace(standing, superseded_by=FORGOTTEN)
    return Change(ChangeKind.SUPERSEDED, memory_id, standing, after, at, client)


def check_unreplaced(standing: Standing) -> None:
    """Check that a memory has no replacement, or none that is still known.

    Raises:
        Conflict: it has one.
    """
    if standing.superseded_by not in (None, FORGOTTEN):
        raise Conflict(f"Document is already superseded by '{standing.superseded_by}'")


NOTHING_TO_SUPERSEDE = "Superseded document not found"
"""What is said where a write names a memory to replace that is not there."""
NO_REPLACEMENT = "Superseding document not found"
"""What is said where the memory that is to replace another is not there."""


def supersession(
    memory_id: str,
    standing: Standing,
    replacement_id: str,
    successors: Iterable[str],
    client: str,
    at: Milliseconds,
    *,
    ends: bool = False,
    valid_from: Moment | None = None,
) -> Change | None:
    """Return the Change by which `replacement_id` supersedes a memory, or None where it already
    does. Where it `ends`, as a fact does, it holds no longer than until `at`; if it has not started
    by then, it never was true.

    `successors` are the ids reached from the replacement by following `superseded_by`, nearest
    first; it is only read as far as needed. A store calls this inside the transaction that applies
    the Change, so that of two concurrent calls with different replacements one is told of the
    other.

    Raises:
        InvalidInput: the memory would supersede itself.
        Conflict: it already has another replacement, or the replacement is itself superseded by it.
    """
    if replacement_id == memory_id:
        raise InvalidInput("A document cannot supersede itself")
    if standing.superseded_by == replacement_id:
        return None
    check_unreplaced(standing)
    if any(successor == memory_id for successor in successors):
        raise Conflict("A document cannot be superseded by one that it supersedes")
    after = replace(standing, branch_state=BranchState.DEPRECATED, superseded_by=replacement_id)
    if not ends or (after.valid_until is not None and after.valid_until.at <= at):
        return Change(ChangeKind.SUPERSEDED, memory_id, standing, after, at, client)
    if valid_from is None or valid_from.at < at:
        after = replace(after, valid_until=Moment(at))
        return Change(ChangeKind.SUPERSEDED, memory_id, standing, after, at, client)
    after = replace(after, valid_until=valid_from)
    return Change(ChangeKind.CORRECTED, memory_id, standing, after, at, client)
