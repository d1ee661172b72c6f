"""Which memories stay in memory: those of the tenants that searched last, within one budget."""

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING

from metacortex.domain.vector import EmbeddingSpace

if TYPE_CHECKING:
    from metacortex.adapters.sqlite.chunks import Corpus

Key = tuple[str, EmbeddingSpace]
"""A tenant, and a space that its vectors live in."""


class Slot:
    """The place of one corpus. Whoever brings the corpus up to date holds `lock`."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.corpus: Corpus | None = None
        self.outgrown: int | None = None
        """In which generation of the tenant it was too large. It only grows until the next."""


class CorpusCache:
    """The corpora of all tenants, together within `budget` bytes. Threads share it."""

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self._lock = Lock()
        self._slots: OrderedDict[Key, Slot] = OrderedDict()

    def slot(self, key: Key) -> Slot:
        """Return the slot of a key, which becomes the last to be given up."""
        with self._lock:
            slot = self._slots.setdefault(key, Slot())
            self._slots.move_to_end(key)
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


def _size(slot: Slot) -> int:
    return slot.corpus.nbytes if slot.corpus else 0
