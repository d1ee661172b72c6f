"""Contradictions: what a principal is told of them, and what becomes of those that were found."""

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import uuid4

from metacortex.domain.client import Principal
from metacortex.domain.dates.period import Period
from metacortex.domain.errors import Conflict, InvalidInput
from metacortex.domain.knowledge.contradictions import (
    Contradiction,
    contradictions,
    vocabulary_of,
)
from metacortex.domain.knowledge.fact import Fact
from metacortex.domain.knowledge.findings import (
    MOST_RESOLVED,
    NO_LONGER_FOUND,
    Finding,
    FindingStatus,
    Revision,
    closed,
    renewed,
    resolved,
)
from metacortex.domain.knowledge.resolving import resolvable, resolving
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.moment import Milliseconds
from metacortex.domain.text import check_unicode
from metacortex.knowledge_ports import FactStore, FindingStore
from metacortex.ports import Clock
from metacortex.service.entities import EntityService
from metacortex.service.filters import namespaces_read
from metacortex.service.permissions import check_may_look_back, check_may_resolve

MOST_FACTS = 10_000
"""How many facts, the newest, are compared."""
MOST_KEPT = 200
"""How many findings one audit writes: what every engine can write at once."""
MOST_TRIES = 5
"""How often an audit that resolves nothing looks again where others decide on what it finds."""


@dataclass(frozen=True, slots=True)
class Audit:
    """What a caller wants looked through."""

    as_of: Period | None = None
    auto_resolve: bool = False
    dry_run: bool = False
    namespace: str | None = None
    entity: str | None = None
    """The name or id of the subject to look at alone."""

    def __post_init__(self) -> None:
        check_unicode("entity", self.entity or "")
        if self.as_of is not None and self.auto_resolve:
            raise InvalidInput("auto_resolve changes what holds now; leave as_of out")


@dataclass(frozen=True, slots=True)
class Audited:
    """What was found, and what was done about it."""

    at: Milliseconds
    checked: int
    """How many facts were compared."""
    incomplete: bool
    """Whether there are more facts, which are older."""
    found: tuple[Contradiction, ...]
    """But those that someone has closed; the worst first."""
    dismissed: int
    """How many of these there are."""
    resolved: tuple[Contradiction, ...] = ()
    """What was resolved, or would be."""
    resolution_id: str | None = None
    """By what the step can be taken back."""


