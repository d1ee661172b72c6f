"""Findings: contradictions that are kept, and what becomes of them: closed with a reason, or
resolved by a step that can be taken back.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from metacortex.domain.errors import Conflict, InvalidInput
from metacortex.domain.json import JSON
from metacortex.domain.knowledge.contradictions import (
    Contradiction,
    ContradictionKind,
    Severity,
)
from metacortex.domain.moment import Milliseconds
from metacortex.domain.text import check_unicode

MAX_REASON_LENGTH = 500
MOST_RESOLVED = 50
"""How many contradictions one step resolves: what every engine can write at once."""


class FindingStatus(StrEnum):
    """What has become of a finding."""

    OPEN = "open"
    RESOLVED = "resolved"
    """One of its facts was superseded by the other."""
    CLOSED = "closed"
    """Someone said why nothing is to be done, or it is no longer found."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A contradiction as it is kept: by the ids of its facts, without a word of them."""

    id: str
    namespace: str
    subject_id: str
    kind: ContradictionKind
    severity: Severity
    kept_id: str
    given_up_id: str
    found_at: Milliseconds
    changed_at: Milliseconds
    changed_by: str
    """The client that found it, or that closed, resolved or reopened it last."""
    status: FindingStatus = FindingStatus.OPEN
    reason: str | None = None
    """Why it was closed."""
    resolution_id: str | None = None
    """The step that resolved it."""

    def as_json(self) -> dict[str, JSON]:
        """Return it as it is stored."""
        return {
            "id": self.id,
            "namespace": self.namespace,
            "subject_id": self.subject_id,
            "kind": self.kind.value,
            "severity": self.severity.value,
            "kept_id": self.kept_id,
            "given_up_id": self.given_up_id,
            "found_at": self.found_at,
            "changed_at": self.changed_at,
            "changed_by": self.changed_by,
            "status": self.status.value,
            "reason": self.reason,
            "resolution_id": self.resolution_id,
        }


@dataclass(frozen=True, slots=True)
class Revision:
    """What becomes of a finding, and what was known of it when that was decided, None where nothing
    was: a store writes it only where that is still so.
    """

    before: Finding | None
    after: Finding


NO_LONGER_FOUND = "no longer found"
"""Why a finding is closed whose facts no longer contradict each other."""


def read_finding(stored: Mapping[str, JSON]) -> Finding:
    """Return the finding that `as_json` made this of."""

    def text(name: str) -> str | None:
        value = stored[name]
        return value if isinstance(value, str) else None

    def moment(name: str) -> Milliseconds:
        value = stored[name]
        assert isinstance(value, int | float)
        return int(value)

    return Finding(
        id=str(stored["id"]),
        namespace=str(stored["namespace"]),
        subject_id=str(stored["subject_id"]),
        kind=ContradictionKind(str(stored["kind"])),
        severity=Severity(str(stored["severity"])),
        kept_id=str(stored["kept_id"]),
        given_up_id=str(stored["given_up_id"]),
        found_at=moment("found_at"),
        changed_at=moment("changed_at"),
        changed_by=str(stored["changed_by"]),
        status=FindingStatus(str(stored["status"])),
        reason=text("reason"),
        resolution_id=text("resolution_id"),
    )


def found(contradiction: Contradiction, client: str, at: Milliseconds) -> Finding:
    """Return the open finding of a contradiction."""
    memory = contradiction.kept.memory
    return Finding(
        id=contradiction.id,
        namespace=memory.namespace,
        subject_id=contradiction.kept.details.subject_id,
        kind=contradiction.kind,
        severity=contradiction.severity,
        kept_id=contradiction.kept.id,
        given_up_id=contradiction.given_up.id,
        found_at=at,
        changed_at=at,
        changed_by=client,
    )


def renewed(
    contradiction: Contradiction, known: Finding | None, client: str, at: Milliseconds
) -> Finding:
    """Return the open finding of a contradiction, of which `known` is kept: that one where it says
    the same.
    """
    fresh = found(contradiction, client, at)
    if known is None:
        return fresh
    fresh = replace(fresh, found_at=known.found_at)
    told = replace(fresh, changed_at=known.changed_at, changed_by=known.changed_by)
    return known if told == known else fresh


def closed(finding: Finding, reason: str, client: str, at: Milliseconds) -> Finding:
    """Return an open finding closed.

    Raises:
        Conflict: it is not open.
    """
    if finding.status is not FindingStatus.OPEN:
        raise Conflict(
            f"Finding '{finding.id}' is {finding.status}; only an open one can be closed"
        )
    return replace(
        finding, status=FindingStatus.CLOSED, reason=reason, changed_at=at, changed_by=client
    )


def reopened(finding: Finding, client: str, at: Milliseconds) -> Finding:
    """Return a finding open again.

    Raises:
        Conflict: it is open.
    """
    if finding.status is FindingStatus.OPEN:
        raise Conflict(f"Finding '{finding.id}' is open already")
    return replace(
        finding,
        status=FindingStatus.OPEN,
        reason=None,
        resolution_id=None,
        changed_at=at,
        changed_by=client,
    )


def resolved(finding: Finding, resolution_id: str, client: str, at: Milliseconds) -> Finding:
    """Return a finding resolved by a step."""
    return replace(
        finding,
        status=FindingStatus.RESOLVED,
        reason=None,
        resolution_id=resolution_id,
        changed_at=at,
        changed_by=client,
    )


def check_as_decided(revision: Revision, stored: Finding | None) -> None:
    """Check that a finding is stored as it was when it was decided on, or has become already what
    it is to become.

    Raises:
        Conflict: it has become something else meanwhile.
    """
    if stored not in (revision.before, revision.after):
        raise Conflict(
            f"Finding '{revision.after.id}' has changed meanwhile; nothing was done; look again"
        )


def checked_reason(reason: str | None) -> str:
    """Return why a finding is to be closed.

    Raises:
        InvalidInput: nothing is said, or too much.
    """
    told = (reason or "").strip()
    if not told:
        raise InvalidInput("reason must say why the findings are closed")
    check_unicode("reason", told)
    if len(told) > MAX_REASON_LENGTH:
        raise InvalidInput(f"reason must be at most {MAX_REASON_LENGTH} characters")
    return told


def checked_ids(ids: Sequence[str]) -> tuple[str, ...]:
    """Return which findings are meant, each once.

    Raises:
        InvalidInput: none is named, or too many.
    """
    named = tuple(dict.fromkeys(ids))
    if not 1 <= len(named) <= MOST_RESOLVED:
        raise InvalidInput(f"finding_ids must name 1 to {MOST_RESOLVED} findings")
    return named
