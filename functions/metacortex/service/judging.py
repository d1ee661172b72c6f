"""Judging: a language model decides which proposals are the same, and these are merged."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace

from metacortex.domain.client import Principal
from metacortex.domain.errors import MetaCortexError
from metacortex.domain.knowledge.entity import Described
from metacortex.domain.knowledge.family import Family
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

    async def settled(
        self, principal: Principal, proposed: Sequence[Proposed], about: str
    ) -> tuple[Proposed, ...]:
        """Return what was proposed, that being merged which the judge calls the same: of each new
        name the likeliest is judged. `about` is the text that brought the names in.

        What the judge does not answer in time, or is not sure of, stays a proposal, and so does
        what cannot be merged.
        """
        likeliest = {each.entity.id: each for each in reversed(proposed)}
        judged = [each for each in proposed if each is likeliest[each.entity.id]][:MOST_JUDGED]
        merged = await asyncio.gather(*(self._judged(principal, each, about) for each in judged))
        by_name = {each.entity.id: each for each in merged if each.merged}
        rest = (each for each in proposed if each.entity.id not in by_name)
        return (*by_name.values(), *rest)

    async def undo(self, principal: Principal, proposed: Sequence[Proposed]) -> None:
        """Undo what was merged of what was proposed, since the write that brought the names in is
        refused, as far as the store answers.
        """
        try:
            for each in proposed:
                if each.merged:
                    await self._merging.undo(principal, each.entity.id, each.entity.namespace)
        except MetaCortexError as fault:
            logger.warning("Names that a judge merged stay so: %s", fault.sentence)

    async def _judged(self, principal: Principal, proposed: Proposed, about: str) -> Proposed:
        entity, known = proposed.entity, proposed.known
        try:
            async with asyncio.timeout(PATIENCE):
                new = Described(entity.name, (about[:LONGEST_TEXT],))
                other = await self._described(principal, known.family)
                if not await self._judge.is_same(new, other):
                    return proposed
            into = known.family.named.id
            await self._merging.merge(principal, entity.id, into, entity.namespace, JUDGE)
        except TimeoutError:
            logger.info("A new name was not judged: it took too long")
        except MetaCortexError as fault:
            logger.warning("A new name was not judged: %s", fault.sentence)
        else:
            return replace(proposed, merged=True)
        return proposed

    async def _described(self, principal: Principal, family: Family) -> Described:
        filters = Filters(namespace=family.entity.namespace)
        (where,) = admitted(principal, filters, self._clock.now())
        found = await self._entities.mentioning(principal.tenant, family.ids, where, MOST_TEXTS)
        texts = (memory.text[:LONGEST_TEXT] for memory in found)
        return Described(family.named.name, tuple(texts))