class ContradictionService:
    """Compares the facts of a tenant."""

    def __init__(
        self,
        facts: FactStore,
        findings: FindingStore,
        entities: EntityService,
        clock: Clock,
        most_facts: int = MOST_FACTS,
    ) -> None:
        self._facts = facts
        self._entities = entities
        self._findings = findings
        self._clock = clock
        self._most_facts = most_facts

    async def audit(self, principal: Principal, asked: Audit) -> Audited:
        """Return the contradictions among the facts that hold at a moment.

        Those of the present that are in a namespace which the principal may change are kept as open
        findings, and open ones that are no longer found are closed. With `auto_resolve` as many as
        one step takes are resolved, all of these or none: the older or less certain fact is
        superseded. A dry run does nothing of it.

        Raises:
            Forbidden: the profile may not see the past or the namespace, or not resolve.
            NotFound: the principal knows no such entity.
            Conflict: a fact or a finding has changed meanwhile; nothing was done.
        """
        for _ in range(0 if asked.auto_resolve else MOST_TRIES - 1):
            try:
                return await self._audited(principal, asked)
            except Conflict:
                # Somebody has decided on a finding meanwhile: what becomes of it is decided anew.
                continue
        return await self._audited(principal, asked)

    async def _audited(self, principal: Principal, asked: Audit) -> Audited:
        if asked.auto_resolve:
            check_may_resolve(principal)
        namespaces = namespaces_read(principal, asked.namespace)
        self._moments(principal, asked)
        about = await self._about(principal, asked, namespaces)
        # Before any fact, and the clock: what is opened meanwhile may be about newer facts.
        opened = await self._opened(principal, asked, namespaces)
        at, now = self._moments(principal, asked)
        facts = await self._facts.facts(principal.tenant, namespaces, self._most_facts + 1)
        survivors = await self._entities.survivors(principal.tenant)
        held = [fact for fact in facts[: self._most_facts] if _is_seen(principal, fact, at, now)]
        some = [fact for fact in held if about is None or fact.details.subject_id in about]
        compared = await asyncio.to_thread(
            lambda: contradictions(some, vocabulary_of(held), survivors)
        )
        known = await self._known(principal, compared)
        shown = tuple(each for each in compared if not _is_dismissed(known.get(each.id)))
        audited = Audited(
            at, len(some), len(facts) > self._most_facts, shown, len(compared) - len(shown)
        )
        if asked.as_of is not None:
            return audited
        still = {each.id for each in compared}
        subject_of = {fact.id: fact.details.subject_id for fact in facts}
        unseen = [
            finding
            for finding in (() if audited.incomplete else opened)
            if finding.id not in still and (about is None or _is_about(finding, about, subject_of))
        ]
        return await self._kept(principal, asked, audited, known, unseen)

    def _moments(self, principal: Principal, asked: Audit) -> tuple[Milliseconds, Milliseconds]:
        """Return the moment that is looked at, and the present; what may not be seen is refused."""
        now = self._clock.now()
        at = now if asked.as_of is None else asked.as_of.as_of(now)
        if at < now:
            check_may_look_back(principal)
        return at, now

    async def _opened(
        self, principal: Principal, asked: Audit, namespaces: Sequence[str] | None
    ) -> Sequence[Finding]:
        """Return the open findings that this audit may close, those that changed longest ago
        first.
        """
        is_of_present = asked.as_of is None and BranchState.ACTIVE in principal.filter_states
        if asked.dry_run or not is_of_present:
            return ()
        listed = await self._findings.findings(principal.tenant, namespaces, FindingStatus.OPEN)
        return [each for each in reversed(listed) if principal.may_change(each.namespace)]

    async def _about(
        self, principal: Principal, asked: Audit, namespaces: Sequence[str] | None
    ) -> Collection[str] | None:
        """Return the ids of the subject to look at alone, with those merged into it."""
        if asked.entity is None:
            return None
        return (await self._entities.called(principal, namespaces, asked.entity)).family.ids

    async def _known(
        self, principal: Principal, compared: Sequence[Contradiction]
    ) -> Mapping[str, Finding]:
        if not compared:
            return {}
        named = await self._findings.named(principal.tenant, [each.id for each in compared])
        return {finding.id: finding for finding in named}

    async def _kept(
        self,
        principal: Principal,
        asked: Audit,
        audited: Audited,
        known: Mapping[str, Finding],
        unseen: Iterable[Finding],
    ) -> Audited:
        ours = [each for each in audited.found if _may_change(principal, each)]
        chosen = tuple(resolvable(ours))[:MOST_RESOLVED] if asked.auto_resolve else ()
        step = uuid4().hex if chosen and not asked.dry_run else None
        told = replace(audited, resolved=chosen, resolution_id=step)
        if asked.dry_run:
            return told
        client, at = principal.client_id, audited.at
        open_ones = {each.id: renewed(each, known.get(each.id), client, at) for each in ours}
        gone = {each.given_up.id for each in chosen}
        findings = [resolved(open_ones[each.id], step, client, at) for each in chosen if step]
        findings += [
            open_ones[each.id] for each in ours if gone.isdisjoint((each.kept.id, each.given_up.id))
        ]
        revisions = [Revision(known.get(each.id), each) for each in findings]
        revisions += [Revision(each, closed(each, NO_LONGER_FOUND, client, at)) for each in unseen]
        changed = [each for each in revisions if each.before != each.after][:MOST_KEPT]
        changes = [resolving(each, client, at) for each in chosen]
        if changed:
            await self._findings.keep(principal.tenant, changed, changes)
        return told


def _is_seen(principal: Principal, fact: Fact, at: Milliseconds, now: Milliseconds) -> bool:
    """Whether a fact holds at a moment, and may be told: what held in the past may be deprecated by
    now.
    """
    state = fact.memory.branch_state
    is_past = at < now and state is BranchState.DEPRECATED
    is_present = state is not BranchState.DEPRECATED and state in principal.filter_states
    return fact.holds_at(at) and (is_past or is_present)


def _is_about(finding: Finding, subjects: Collection[str], subject_of: Mapping[str, str]) -> bool:
    """Whether a finding is of these subjects, or of one of their facts, by the subjects of facts:
    it may have been found while the subject of the other was merged with theirs.
    """
    pair = (subject_of.get(id_) for id_ in (finding.kept_id, finding.given_up_id))
    return any(each in subjects for each in (finding.subject_id, *pair))


def _is_dismissed(finding: Finding | None) -> bool:
    if finding is None or finding.status is not FindingStatus.CLOSED:
        return False
    return finding.reason != NO_LONGER_FOUND


def _may_change(principal: Principal, each: Contradiction) -> bool:
    return principal.may_change(each.kept.memory.namespace)
