"""Vectors in the messages of Firestore. They are filled in by hand: the library makes an object of
every number, which takes more than twenty times as long.
"""

from typing import TYPE_CHECKING, Any

from google.cloud.firestore_v1.async_vector_query import AsyncVectorQuery
from google.cloud.firestore_v1.base_vector_query import DistanceMeasure
from google.cloud.firestore_v1.types import StructuredQuery
from google.cloud.firestore_v1.vector import Vector as StoredVector

from metacortex.adapters.firestore.layout import VECTOR_FIELD
from metacortex.domain.vector import Vector

if TYPE_CHECKING:
    from google.cloud.firestore_v1.async_batch import AsyncWriteBatch
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


def _fill(value: Any, vector: Vector) -> None:
    value.map_value.fields["__type__"].string_value = "__vector__"
    values = value.map_value.fields["value"].array_value.values
    for number in vector:
        values.add().double_value = number
