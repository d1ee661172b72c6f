"""Arguments of tools as data: what they advertise, and how what came in is read (contract C54 to
C61).

Advertised are plain types. Read is more, because models send numbers, booleans and lists as
strings.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from metacortex.domain.client import Principal
from metacortex.domain.errors import InvalidInput
from metacortex.domain.json import JSON
from metacortex.domain.text import check_unicode, printable

Value: TypeAlias = str | int | float | bool | tuple[str, ...]

NAME_SHOWN = 80
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a tool. `type` is its JSON Schema type; an `array` holds strings."""

    name: str
    type: str
    description: str
    required: bool = False
    choices: tuple[str, ...] = ()
    """The only values, of a list the only members, compared exactly."""
    advertised: tuple[str, ...] = ()
    """Values that the schema lists and the tool itself checks."""
    minimum: int = 0
    maximum: int = 0
    words: Mapping[str, float] = field(default_factory=dict)
    """Words that stand for a number."""
    default: Callable[[Principal], str] | None = None
    """What its absence means for a principal, where the schema says so."""

    def schema(self, principal: Principal) -> dict[str, JSON]:
        """Return what `tools/list` says of it."""
        schema: dict[str, JSON] = {"type": self.type, "description": self.description}
        # What a list may hold is said of its members.
        valued = schema
        if self.type == "array":
            valued = schema["items"] = {"type": "string"}
        if values := self.choices or self.advertised:
            valued["enum"] = list(values)
        if self.type in ("integer", "number"):
            schema["minimum"], schema["maximum"] = self.minimum, self.maximum
        if self.words:
            number = {name: schema.pop(name) for name in ("type", "minimum", "maximum")}
            schema["anyOf"] = [number, {"type": "string", "enum": [*self.words]}]
        if self.default is not None:
            schema["default"] = self.default(principal)
        return schema


@dataclass(slots=True)
class Values:
    """The arguments that could be read, by name; one that is absent, null or blank is not among
    them.

    `fault` is the first thing wrong, in the order of contract C54.
    """

    by_name: dict[str, Value] = field(default_factory=dict)
    unread: set[str] = field(default_factory=set)
    """Arguments that were given and could not be read."""
    fault: InvalidInput | None = None

    def text(self, name: str) -> str | None:
        """Return a string argument."""
        value = self.by_name.get(name)
        return value if isinstance(value, str) else None

    def whole(self, name: str) -> int | None:
        """Return an integer argument."""
        value = self.by_name.get(name)
        return value if isinstance(value, int) else None

    def number(self, name: str) -> float | None:
        """Return a number argument."""
        value = self.by_name.get(name)
        return float(value) if isinstance(value, int | float) else None

    def flag(self, name: str) -> bool | None:
        """Return a boolean argument."""
        value = self.by_name.get(name)
        return value if isinstance(value, bool) else None

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list argument as it was given, each member trimmed."""
        value = self.by_name.get(name)
        return value if isinstance(value, tuple) else ()


def read_arguments(given: Mapping[str, object], arguments: Sequence[Argument]) -> Values:
    """Read what came in, as far as it can be read."""
    values = Values()
    faults: list[InvalidInput] = []
    known = {argument.name for argument in arguments}
    faults += [
        InvalidInput(f"Unknown argument '{printable(name, NAME_SHOWN)}'")
        for name in given
        if name not in known
    ]
    faults += [
        fault for argument in arguments if (fault := _missing(argument, given.get(argument.name)))
    ]
    for argument in arguments:
        raw = given.get(argument.name)
        if raw is None or (isinstance(raw, str) and not raw.strip()):
            continue
        try:
            values.by_name[argument.name] = _READERS[argument.type](argument, raw)
        except InvalidInput as fault:
            values.unread.add(argument.name)
            faults.append(fault)
    values.fault = faults[0] if faults else None
    return values


def _missing(argument: Argument, raw: object) -> InvalidInput | None:
    if not argument.required:
        return None
    if raw is None:
        return InvalidInput(f"{argument.name} is required")
    if isinstance(raw, str) and not raw.strip():
        return InvalidInput(f"{argument.name} must not be empty")
    return None


def _string(argument: Argument, raw: object) -> str:
    if not isinstance(raw, str):
        raise InvalidInput(f"{argument.name} must be a string")
    text = _unicode(argument, raw).strip()
    if argument.choices and text not in argument.choices:
        raise InvalidInput(f"{argument.name} must be one of {', '.join(argument.choices)}")
    return text


def _integer(argument: Argument, raw: object) -> int:
    number = raw
    if isinstance(raw, str):
        number = int(raw) if _WHOLE.fullmatch(raw.strip()) else None
    elif isinstance(raw, float) and raw.is_integer():
        number = int(raw)
    if (
        isinstance(number, int)
        and not isinstance(number, bool)
        and argument.minimum <= number <= argument.maximum
    ):
        return number
    raise InvalidInput(
        f"{argument.name} must be a whole number from {argument.minimum} to {argument.maximum}"
    )


def _number(argument: Argument, raw: object) -> float:
    number = raw
    if isinstance(raw, str):
        if (meant := argument.words.get(raw.strip().lower())) is not None:
            return meant
        number = float(raw) if _NUMBER.fullmatch(raw.strip()) else None
    if (
        isinstance(number, int | float)
        and not isinstance(number, bool)
        and argument.minimum <= number <= argument.maximum
    ):
        # Zero has no sign: -0.0 is 0.
        return float(number) + 0.0
    words = f", or {' or '.join(argument.words)}" if argument.words else ""
    raise InvalidInput(
        f"{argument.name} must be a number from {argument.minimum} to {argument.maximum}{words}"
    )


def _boolean(argument: Argument, raw: object) -> bool:
    if isinstance(raw, bool):
        return raw
    word = raw.strip().lower() if isinstance(raw, str) else ""
    if word not in ("true", "false"):
        raise InvalidInput(f"{argument.name} must be true or false")
    return word == "true"


def _array(argument: Argument, raw: object) -> tuple[str, ...]:
    members = _list_in(raw) if isinstance(raw, str) else raw
    if not isinstance(members, list) or not all(isinstance(member, str) for member in members):
        raise InvalidInput(f"{argument.name} must be a list of strings")
    texts = tuple(_unicode(argument, member).strip() for member in members)
    if argument.choices and not set(texts) <= set(argument.choices):
        raise InvalidInput(f"{argument.name} must be some of {', '.join(argument.choices)}")
    return texts


def _list_in(text: str) -> object:
    """Return the JSON list that a string holds, or the string as a list of one."""
    if text.lstrip().startswith("["):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return [text]
    return [text]


def _unicode(argument: Argument, text: str) -> str:
    check_unicode(argument.name, text)
    return text


_READERS: dict[str, Callable[[Argument, object], Value]] = {
    "string": _string,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "array": _array,
}
