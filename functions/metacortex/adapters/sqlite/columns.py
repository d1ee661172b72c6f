"""Parallel arrays that grow at their end without disturbing who reads what was there before."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np
import numpy.typing as npt


class Columns(Protocol):
    """A frozen dataclass whose fields are arrays of one length."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


C = TypeVar("C", bound=Columns)


def columns_of(table: Columns) -> Iterator[npt.NDArray[Any]]:
    """Yield the arrays of a table, in the order of its fields."""
    return (getattr(table, field.name) for field in fields(table))


def length_of(table: Columns) -> int:
    """Return how many rows a table has."""
    return len(next(columns_of(table)))


def part(table: C, start: int, stop: int) -> C:
    """Return the rows from `start` up to `stop`, sharing their memory."""
    return type(table)(*(column[start:stop] for column in columns_of(table)))


@dataclass(frozen=True, slots=True)
class Growing(Generic[C]):
    """A table with room at its end, of which the first `size` rows are in use."""

    table: C
    size: int

    @property
    def used(self) -> C:
        """The rows in use."""
        return part(self.table, 0, self.size)

    @property
    def nbytes(self) -> int:
        """How much memory the arrays take, their room included."""
        return sum(column.nbytes for column in columns_of(self.table))

    def with_rows(self, arrived: C) -> "Growing[C]":
        """Return the table with more rows behind those in use.

        Rows beyond the size are seen by nobody, so where there is room they are written in place.
        """
        size = self.size + length_of(arrived)
        table = self.table
        if length_of(table) < size:
            table = type(table)(
                *(_with_room(column, self.size, size + size // 2) for column in columns_of(table))
            )
        for column, values in zip(columns_of(table), columns_of(arrived), strict=True):
            column[self.size : size] = values
        return Growing(table, size)


def growing(table: C) -> Growing[C]:
    """Return a table without room."""
    return Growing(table, length_of(table))


def _with_room(column: npt.NDArray[Any], size: int, capacity: int) -> npt.NDArray[Any]:
    roomy = np.empty((capacity, *column.shape[1:]), dtype=column.dtype)
    roomy[:size] = column[:size]
    return roomy
