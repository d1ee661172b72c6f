"""Which indexes Firestore needs for a query, by its documented rules, and how they compare with
what firestore.indexes.json holds.

The rules, from Google's "Standard edition index overview": every query is answered from indexes;
equalities alone merge the indexes of their fields; an order beside equalities merges composite
indexes of each of them with that order; a filtered range beside an equality, or a second field to
order by, needs a composite index of all of them; a collection group needs indexes of its scope;
a vector search needs a composite index of its equalities and then the vector, and a sum one of its
equalities and then what is added up. That a list contains a value, or any of some, is an equality
("Perform simple and compound queries") of the list's own index, and so is
that a field has one of some values: "up to 30 equality clauses on the same field with a logical
OR", and that a field is null. Cursors, limits and the choice of fields need none.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from google.cloud.firestore_v1.types import StructuredQuery

Ordered: TypeAlias = tuple[tuple[str, str], ...]
NAME = "__name__"
UP, DOWN = "ASCENDING", "DESCENDING"
IN_ONE, IN_ALL = "COLLECTION", "COLLECTION_GROUP"
CONTAINS = "CONTAINS"
EQUALITIES = ("EQUAL", "IS_NULL")
CONTAINING = ("ARRAY_CONTAINS", "ARRAY_CONTAINS_ANY")
AUTOMATIC = frozenset({(UP, IN_ONE), (DOWN, IN_ONE), (CONTAINS, IN_ONE)})
"""What every field has that no override names."""
LAST = frozenset(
    {"committed_at", "created_at", "length", "timestamp", "recorded_at", "valid_until"}
)
"""The fields that queries are ordered by or take a range of, or that are added up, and that no
query of the same collection holds equal beside an order.
"""


@dataclass(frozen=True, slots=True)
class Composite:
    """An index of several fields: the equal ones in whatever order, then those of the order, then
    the vector's with its dimension.
    """

    collection: str
    scope: str
    equal: frozenset[str]
    order: Ordered = ()
    vector: tuple[str, int] | None = None

    def __str__(self) -> str:
        fields = [*sorted(self.equal), *(f"{name} {way}" for name, way in self.order)]
        fields += [f"{self.vector[0]} ({self.vector[1]} numbers)"] if self.vector else []
        return f"{self.collection} by {', '.join(fields)}"


@dataclass(frozen=True, slots=True)
class Single:
    """An index of one field by itself."""

    collection: str
    scope: str
    field: str
    order: str

    def __str__(self) -> str:
        return f"{self.collection} ({self.scope}) by {self.field} {self.order} alone"


Need: TypeAlias = Composite | Single


@dataclass(frozen=True, slots=True)
class Held:
    """What a file holds: its indexes, and which fields have an override."""

    needs: frozenset[Need]
    overridden: frozenset[tuple[str, str]]

    @property
    def unindexed(self) -> frozenset[tuple[str, str]]:
        """The fields that have no index by themselves."""
        return self.overridden - {
            (need.collection, need.field) for need in self.needs if isinstance(need, Single)
        }


def needs(query: StructuredQuery, added_up: str | None = None) -> Iterator[Need]:
    """Yield the indexes that a query needs, or a sum over what it finds."""
    (source,) = query.from_
    collection = source.collection_id
    scope = IN_ALL if source.all_descendants else IN_ONE
    filters = list(_filters(query.where))
    lists = frozenset(name for name, operator in filters if operator in CONTAINING)
    equal = frozenset(name for name, operator in filters if operator in EQUALITIES)
    any_of = frozenset(name for name, operator in filters if operator == "IN")
    ranges = [name for name, operator in filters if name not in lists | equal | any_of]
    order = _order(query, ranges)
    if any_of:
        assert (len(filters), order, added_up) == (1, (), None), "one of several values, alone"
    if "find_nearest" in query:
        assert (ranges, order) == ([], ()), "a vector search filters by equality only"
        yield Composite(collection, scope, equal, (), _vector(query.find_nearest))
    elif added_up:
        yield Composite(collection, scope, equal, (*order, (added_up, UP)))
    elif not order:
        yield from (Single(collection, scope, name, UP) for name in equal | any_of)
        yield from (Single(collection, scope, name, CONTAINS) for name in lists)
    elif not equal and len(order) == 1:
        yield Single(collection, scope, *order[0])
    elif not equal or ranges or lists:
        yield Composite(collection, scope, equal, order)
    else:
        yield from (Composite(collection, scope, frozenset({name}), order) for name in equal)


def held(content: Mapping[str, Any]) -> Held:
    """Read the content of an index file."""
    composites = frozenset(map(_composite, content["indexes"]))
    singles = frozenset(
        Single(
            override["collectionGroup"],
            index["queryScope"],
            override["fieldPath"],
            index.get("order") or index["arrayConfig"],
        )
        for override in content["fieldOverrides"]
        for index in override["indexes"]
    )
    overridden = frozenset(
        (override["collectionGroup"], override["fieldPath"])
        for override in content["fieldOverrides"]
    )
    return Held(composites | singles, overridden)


def missing(needed: Iterable[Need], there: Held) -> list[str]:
    """Return a sentence for each index that is needed and neither in the file nor automatic."""
    absent = {need for need in needed if need not in there.needs and not _automatic(need, there)}
    return sorted(f"There is no index of {need}" for need in absent)


def unused(needed: Iterable[Need], there: Held) -> list[str]:
    """Return a sentence for each index of the file that no query needs."""
    return sorted(f"No query uses the index of {need}" for need in there.needs - set(needed))


def _automatic(need: Need, there: Held) -> bool:
    return (
        isinstance(need, Single)
        and (need.collection, need.field) not in there.overridden
        and (need.order, need.scope) in AUTOMATIC
    )


def _filters(where: StructuredQuery.Filter) -> Iterator[tuple[str, str]]:
    if where.composite_filter.filters:
        assert where.composite_filter.op.name == "AND"
        for inner in where.composite_filter.filters:
            yield from _filters(inner)
    elif where.field_filter.field.field_path:
        yield where.field_filter.field.field_path, where.field_filter.op.name
    elif where.unary_filter.field.field_path:
        yield where.unary_filter.field.field_path, where.unary_filter.op.name


def _order(query: StructuredQuery, ranges: list[str]) -> Ordered:
    order = [(each.field.field_path, each.direction.name) for each in query.order_by]
    # Firestore orders by what it filters a range of, whether it is said or not.
    order += [(name, UP) for name in ranges if name not in dict(order)]
    last = order[-1:]
    if last and last[0][0] == NAME:
        order.pop()
        # Every index ends with the name, in the way of the field before it.
        assert last[0][1] == (order[-1][1] if order else UP)
    return tuple(order)


def _vector(nearest: StructuredQuery.FindNearest) -> tuple[str, int]:
    numbers = nearest.query_vector.map_value.fields["value"].array_value.values
    return nearest.vector_field.field_path, len(numbers)


def _composite(index: Mapping[str, Any]) -> Composite:
    fields = index["fields"]
    vectors = [field for field in fields if "vectorConfig" in field]
    assert vectors in ([], fields[-1:]), "the vector stands last"
    vector = [(each["fieldPath"], each["vectorConfig"]["dimension"]) for each in vectors]
    plain = [(field["fieldPath"], field["order"]) for field in fields if field not in vectors]
    # An index says of no field whether it is for an equality.
    equal = frozenset(name for name, _ in plain if name not in LAST)
    order = tuple((name, way) for name, way in plain if name in LAST)
    assert [way for _, way in plain[: len(equal)]] == [UP] * len(equal)
    return Composite(
        index["collectionGroup"], index["queryScope"], equal, order, vector[0] if vector else None
    )
