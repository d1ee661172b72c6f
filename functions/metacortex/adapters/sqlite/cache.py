"""What of the file stays in memory: what was used last, of all tenants, within one budget."""

from collections import OrderedDict
from itertools import takewhile
from threading import Lock
from typing import Any, Generic, Protocol, TypeVar

from metacortex.domain.vector import EmbeddingSpace

Key = tuple[str, EmbeddingSpace | None]
"""A tenant, and the space that its vectors live in; None for what has none."""


class Held(Protocol):
    """What takes memory."""

    @property
    def nbytes(self) -> int: ...


H = TypeVar("H", bound=Held)


class Slot(Generic[H]):
    """The place of what is held. Whoever brings that up to date holds `lock`."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.held: H | None = None
        self.outgrown: int | None = None
        """In which generation of the tenant it was too large. It only grows until the next."""


class Cache:
    """What is held of all tenants, together within `budget` bytes. Threads share it."""

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self._lock = Lock()
        self._slots: OrderedDict[tuple[type[Held], Key], Slot[Any]] = OrderedDict()

    def slot(self, kind: type[H], key: Key) -> Slot[H]:
        """Return the slot of what is of this kind, which becomes the last to be given up."""
        with self._lock:
            slot: Slot[H] = self._slots.setdefault((kind, key), Slot())
            self._slots.move_to_end((kind, key))
            return slot

    def trim(self) -> None:
        """Give up what was not used for longest until the rest is within the budget."""
        with self._lock:
            sizes = {key: _size(slot) for key, slot in self._slots.items()}
            held = sum(sizes.values())
            for key, size in sizes.items():
                if held <= self.budget:
                    break
                if size:
                    del self._slots[key]
                    held -= size

    @property
    def held(self) -> int:
        """How many bytes are kept at present."""
        with self._lock:
            return sum(_size(slot) for slot in self._slots.values())

    def room_beside_used_since(self, kind: type[H], key: Key) -> int:
        """Return how many bytes of this could be kept beside all that was used since this was; if
        it was not yet, beside all.
        """
        with self._lock:
            later = takewhile(lambda place: place != (kind, key), reversed(self._slots))
            return self.budget - sum(_size(self._slots[place]) for place in later)


def _size(slot: Slot[Any]) -> int:
    return slot.held.nbytes if slot.held else 0
