"""Lists of memories, newest first: where a page begins and ends, and the cursor between two."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from metacortex.domain.errors import InvalidInput
from metacortex.domain.json import JSON
from metacortex.domain.memory import Memory
from metacortex.domain.moment import Milliseconds
from metacortex.domain.sealed import Purpose
from metacortex.domain.search import NO_FILTERS, Filters, MemoryFilter, digest_of

DEFAULT_LISTED = 20
MOST_LISTED = 100
CURSOR = Purpose(
    tool="list_context", argument="cursor", lifetime=3_600_000, remedy="list again without it"
)


@dataclass(frozen=True, slots=True)
class Listing:
    """What a caller asks to list.

    Raises:
        InvalidInput: the limit is not from 1 to `MOST_LISTED`.
    """

    where: Filters = NO_FILTERS
    limit: int = DEFAULT_LISTED

    def __post_init__(self) -> None:
        if not 1 <= self.limit <= MOST_LISTED:
            raise InvalidInput(f"limit must be a whole number from 1 to {MOST_LISTED}")


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where a memory stands: a list goes down, from the last created and, of equals, the greatest
    id.
    """

    created_at: Milliseconds
    memory_id: str

    @classmethod
    def of(cls, memory: Memory) -> "Place":
        """Return where a memory stands. It never moves."""
        return cls(memory.created_at, memory.id)


@dataclass(frozen=True, slots=True)
class Page:
    """What a store lists at once, and after which place the next page begins: None where nothing
    follows.

    A page that is not the last may hold fewer than were asked for, even none, where a store would
    have had to go through too many that do not pass.
    """

    memories: tuple[Memory, ...]
    end: Place | None


def merged(pages: Sequence[Page], limit: int) -> Page:
    """Return the page that several lists have together, whose pages begin after the same place.

    A page that ends early hides what follows it, so nothing beyond the first end is certain. What
    has moved from one list to a later one while they were read stands in it once.
    """
    reached = max((page.end for page in pages if page.end is not None), default=None)
    memory_by_id = {memory.id: memory for page in pages for memory in page.memories}
    memories = sorted(memory_by_id.values(), key=Place.of, reverse=True)
    certain = [one for one in memories if reached is None or Place.of(one) >= reached]
    if len(certain) > limit:
        return Page(tuple(certain[:limit]), Place.of(certain[limit - 1]))
    return Page(tuple(certain), reached)


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far a list has come, and since when: all of its pages tell what held when it began."""

    began: Milliseconds
    after: Place | None = None
    filters: str | None = None
    """Digest of the filters of the pages before; None where there are none."""

    def moved(self, place: Place, wheres: Sequence[MemoryFilter]) -> "Cursor":
        """Return the cursor of the next page."""
        return Cursor(self.began, place, digest_of(wheres))

    def check(self, wheres: Sequence[MemoryFilter]) -> None:
        """Check that a page goes on with the filters of the pages before it.

        Raises:
            InvalidInput: it does not.
        """
        if self.filters not in (None, digest_of(wheres)):
            raise InvalidInput(
                "cursor belongs to a list with other filters; give the filters that it began with,"
                " or list again without it"
            )


def cursor_json(cursor: Cursor) -> Mapping[str, JSON]:
    """Return what is sealed of a cursor."""
    return asdict(cursor)


def read_cursor(sealed: Mapping[str, JSON]) -> Cursor:
    """Return the cursor of what was sealed.

    Raises:
        InvalidInput: another version of the program has sealed it.
    """
    match sealed:
        case {
            "began": int(began),
            "after": {"created_at": int(created_at), "memory_id": str(memory_id)},
            "filters": str(filters),
        }:
            return Cursor(began, Place(created_at, memory_id), filters)
    raise InvalidInput(f"cursor is of another version; {CURSOR.remedy}")
