"""What is asked of what is known: of an entity, of the graph, of a moment."""

from dataclasses import dataclass
from enum import StrEnum

from metacortex.domain.client import check_namespace
from metacortex.domain.dates.period import Period
from metacortex.domain.errors import InvalidInput
from metacortex.domain.knowledge.graph import Direction
from metacortex.domain.text import check_unicode

MOST_HOPS_OF_ENTITY = 3
DEFAULT_HOPS_OF_ENTITY = 2
MOST_HOPS = 6
MOST_SHOWN = 200
DEFAULT_SHOWN = 50


class Mode(StrEnum):
    """What of the graph is asked for."""

    NEIGHBOURS = "neighbours"
    """The entities near by, and the facts that lead there."""
    PATH = "path"
    """The fewest facts from one entity to another."""
    RELATED = "related"
    """The entities within reach, and how far each is."""


MODE_NAMES = tuple(mode.value for mode in Mode)
DEFAULT_HOPS = {Mode.NEIGHBOURS: 1, Mode.PATH: MOST_HOPS, Mode.RELATED: 2}


@dataclass(frozen=True, slots=True)
class AskedEntity:
    """What is asked of an entity, which is called by its name or its id."""

    entity: str
    max_hops: int = DEFAULT_HOPS_OF_ENTITY
    as_of: Period | None = None
    include_superseded: bool = False
    namespace: str | None = None

    def __post_init__(self) -> None:
        check_unicode("entity", self.entity)
        check_namespace(self.namespace)


@dataclass(frozen=True, slots=True)
class Traversal:
    """Where in the graph to go.

    Raises:
        InvalidInput: a path has no end, or something else has one.
    """

    entity: str
    mode: Mode = Mode.NEIGHBOURS
    to: str | None = None
    max_hops: int | None = None
    direction: Direction = Direction.BOTH
    predicates: tuple[str, ...] = ()
    """Only facts with these; none given: all."""
    as_of: Period | None = None
    limit: int = DEFAULT_SHOWN
    namespace: str | None = None

    def __post_init__(self) -> None:
        check_unicode("entity", self.entity)
        check_unicode("to", self.to or "")
        check_namespace(self.namespace)
        if self.mode is Mode.PATH and self.to is None:
            raise InvalidInput("A path needs an end; give to with mode path")
        if self.mode is not Mode.PATH and self.to is not None:
            raise InvalidInput("to is the end of a path; give mode path with it, or leave it out")

    @property
    def hops(self) -> int:
        """How many facts are followed in a row at most."""
        return DEFAULT_HOPS[self.mode] if self.max_hops is None else self.max_hops


@dataclass(frozen=True, slots=True)
class TimeTravel:
    """Which moment is asked for, now if none is, as it was known at which, and with which it is
    compared.
    """

    as_of: Period | None = None
    known_at: Period | None = None
    compare_to: Period | None = None
    entity: str | None = None
    namespace: str | None = None

    def __post_init__(self) -> None:
        check_unicode("entity", self.entity or "")
        check_namespace(self.namespace)
