"""Indexes, TTL policies and exemptions as shapes that can be compared.

They are read from the Firebase CLI's file, which says what is wanted, and from the answers of
gcloud, which say what is there.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

Document: TypeAlias = Mapping[str, Any]
NAME_FIELD = "__name__"
"""Google adds it to every index by itself."""
COLLECTION = "COLLECTION"
DEFAULT_KINDS = frozenset((kind, COLLECTION) for kind in ("ASCENDING", "DESCENDING", "CONTAINS"))
"""What every field has that no exemption names."""


@dataclass(frozen=True, slots=True, order=True)
class IndexField:
    """A field of an index: ASCENDING, DESCENDING or CONTAINS, or the dimension of its vectors."""

    path: str
    kind: str | int

    def __str__(self) -> str:
        return f"{self.path} {self.kind if isinstance(self.kind, str) else f'({self.kind})'}"


@dataclass(frozen=True, slots=True)
class Index:
    """A composite or vector index."""

    collection: str
    scope: str
    fields: tuple[IndexField, ...]

    def __str__(self) -> str:
        return f"{self.collection} [{', '.join(map(str, self.fields))}]"


@dataclass(frozen=True, slots=True, order=True)
class Field:
    """A field of a collection, which may be one that expires documents or is not indexed."""

    collection: str
    path: str

    def __str__(self) -> str:
        return f"{self.collection}.{self.path}"


@dataclass(frozen=True, slots=True)
class Wanted:
    """All that the queries need; `kinds_by_field` holds each exemption with the kinds it leaves."""

    indexes: tuple[Index, ...]
    expiring: tuple[Field, ...]
    kinds_by_field: Mapping[Field, frozenset[tuple[str, str]]]


def wanted(document: Document) -> Wanted:
    """Read the content of firestore.indexes.json."""
    overrides = [(_overridden(override), override) for override in document["fieldOverrides"]]
    return Wanted(
        indexes=tuple(
            Index(index["collectionGroup"], index["queryScope"], _fields(index["fields"]))
            for index in document["indexes"]
        ),
        expiring=tuple(field for field, override in overrides if override.get("ttl")),
        kinds_by_field={
            field: frozenset(_kinds(override["indexes"]))
            for field, override in overrides
            if "indexes" in override
        },
    )


def deployed_indexes(answer: Sequence[Document]) -> dict[Index, str]:
    """Return the state of each index that `gcloud firestore indexes composite list` tells."""
    return {
        Index(
            _segment(index["name"], "collectionGroups"),
            index.get("queryScope", COLLECTION),
            _fields(index.get("fields", ())),
        ): index.get("state", "STATE_UNSPECIFIED")
        for index in answer
    }


def deployed_expiring(answer: Sequence[Document]) -> dict[Field, str]:
    """Return the state of each policy that `gcloud firestore fields ttls list` tells."""
    return {
        _named(field["name"]): field.get("ttlConfig", {}).get("state", "STATE_UNSPECIFIED")
        for field in answer
    }


def deployed_kinds(answer: Sequence[Document]) -> dict[Field, frozenset[tuple[str, str]]]:
    """Return what each exemption leaves that `gcloud firestore indexes fields list` tells."""
    return {_named(field["name"]): frozenset(_kinds(_singles(field))) for field in answer}


def deployed_building(answer: Sequence[Document]) -> frozenset[Field]:
    """Return the fields whose own indexes, of the same list, are not all ready."""
    return frozenset(
        _named(field["name"])
        for field in answer
        if any(index.get("state", "READY") != "READY" for index in _own_indexes(field))
    )


def _own_indexes(field: Document) -> Sequence[Document]:
    return tuple(field.get("indexConfig", {}).get("indexes", ()))


def _singles(field: Document) -> Iterator[Document]:
    for index in _own_indexes(field):
        for single in index.get("fields", ()):
            yield {**single, "queryScope": index.get("queryScope", COLLECTION)}


def _fields(fields: Iterable[Document]) -> tuple[IndexField, ...]:
    return tuple(
        IndexField(field["fieldPath"], _kind(field))
        for field in fields
        if field["fieldPath"] != NAME_FIELD
    )


def _kind(field: Document) -> str | int:
    if "vectorConfig" in field:
        return int(field["vectorConfig"]["dimension"])
    return str(field.get("order") or field.get("arrayConfig"))


def _kinds(indexes: Iterable[Document]) -> Iterator[tuple[str, str]]:
    for index in indexes:
        yield str(_kind(index)), index.get("queryScope", COLLECTION)


def _overridden(override: Document) -> Field:
    return Field(override["collectionGroup"], override["fieldPath"])


def _named(name: str) -> Field:
    return Field(_segment(name, "collectionGroups"), _segment(name, "fields"))


def _segment(name: str, after: str) -> str:
    return name.split(f"/{after}/", 1)[1].split("/", 1)[0]
