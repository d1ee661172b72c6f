"""The queries that Firestore is really sent, and the indexes that are deployed for them."""

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass

import pytest
from google.cloud.firestore_v1.types import StructuredQuery, Value

from metacortex.adapters.firestore.indexes import index_file
from metacortex.domain.ranking import EACH_LEG
from metacortex.engine_settings import DEFAULT_COLLECTION
from metacortex.knowledge_ports import EntityStore, FactStore, IntegrityStore, NameIndex
from metacortex.ports import ClientRegistry, EventLog, MemoryStore, UseLog
from tests.contract.conftest import firestore
from tests.firestore_drive import Driven, drive
from tests.firestore_needs import Held, Need, held, missing, needs, unused
from tests.firestore_wire import Wire, recorded
from tests.samples import SPACE

pytestmark = pytest.mark.case("K64")

NARROWED_DOWN = StructuredQuery.Filter(
    field_filter=StructuredQuery.FieldFilter(
        field=StructuredQuery.FieldReference(field_path="colour"),
        op=StructuredQuery.FieldFilter.Operator.EQUAL,
        value=Value(string_value="red"),
    )
)


@dataclass(frozen=True)
class Sent:
    """What everything that can be asked of an engine came to on the wire."""

    wire: Wire
    driven: Driven

    @property
    def queries(self) -> list[StructuredQuery]:
        return [*self.wire.queries, *self.wire.counts]

    @property
    def needs(self) -> set[Need]:
        return all_needs(self.queries, self.wire.sums)


@pytest.fixture(scope="module")
async def sent(firestore_emulator: str) -> AsyncIterator[Sent]:
    with pytest.MonkeyPatch.context() as patched, recorded(patched) as wire:
        async with firestore() as engine:
            yield Sent(wire, await drive(engine))


@pytest.fixture
def there() -> Held:
    return held(index_file(DEFAULT_COLLECTION, SPACE.dimension))


def all_needs(
    queries: Iterable[StructuredQuery], sums: Iterable[tuple[StructuredQuery, str]] = ()
) -> set[Need]:
    own = {need for query in queries for need in needs(query)}
    return own | {need for query, added_up in sums for need in needs(query, added_up)}


def narrowed(query: StructuredQuery) -> StructuredQuery:
    """Return a query that filters by one field more."""
    copy = StructuredQuery(query)
    copy.where = StructuredQuery.Filter(
        composite_filter=StructuredQuery.CompositeFilter(
            op=StructuredQuery.CompositeFilter.Operator.AND, filters=[query.where, NARROWED_DOWN]
        )
    )
    return copy


def test_every_query_has_its_index(sent: Sent, there: Held) -> None:
    assert missing(sent.needs, there) == []


def test_every_index_has_its_query(sent: Sent, there: Held) -> None:
    assert unused(sent.needs, there) == []


def test_fields_without_an_index_are_the_large_ones_and_one_that_expires(
    sent: Sent, there: Held
) -> None:
    found_by = {(DEFAULT_COLLECTION, name) for name in ("terms", "about", "sources", "entities")}
    found_by.add(("entities", "keys"))
    unread = sent.wire.large_fields() - found_by
    assert there.unindexed == unread | {("memory_fingerprints", "expires_at")}


@pytest.mark.parametrize("kind", ["find_nearest", "order_by"])
def test_a_filter_more_lacks_an_index_that_is_named(kind: str, sent: Sent, there: Held) -> None:
    queries = [narrowed(query) for query in sent.wire.queries if kind in query and "where" in query]
    lacking = missing(all_needs(queries), there)
    assert lacking
    assert all("colour" in sentence for sentence in lacking)


def test_a_filter_less_leaves_an_index_that_is_named(sent: Sent, there: Held) -> None:
    queries = [query for query in sent.queries if "tool_name" not in str(query.where)]
    assert unused(all_needs(queries, sent.wire.sums), there) == [
        "No query uses the index of memory_events by tool_name, timestamp DESCENDING,"
        " recorded_at DESCENDING"
    ]


def test_every_method_of_the_ports_was_called(sent: Sent) -> None:
    for port, watched in (
        (MemoryStore, sent.driven.store),
        (FactStore, sent.driven.facts),
        (EntityStore, sent.driven.entities),
        (NameIndex, sent.driven.names),
        (EventLog, sent.driven.events),
        (UseLog, sent.driven.use),
        (ClientRegistry, sent.driven.registry),
        (IntegrityStore, sent.driven.integrity),
    ):
        methods = {name for name in vars(port) if not name.startswith("_")}
        assert watched.called == methods


def test_searches_took_all_ways(sent: Sent) -> None:
    limits = {query.find_nearest.limit for query in sent.wire.queries if "find_nearest" in query}
    assert limits >= {EACH_LEG + 1, 100}
    assert any("topic" in str(query.where) for query in sent.wire.counts)
    plain = [query for query in sent.wire.queries if "find_nearest" not in query]
    assert any("embedding" in str(query.select) for query in plain)
