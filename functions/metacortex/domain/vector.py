"""Vectors, the space they live in, and what may be compared."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot, isfinite
from typing import TypeAlias

Vector: TypeAlias = "array[float]"
"""32-bit floats of unit length: `array("f", …)`, so that a store may keep its bytes and numpy may
read them in place.
"""


@dataclass(frozen=True, slots=True)
class EmbeddingSpace:
    """The model and dimension that a vector belongs to.

    Vectors of different spaces are never compared.
    """

    model: str
    dimension: int

    def __str__(self) -> str:
        return f"{self.model}/{self.dimension}"


class NotAVector(ValueError):
    """What a model answered is no vector of its space."""


def unit(numbers: Sequence[float], dimension: int) -> Vector:
    """Return `numbers` scaled to unit length.

    Raises:
        NotAVector: another dimension, a number that is not finite, or length zero.
    """
    if len(numbers) != dimension:
        raise NotAVector(f"{len(numbers)} numbers where {dimension} were expected")
    # Unlike a sum of squares, it neither overflows nor vanishes where the numbers do not.
    length = hypot(*numbers)
    if not isfinite(length) or length == 0.0:
        raise NotAVector("a vector without a direction")
    if abs(length - 1.0) < 1e-6 and isinstance(numbers, array) and numbers.typecode == "f":
        return numbers
    return array("f", [number / length for number in numbers])
