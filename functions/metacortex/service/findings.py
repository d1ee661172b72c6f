"""Findings: what a principal may see and decide of contradictions that were found."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from metacortex.domain.client import Principal
from metacortex.domain.errors import InvalidInput, NotFound
from metacortex.domain.knowledge.fact import Fact
from metacortex.domain.knowledge.findings import (
    MOST_RESOLVED,
    Finding,
    FindingStatus,
    Revision,
    checked_ids,
    checked_reason,
    closed,
    reopened,
)
from metacortex.domain.knowledge.resolving import reopening
from metacortex.domain.lifecycle import BranchState, Change, ChangeKind
from metacortex.domain.moment import Milliseconds
from metacortex.knowledge_ports import FactStore, FindingStore
from metacortex.ports import Clock, MemoryStore
from metacortex.service.entities import EntityService
from metacortex.service.filters import namespaces_read
from metacortex.service.intake import Intake
from metacortex.service.permissions import (
    check_may_change,
    check_may_resolve,
    check_may_see,
    known,
)

UNKNOWN_FINDING = "Finding not found"


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A finding with its two facts, each where it is still there and may be seen."""

    finding: Finding
    kept: Fact | None
    given_up: Fact | None


class FindingService:
    """What is done about the contradictions of a tenant."""

    def __init__(
        self,
        store: MemoryStore,
        facts: FactStore,
        findings: FindingStore,
        entities: EntityService,
        intake: Intake,
        clock: Clock,
    ) -> None:
        self._store = store
        self._facts = facts
        self._findings = findings
        self._entities = entities
        self._intake = intake
        self._clock = clock

    async def review(
        self, principal: Principal, status: FindingStatus, namespace: str | None, limit: int
    ) -> tuple[Reviewed, ...]:
        """Return findings in a status, those that changed last first, but such whose facts are
        forgotten.

        Raises:
            Forbidden: the profile may not read the namespace, or not see what is resolved, of which
                one fact is deprecated.
        """
        if status is FindingStatus.RESOLVED:
            check_may_see(principal, BranchState.DEPRECATED)
        namespaces = namespaces_read(principal, namespace)
        listed = await self._findings.findings(principal.tenant, namespaces, status, limit)
        return await self._reviewed(principal, listed)

    async def close(
        self, principal: Principal, ids: Sequence[str], reason: str | None
    ) -> tuple[Reviewed, ...]:
        """Close open findings, all or none: nothing is to be done about them.

        Raises:
            InvalidInput: no id, too many or no reason, or it holds a secret that the profile
                refuses.
            NotFound: the principal knows no finding of one of the ids.
            Forbidden: it may not change the namespace of one.
            Conflict: one is not open, or has changed meanwhile.
        """
        told = checked_reason(reason)
        found = await self._changeable(principal, ids)
        (told,), _ = await self._intake.cleared(principal, (told,))
        now = self._clock.now()
        revisions = [Revision(each, closed(each, told, principal.client_id, now)) for each in found]
        await self._findings.keep(principal.tenant, revisions)
        return await self._reviewed(principal, [each.after for each in revisions])

    async def reopen(self, principal: Principal, ids: Sequence[str]) -> tuple[Reviewed, ...]:
        """Open findings again, all or none. What resolved one is taken back: its fact stands as it
        did before. A step of an audit has an id too, which stands for all that it resolved.

        Raises:
            InvalidInput: no id, or too many.
            NotFound: the principal knows no finding of one of the ids.
            Forbidden: it may not change the namespace of one, or not resolve.
            Conflict: one is open, or it or its fact has changed since.
        """
        found = await self._changeable(principal, ids)
        done = [each for each in found if each.status is FindingStatus.RESOLVED]
        if done:
            check_may_resolve(principal)
        now = self._clock.now()
        revisions = [Revision(each, reopened(each, principal.client_id, now)) for each in found]
        gone = await asyncio.gather(*(self._given_up(principal, each) for each in done))
        inverse = (
            self._inverse(principal, each, fact, now) for each, fact in zip(done, gone, strict=True)
        )
        changes, aliases = await asyncio.gather(
            asyncio.gather(*inverse),
            self._entities.other_names(
                principal.tenant, [fact.details.subject_id for fact in gone]
            ),
        )
        await self._findings.keep(principal.tenant, revisions, changes, aliases)
        return await self._reviewed(principal, [each.after for each in revisions])

    async def _changeable(self, principal: Principal, ids: Sequence[str]) -> tuple[Finding, ...]:
        asked = checked_ids(ids)
        named = await self._findings.named(principal.tenant, asked)
        found = [each for each in named if principal.may_read(each.namespace)]
        named_by = {id_ for each in found for id_ in (each.id, each.resolution_id)}
        for number, id_ in enumerate(asked, start=1):
            if id_ not in named_by:
                raise NotFound(f"{UNKNOWN_FINDING}: number {number} of finding_ids")
        for each in found:
            check_may_change(principal, each.namespace)
        if len(found) > MOST_RESOLVED:
            raise InvalidInput(f"finding_ids must name 1 to {MOST_RESOLVED} findings in all")
        return tuple(found)

    async def _given_up(self, principal: Principal, finding: Finding) -> Fact:
        found = await self._store.get(principal.tenant, finding.given_up_id)
        return Fact(known(principal, found, UNKNOWN_FINDING))

    async def _inverse(
        self, principal: Principal, finding: Finding, fact: Fact, at: Milliseconds
    ) -> Change:
        recorded = await self._facts.changes_of(principal.tenant, [fact.id])
        resolving = [
            entry
            for entry in recorded[fact.id]
            if isinstance(entry, Change)
            and entry.cause == finding.id
            and entry.kind is not ChangeKind.REOPENED
        ]
        return reopening(resolving[-1], fact.memory.standing, principal.client_id, at)

    async def _reviewed(
        self, principal: Principal, findings: Sequence[Finding]
    ) -> tuple[Reviewed, ...]:
        ids = [id_ for each in findings for id_ in (each.kept_id, each.given_up_id)]
        memories = await asyncio.gather(
            *(self._store.get(principal.tenant, id_) for id_ in dict.fromkeys(ids))
        )
        facts = {memory.id: Fact(memory) for memory in memories if memory is not None}
        now = self._clock.now()
        seen = {id_: fact for id_, fact in facts.items() if _may_be_seen(principal, fact, now)}
        return tuple(
            Reviewed(each, seen.get(each.kept_id), seen.get(each.given_up_id))
            for each in findings
            if each.kept_id in facts and each.given_up_id in facts
        )


def _may_be_seen(principal: Principal, fact: Fact, now: Milliseconds) -> bool:
    """Whether a fact may be told and named: what has ended is past, whatever its state."""
    is_present = fact.ends > now or principal.sees_past
    return is_present and fact.memory.branch_state in principal.filter_states
