"""The indexes that the queries need, the fields that need none and those by which documents expire,
in the form of the Firebase CLI's firestore.indexes.json.

Google says (Standard edition index overview, "Use index merging") that for several equalities and
one order Firestore merges the indexes of each equality with that order. So events, which any of
their fields may filter, have one index for each field and none for their combinations; so have
memories, in whose sessions a search looks both ways. Nothing of the kind is said of vectors, sums
and ranges: each combination that is asked for has an index of its own. Queries of equalities alone
merge the indexes that every field has by itself, and a list that contains a value is an equality
("Perform simple and compound queries": "multiple equality operators (== or array-contains)").
"""

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import TypeAlias

from metacortex.adapters.firestore.events import FILTERED_FIELDS, ORDER
from metacortex.adapters.firestore.layout import (
    ABOUT_FIELD,
    ALWAYS_PUSHED,
    CHANGES,
    COUNTS_FIELD,
    END_FIELD,
    ENTITIES,
    EVENTS,
    FINGERPRINTS,
    KIND_FIELD,
    LAST_USES_FIELD,
    LENGTH_FIELD,
    MENTIONS_FIELD,
    NAME_KEYS_FIELD,
    ORDER_FIELD,
    SESSION_FIELD,
    SOMETIMES_PUSHED,
    SOURCES_FIELD,
    SPACE_FIELD,
    STATE_FIELD,
    TERM_SPACE_FIELD,
    TERMS_FIELD,
    TIMELINE_FIELD,
    USE,
    USES_FIELD,
    VECTOR_FIELD,
    WINDOWS,
)
from metacortex.domain.json import JSON

Part: TypeAlias = "dict[str, JSON]"

IN_ONE = "COLLECTION"
IN_ALL = "COLLECTION_GROUP"
UP = "ASCENDING"
DOWN = "DESCENDING"

UNINDEXED: Mapping[str, tuple[str, ...]] = {
    WINDOWS: (VECTOR_FIELD,),
    ENTITIES: (VECTOR_FIELD,),
    CHANGES: ("before", "after"),
    EVENTS: ("request", "response", "error"),
    USE: (USES_FIELD, LAST_USES_FIELD),
}
"""Long texts, lists, maps and vectors: no query goes by them, and each would fill indexes."""
UNINDEXED_OF_MEMORIES = (
    *("content", "retrieval_text", "retrieval_rest", "packed", COUNTS_FIELD),
    *("tags", "artifact_refs", "recalled_from"),
    *("details", "token_count", VECTOR_FIELD),
)


def index_file(memory_collection: str, dimension: int) -> Part:
    """Return the content of the file for memories in a collection of this name, with vectors of
    this dimension.
    """
    return {
        "indexes": [
            *_of_vectors(memory_collection, dimension),
            *_of_names(dimension),
            *_of_lengths(memory_collection),
            *_of_sessions(memory_collection),
            *_of_facts(memory_collection),
            *_of_events(),
        ],
        "fieldOverrides": [*_of_single_fields(memory_collection)],
    }


def _of_vectors(memory_collection: str, dimension: int) -> Iterator[Part]:
    for collection in (memory_collection, WINDOWS):
        for more in _sometimes_pushed():
            equal = [_field(name, UP) for name in (*ALWAYS_PUSHED, *more)]
            yield _index(collection, *equal, _vector(dimension))


def _of_names(dimension: int) -> Iterator[Part]:
    for more in ((), ("namespace",)):
        equal = [_field(name, UP) for name in (SPACE_FIELD, *more)]
        yield _index(ENTITIES, *equal, _vector(dimension))


def _of_lengths(memory_collection: str) -> Iterator[Part]:
    for more in _sometimes_pushed():
        equal = [_field(name, UP) for name in (STATE_FIELD, *more)]
        yield _index(memory_collection, *equal, _field(LENGTH_FIELD, UP))


def _of_sessions(memory_collection: str) -> Iterator[Part]:
    for way in (UP, DOWN):
        for name in (SESSION_FIELD, STATE_FIELD, *SOMETIMES_PUSHED):
            yield _index(memory_collection, _field(name, UP), _field(ORDER_FIELD, way))


def _of_facts(memory_collection: str) -> Iterator[Part]:
    yield _index(memory_collection, _field(KIND_FIELD, UP), _field(ORDER_FIELD, DOWN))
    yield _index(memory_collection, _field(TIMELINE_FIELD, UP), _field(END_FIELD, DOWN))


def _sometimes_pushed() -> Iterator[tuple[str, ...]]:
    for count in range(len(SOMETIMES_PUSHED) + 1):
        yield from combinations(SOMETIMES_PUSHED, count)


def _of_events() -> Iterator[Part]:
    newest_first = [_field(name, DOWN) for name in ORDER]
    yield _index(EVENTS, *newest_first)
    for name in FILTERED_FIELDS:
        yield _index(EVENTS, _field(name, UP), *newest_first)


def _of_single_fields(memory_collection: str) -> Iterator[Part]:
    yield _override(memory_collection, SPACE_FIELD, IN_ONE, IN_ALL)
    yield _override(ENTITIES, SPACE_FIELD, IN_ALL)
    yield {**_override(EVENTS, "expires_at", IN_ALL), "ttl": True}
    yield {**_override(FINGERPRINTS, "expires_at"), "ttl": True}
    yield _override(FINGERPRINTS, "first_written_at", IN_ALL)
    yield _override(memory_collection, TERM_SPACE_FIELD, IN_ONE, IN_ALL)
    for collection, name in (
        (memory_collection, TERMS_FIELD),
        (memory_collection, ABOUT_FIELD),
        (memory_collection, SOURCES_FIELD),
        (memory_collection, MENTIONS_FIELD),
        (ENTITIES, NAME_KEYS_FIELD),
    ):
        contains: JSON = {"arrayConfig": "CONTAINS", "queryScope": IN_ONE}
        yield {**_override(collection, name), "indexes": [contains]}
    for collection, names in {memory_collection: UNINDEXED_OF_MEMORIES, **UNINDEXED}.items():
        for name in names:
            yield _override(collection, name)


def _index(collection: str, *fields: Part) -> Part:
    return {"collectionGroup": collection, "queryScope": IN_ONE, "fields": [*fields]}


def _field(name: str, order: str) -> Part:
    return {"fieldPath": name, "order": order}


def _vector(dimension: int) -> Part:
    return {"fieldPath": VECTOR_FIELD, "vectorConfig": {"dimension": dimension, "flat": {}}}


def _override(collection: str, name: str, *scopes: str) -> Part:
    """Return that a field has just these indexes by itself, each ascending, in place of those that
    every field has.
    """
    indexes: list[JSON] = [{"order": UP, "queryScope": scope} for scope in scopes]
    return {"collectionGroup": collection, "fieldPath": name, "indexes": indexes}
