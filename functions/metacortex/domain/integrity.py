"""Digests over a canonical form, so that any program in any language can check them.

The form is RFC 8785 (JSON Canonicalization Scheme): UTF-8, no white space, keys sorted by UTF-16
code units, numbers as ECMAScript prints them.
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from hashlib import sha256
from json.encoder import encode_basestring
from math import isfinite

from metacortex.domain.json import JSON

_LITERALS = {None: "null", True: "true", False: "false"}
_EXACT = 2**53
"""Integers beyond this are not the same number to every JSON reader."""


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
    if isinstance(value, int | float):
        return _number(value)
    if isinstance(value, Mapping):
        members = [f"{encode_basestring(name)}:{canonical(value[name])}" for name in _sorted(value)]
        return "{" + ",".join(members) + "}"
    if isinstance(value, Sequence):
        return "[" + ",".join([canonical(inner) for inner in value]) + "]"
    raise ValueError(f"{type(value).__name__} is not JSON")


def _sorted(names: Iterable[str]) -> list[str]:
    """Return names by their UTF-16 code units, which of ASCII are the order of Python."""
    return sorted(names, key=None if "".join(names).isascii() else _utf_16)


def _utf_16(name: str) -> bytes:
    return name.encode("utf-16-be")


def _number(value: int | float) -> str:
    if isinstance(value, int):
        if abs(value) > _EXACT:
            raise ValueError("an integer beyond 2^53 has no canonical form")
        return str(value)
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
