"""Digests over a canonical form, so that any program in any language can check them.

The form is RFC 8785 (JSON Canonicalization Scheme): UTF-8, no white space, keys sorted by UTF-16
code units, numbers as ECMAScript prints them.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from hashlib import sha256
from json.encoder import encode_basestring
from math import isfinite

from metacortex.domain.json import JSON

_LITERALS = {None: "null", True: "true", False: "false"}
# The plain type first: to ask a value for an abstract one takes ten times as long.
_ARRAYS = (list, tuple)
_OBJECTS = (dict, Mapping)
_EXACT = 2**53
"""Integers beyond this are not the same number to every JSON reader."""
_LAYOUTS = 256
"""Of how many sets of names the order is remembered: what is hashed has a few dozen."""


def digest(value: JSON) -> str:
    """Return the SHA-256 of the canonical form, in lower-case hex."""
    return sha256(canonical(value).encode()).hexdigest()


def canonical(value: JSON) -> str:
    """Return the RFC 8785 form of `value`.

    Raises:
        ValueError: a number that JSON cannot say exactly.
    """
    if isinstance(value, str):
        return encode_basestring(value)
    if value is None or isinstance(value, bool):
        return _LITERALS[value]
    if isinstance(value, int):
        return _whole(value)
    if isinstance(value, float):
        return _real(value)
    if isinstance(value, _ARRAYS):
        return _array(value)
    if isinstance(value, _OBJECTS):
        return _object(value)
    if isinstance(value, Sequence):
        return _array(value)
    raise ValueError(f"{type(value).__name__} is not JSON")


def _array(values: Sequence[JSON]) -> str:
    return "[" + ",".join([canonical(inner) for inner in values]) + "]" if values else "[]"


def _object(value: Mapping[str, JSON]) -> str:
    if not value:
        return "{}"
    members = [text + canonical(value[name]) for name, text in _layout(tuple(value))]
    return "{" + ",".join(members) + "}"


@lru_cache(_LAYOUTS)
def _layout(names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return names by their UTF-16 code units, each with what is written before its value."""
    return tuple((name, f"{encode_basestring(name)}:") for name in sorted(names, key=_utf_16))


def _utf_16(name: str) -> bytes:
    return name.encode("utf-16-be")


def _whole(value: int) -> str:
    if abs(value) > _EXACT:
        raise ValueError("an integer beyond 2^53 has no canonical form")
    return str(value)


def _real(value: float) -> str:
    if not isfinite(value):
        raise ValueError("JSON has no infinities and no NaN")
    if value == 0:
        return "0"
    sign, figures, exponent = Decimal(repr(value)).normalize().as_tuple()
    text = _printed("".join(map(str, figures)), len(figures) + int(exponent))
    return "-" + text if sign else text


def _printed(digits: str, point: int) -> str:
    """Return the shortest digits that read back, with the point `point` places after their start,
    in the form that ECMAScript gives a number of this size.
    """
    if len(digits) <= point <= 21:
        return digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    mantissa = f"{digits[0]}.{digits[1:]}" if len(digits) > 1 else digits
    return f"{mantissa}e{point - 1:+d}"
