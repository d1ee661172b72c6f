"""Digests over a canonical form, so that any program in any language can check them.

The form is RFC 8785 (JSON Canonicalization Scheme): UTF-8, no white space, keys sorted by UTF-16
code units, numbers as ECMAScript prints them.
"""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from math import isfinite

from metacortex.domain.json import JSON

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
    if value is None or isinstance(value, bool | str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, int | float):
        return _number(value)
    if isinstance(value, Mapping):
        members = sorted(value.items(), key=lambda member: member[0].encode("utf-16-be"))
        return (
            "{" + ",".join(f"{canonical(name)}:{canonical(inner)}" for name, inner in members) + "}"
        )
    if isinstance(value, Sequence):
        return "[" + ",".join(canonical(inner) for inner in value) + "]"
    raise ValueError(f"{type(value).__name__} is not JSON")


def _number(value: int | float) -> str:
    if isinstance(value, int):
        if abs(value) > _EXACT:
            raise ValueError("an integer beyond 2^53 has no canonical form")
        return str(value)
    if not isfinite(value):
        raise ValueError("JSON has no infinities and no NaN")
    if value == int(value) and abs(value) < 1e21:
        return str(int(value))
    # Both languages print the shortest digits that read back; they differ in where the exponent
    # begins and in its form.
    mantissa, _, exponent = repr(value).partition("e")
    if 1e-6 <= abs(value) < 1e-4:
        digits = mantissa.replace(".", "").lstrip("-")
        return ("-" if value < 0 else "") + "0." + "0" * (-int(exponent) - 1) + digits
    return f"{mantissa}e{int(exponent):+d}" if exponent else mantissa
