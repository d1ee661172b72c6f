"""Judging: a language model decides which proposals are the same, and these are merged."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace

from metacortex.domain.client import Principal
from metacortex.domain.errors import MetaCortexError, Unavailable
from metacortex.domain.knowledge.family import Family
from metacortex.domain.knowledge.likeness import Described
from metacortex.domain.knowledge.merging import JUDGE
from metacortex.domain.search import Filters
from metacortex.knowledge_ports import EntityStore
from metacortex.model_ports import Judge
from metacortex.ports import Clock
from metacortex.service.filters import admitted
from metacortex.service.merging import MergeService
from metacortex.service.proposing import Proposed

logger = logging.getLogger(__name__)

PATIENCE = 10.0
"""Seconds. Whoever writes waits for the judge."""
MOST_JUDGED = 3
"""How many new names of one write are judged."""
MOST_TEXTS = 3
"""How many texts the judge is shown of what is known."""
LONGEST_TEXT = 1_000
"""How many characters of each."""


class Judging:
    """Asks a judge, and merges for the principal whose write brought the names in."""

    def __init__(
        self, judge: Judge, entities: EntityStore, merging: MergeService, clock: Clock
    ) -> None:
        self._judge = judge
        self._entities = entities
        self._merging = merging
        self._clock = clock

    async def judged(
        self, principal: Principal, proposed: Sequence[Proposed], about: str
    ) -> tuple[Proposed, ...]:
        """Return what was proposed, that being merged which the judge calls the same: of each new
        name the likeliest is judged. `about` is the text that brought the names in. Of several
        names that are the same as one thing the likeliest is merged: who names two things at once
        tells them apart.

        What the judge does not answer in time, or is not sure of, stays a proposal, and so does
        what cannot be merged. Where it is called off, what it has merged is undone.
        """
        likeliest = {each.entity.id: each for each in reversed(proposed)}
        likely = [each for each in proposed if each is likeliest[each.entity.id]][:MOST_JUDGED]
        answers = await asyncio.gather(*(self._is_same(principal, each, about) for each in likely))
        same = [each for each, is_same in zip(likely, answers, strict=True) if is_same]
        by_name: dict[str, Proposed] = {}
        taken: set[str] = set()
        try:
            for each in sorted(same, key=lambda each: -each.known.score):
                into = each.known.family.entity.id
                if into in taken:
                    continue
                # Noted first: where it is called off, the store may have merged it all the same.
                by_name[each.entity.id] = replace(each, merged_into=into)
                if (merged := await self._merged(principal, by_name[each.entity.id])) is not None:
                    by_name[each.entity.id] = merged
                    taken.add(into)
                else:
                    del by_name[each.entity.id]
        except asyncio.CancelledError:
            await self.undo(principal, [*by_name.values()])
            raise
        rest = (each for each in proposed if each.entity.id not in by_name)
        return (*by_name.values(), *rest)

    async def undo(self, principal: Principal, proposed: Sequence[Proposed]) -> None:
        """Undo what was merged of what was proposed, since the write that brought the names in is
        refused, as far as the store answers; but what others have merged otherwise since stays.
        """
        for entity, into in [(each.entity, each.merged_into) for each in proposed if each.merged]:
            try:
                await self._merging.undo(principal, entity.id, entity.namespace, into)
            except MetaCortexError as fault:
                logger.warning("A name that a judge merged stays so: %s", fault.sentence)

    async def _is_same(self, principal: Principal, proposed: Proposed, about: str) -> bool:
        try:
            async with asyncio.timeout(PATIENCE):
                new = Described(proposed.entity.name, (about[:LONGEST_TEXT],))
                other = await self._described(principal, proposed.known.family)
                return await self._judge.is_same(new, other)
        except TimeoutError:
            logger.info("A new name was not judged: it took too long")
        except MetaCortexError as fault:
            logger.warning("A new name was not judged: %s", fault.sentence)
        return False

    async def _merged(self, principal: Principal, proposed: Proposed) -> Proposed | None:
        """Return what was proposed with what it is merged into now; None where it is not."""
        entity, into = proposed.entity, proposed.known.family.named.id
        try:
            merged = await self._merging.merge(principal, entity.id, into, entity.namespace, JUDGE)
        except MetaCortexError as fault:
            logger.warning("A new name was not merged: %s", fault.sentence)
            if isinstance(fault, Unavailable):
                # The store may have merged it all the same.
                await self.undo(principal, [proposed])
            return None
        survivor = merged.known.family.entity.id
        return replace(proposed, merged_into=survivor) if merged.changed else None

    async def _described(self, principal: Principal, family: Family) -> Described:
        filters = Filters(namespace=family.entity.namespace)
        (where,) = admitted(principal, filters, self._clock.now())
        found = await self._entities.mentioning(principal.tenant, family.ids, where, MOST_TEXTS)
        texts = (memory.text[:LONGEST_TEXT] for memory in found)
        return Described(family.named.name, tuple(texts))
