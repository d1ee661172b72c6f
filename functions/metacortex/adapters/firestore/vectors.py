"""Vectors in the messages of Firestore. They are filled in and read by hand: the library makes an
object of every number, which takes many times as long.
"""

from array import array
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from google.cloud.firestore_v1._helpers import decode_dict
from google.cloud.firestore_v1.async_vector_query import AsyncVectorQuery
from google.cloud.firestore_v1.base_vector_query import DistanceMeasure
from google.cloud.firestore_v1.types import StructuredQuery
from google.cloud.firestore_v1.vector import Vector as StoredVector

from metacortex.adapters.firestore.layout import VECTOR_FIELD
from metacortex.domain.vector import Vector

if TYPE_CHECKING:
    from google.cloud.firestore_v1.async_batch import AsyncWriteBatch
    from google.cloud.firestore_v1.async_client import AsyncClient
    from google.cloud.firestore_v1.async_document import AsyncDocumentReference
    from google.cloud.firestore_v1.async_query import AsyncQuery


class NearestQuery(AsyncVectorQuery):
    """The documents that pass a query and whose vectors are nearest to one by their cosine, with
    their distance in a field of this name.
    """

    def __init__(self, passing: "AsyncQuery", vector: Vector, limit: int, distance: str) -> None:
        super().__init__(passing)
        self._vector = vector
        self.find_nearest(
            VECTOR_FIELD,
            StoredVector(()),
            limit=limit,
            distance_measure=DistanceMeasure.COSINE,
            distance_result_field=distance,
        )

    def _to_protobuf(self) -> StructuredQuery:
        query = super()._to_protobuf()
        _fill(StructuredQuery.pb(query).find_nearest.query_vector, self._vector)
        return query


def add_vector(batch: "AsyncWriteBatch", vector: Vector) -> None:
    """Give the document that a batch wrote last its vector."""
    last = batch._write_pbs[-1]
    _fill(type(last).pb(last).update.fields[VECTOR_FIELD], vector)


async def read_records(query: "AsyncQuery") -> list[tuple[str, dict[str, Any]]]:
    """Return the documents that a query finds, by their ids in order, with their vectors."""
    client = query._client
    request, _, options = query._prep_stream(retry=None)
    answers = await client._firestore_api.run_query(
        request=request, metadata=client._rpc_metadata, **options
    )
    found = [type(answer).pb(answer).document async for answer in answers]
    return _documents(found, client)


async def read_named(
    client: "AsyncClient", places: "list[AsyncDocumentReference]", fields: tuple[str, ...]
) -> list[tuple[str, dict[str, Any]]]:
    """Return those of these documents that are there, by their ids, with their vectors."""
    if not places:
        return []
    request, _, options = client._prep_get_all(places, fields, retry=None)
    answers = await client._firestore_api.batch_get_documents(
        request=request, metadata=client._rpc_metadata, **options
    )
    found = [type(answer).pb(answer).found async for answer in answers]
    return _documents(found, client)


def _documents(found: Iterable[Any], client: "AsyncClient") -> list[tuple[str, dict[str, Any]]]:
    return [
        (document.name.rpartition("/")[2], _read(document.fields, client))
        for document in found
        if document.name
    ]


def _read(fields: Mapping[str, Any], client: Any) -> dict[str, Any]:
    others = {name: value for name, value in fields.items() if name != VECTOR_FIELD}
    # Its types tell of every value that there is.
    read: Any = decode_dict(others, client)
    if VECTOR_FIELD in fields:
        numbers = fields[VECTOR_FIELD].map_value.fields["value"].array_value.values
        read[VECTOR_FIELD] = array("d", [number.double_value for number in numbers])
    return dict(read)


def _fill(value: Any, vector: Vector) -> None:
    value.map_value.fields["__type__"].string_value = "__vector__"
    values = value.map_value.fields["value"].array_value.values
    for number in vector:
        values.add().double_value = number
