"""What is no merge, and merging where others are always faster."""

import pytest

from metacortex.adapters.local.describer import NoDescriber
from metacortex.adapters.local.secrets import LibrarySecretScanner
from metacortex.adapters.local.tokens import O200kTokenCounter
from metacortex.adapters.sqlite.database import Database
from metacortex.adapters.sqlite.entities import SqliteEntityStore
from metacortex.adapters.sqlite.memories import SqliteMemoryStore
from metacortex.domain.client import whole_tenant
from metacortex.domain.errors import Conflict, InvalidInput
from metacortex.domain.knowledge.entity import Entity, EntityType, entity_id
from metacortex.domain.knowledge.merging import merger
from metacortex.domain.lifecycle import BranchState, Change
from metacortex.service.embedding import TextEmbedding
from metacortex.service.entities import EntityService
from metacortex.service.intake import Intake
from metacortex.service.merging import MergeService
from metacortex.service.names import Names
from tests.fakes import FakeEmbedder, FixedClock
from tests.samples import CACHE_MB


class Contended(SqliteEntityStore):
    """A store in which every entity has changed since it was read."""

    async def merge(self, tenant: str, change: Change) -> bool:
        return False


def an_entity(name: str, namespace: str = "default") -> Entity:
    return Entity(entity_id(namespace, name), namespace, name, EntityType.NAME, 0)


async def test_a_merge_that_others_keep_taking_the_ground_from_is_given_up() -> None:
    database, clock = Database(None), FixedClock()
    store = Contended(database)
    entities = EntityService(store)
    principal = whole_tenant("cli", "default", BranchState.ACTIVE)
    readers = (NoDescriber(), LibrarySecretScanner(), O200kTokenCounter())
    intake = Intake(SqliteMemoryStore(database, CACHE_MB), *readers, clock)
    await store.put("default", [an_entity("Calico")])
    names = Names(store, TextEmbedding(FakeEmbedder()))
    service = MergeService(store, entities, names, intake, clock)
    with pytest.raises(Conflict, match="Others keep changing these entities; try again"):
        await service.merge(principal, "Cal", "Calico", None)
    await database.close()


def test_entities_of_two_namespaces_are_two() -> None:
    here, there = (an_entity("Cal", namespace) for namespace in ("default", "team"))
    with pytest.raises(InvalidInput, match="from and into must be in one namespace"):
        merger(here, there, "cli", 0)
