"""A context bundle: what was asked to be compiled, what went into it, and what was left out."""

from dataclasses import dataclass
from enum import StrEnum

from metacortex.domain.errors import InvalidInput
from metacortex.domain.memory import Memory
from metacortex.domain.moment import Milliseconds
from metacortex.domain.search import NO_FILTERS, Filters
from metacortex.domain.text import check_unicode

DEFAULT_MAX_TOKENS = 1_200
TOKENS = (100, 32_000)
"""The least and the most that `max_tokens` may be."""
CHARACTERS = (200, 100_000)
"""The least and the most that `max_chars` may be."""
CHARACTER_COUNTER = "characters"


class Format(StrEnum):
    """How a bundle is written."""

    MARKDOWN = "markdown"
    NUMBERED = "numbered"
    COMPACT = "compact"
    JSON = "json"


FORMAT_NAMES = tuple(form.value for form in Format)


@dataclass(frozen=True, slots=True)
class Compile:
    """What a caller asks to compile. Without a budget, `DEFAULT_MAX_TOKENS` hold.

    Raises:
        InvalidInput: the query is blank, both budgets are given, or one is out of its bounds.
    """

    query: str
    max_tokens: int | None = None
    max_chars: int | None = None
    where: Filters = NO_FILTERS
    include_superseded: bool = False
    form: Format = Format.MARKDOWN

    def __post_init__(self) -> None:
        if not self.query.strip():
            raise InvalidInput("query must not be empty")
        check_unicode("query", self.query)
        if self.max_tokens is not None and self.max_chars is not None:
            raise InvalidInput("Provide either max_tokens or max_chars, not both")
        for name, most, (lowest, highest) in (
            ("max_tokens", self.max_tokens, TOKENS),
            ("max_chars", self.max_chars, CHARACTERS),
        ):
            if most is not None and not lowest <= most <= highest:
                raise InvalidInput(f"{name} must be a whole number from {lowest} to {highest}")


@dataclass(frozen=True, slots=True)
class Budget:
    """How much the whole answer may measure, by which counter: a tokenizer's name, or
    `CHARACTER_COUNTER`.
    """

    most: int
    counter: str


@dataclass(frozen=True, slots=True)
class Item:
    """A memory in a bundle: its content, or where `cut` one passage of it."""

    memory: Memory
    text: str
    cut: bool = False


@dataclass(frozen=True, slots=True)
class LeftOut:
    """How many of the memories that were found are not in the bundle, by the reason."""

    over_budget: int = 0
    repeated: int = 0
    """Their text stands whole in another item."""
    recalled: int = 0
    """They are copies of another item, which this memory itself had returned."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """What is answered: items, most relevant first, under a budget that all of it was measured
    against.
    """

    form: Format
    budget: Budget
    items: tuple[Item, ...] = ()
    left_out: LeftOut = LeftOut()
    omitted: tuple[str, ...] = ()
    """Ids of the most relevant memories that are not, or not wholly, in it for want of room."""
    incomplete: bool = False
    degraded: tuple[str, ...] = ()
    used: int = 0
    as_of: Milliseconds | None = None
    """The moment that it tells of, where one was asked for."""
