"""A store that is started with another embedding model than the one that filled it."""

import pytest

from metacortex.adapters.local.describer import NoDescriber
from metacortex.adapters.local.secrets import LibrarySecretScanner
from metacortex.adapters.local.tokens import O200kTokenCounter
from metacortex.bootstrap import Outside, build_services
from metacortex.config import Settings
from metacortex.domain.client import whole_tenant
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import NewMemory
from metacortex.domain.search import Mode, Search
from metacortex.domain.vector import EmbeddingSpace
from metacortex.engines import Engine
from metacortex.service.services import Services
from tests.fakes import FakeEmbedder, FixedClock
from tests.samples import TENANT

pytestmark = pytest.mark.case("K63")

ADMIN = whole_tenant("cli", TENANT, BranchState.ACTIVE)
SMALL, LARGE = EmbeddingSpace("small", 384), EmbeddingSpace("large", 768)
BEFORE, AFTER = "Valve 12 sticks in frost.", "Valve 30 was replaced in May."


def started(engine: Engine, space: EmbeddingSpace) -> Services:
    """Return the services over a model of this space."""
    scanner, counter = LibrarySecretScanner(), O200kTokenCounter()
    outside = Outside(engine, FakeEmbedder(space), NoDescriber(), scanner, FixedClock(), counter)
    return build_services(Settings.from_env({}, (), serving=False), outside)


async def found(services: Services, mode: Mode) -> set[str]:
    """Return the contents that a query finds which has a word of each memory."""
    searched = await services.searches.search(ADMIN, Search("valve", mode=mode))
    return {match.memory.content for match in searched.found.matches}


async def test_another_model_finds_the_old_by_words_only_until_they_are_embedded_anew(
    engine: Engine,
) -> None:
    await started(engine, SMALL).memories.remember(ADMIN, NewMemory(BEFORE))

    changed = started(engine, LARGE)
    assert str(SMALL) in (await changed.maintenance.coverage()).finding
    assert await found(changed, Mode.HYBRID) == {BEFORE}
    assert await found(changed, Mode.MEANING) == set()
    await changed.memories.remember(ADMIN, NewMemory(AFTER))
    assert await found(changed, Mode.HYBRID) == {BEFORE, AFTER}
    assert await found(changed, Mode.MEANING) == {AFTER}

    back = started(engine, SMALL)
    assert await found(back, Mode.MEANING) == {BEFORE}
    assert [done async for done in back.maintenance.reembed()] == [1]
    assert await found(back, Mode.MEANING) == {BEFORE, AFTER}
    assert (await back.maintenance.coverage()).uncovered == 0
