"""How common the words of a tenant are among what passes a filter: counted by Firestore, and kept
for ten minutes.

What this process writes is counted anew at once; what others write may lag behind so long. That
changes what a word weighs by little, and never what is found: terms that nothing held are looked
for all the same.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from metacortex.adapters.firestore.layout import Pushed
from metacortex.adapters.firestore.together import both, together

if TYPE_CHECKING:
    from metacortex.adapters.firestore.parts import Part
    from metacortex.adapters.firestore.queries import Leg

KEPT_SECONDS = 600.0
MOST_PARTS = 200
MOST_TERMS = 500
"""How many filters are kept, and of each how many terms."""
ALWAYS_COUNTED = 1_000
"""Up to here terms are counted to the last. In more memories, one that half of them hold weighs
next to nothing, and counting ends there.
"""

Key = tuple[str, Pushed]


@dataclass(frozen=True, slots=True)
class Figures:
    """Of what passes a filter: how many memories there are, how many terms each has on average, and
    how many hold each of the terms that were asked for.
    """

    memories: int
    average_length: float
    frequencies: Mapping[bytes, int]


@dataclass(slots=True)
class _Kept:
    until: float
    size: tuple[int, int] | None = None
    frequencies: dict[bytes, int] = field(default_factory=dict)


class Statistics:
    """What has been counted in one database, of all tenants, each by itself."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: OrderedDict[Key, _Kept] = OrderedDict()

    async def rows(self, parts: "Sequence[Part]", windows: "Sequence[Leg]", most: int) -> int:
        """Return how many records these parts hold, and windows these queries, of which each is
        counted up to one more than `most`.
        """
        counted, further = await both(
            together(self._sized(part) for part in parts),
            together(self._counted_windows(leg, most + 1) for leg in windows),
        )
        return sum(kept.size[0] for kept in counted if kept.size) + sum(further)

    async def of(self, parts: "Sequence[Part]", keys: Sequence[bytes]) -> Figures:
        """Return the figures of these parts together."""
        counted = await together(self._counted(part, keys) for part in parts)
        sizes = [kept.size or (0, 0) for kept in counted]
        frequencies = {key: sum(kept.frequencies.get(key, 0) for kept in counted) for key in keys}
        # What is counted at different moments need not agree.
        memories = max([sum(size for size, _ in sizes), *frequencies.values()])
        length = sum(length for _, length in sizes)
        return Figures(memories, length / memories if length else 1.0, frequencies)

    def forget(self, tenant: str) -> None:
        """Count anew what a tenant holds from now on."""
        for key in [key for key in self._kept if key[0] == tenant]:
            del self._kept[key]

    async def _sized(self, part: "Part") -> _Kept:
        kept = self._entry((part.tenant.name, part.pushed))
        if kept.size is None:
            kept.size = await part.size()
        return kept

    async def _counted_windows(self, leg: "Leg", most: int) -> int:
        kept = self._entry((leg.tenant.name, (("", "windows"), *leg.pushed)))
        if kept.size is None:
            kept.size = (await leg.count(most), 0)
        return kept.size[0]

    async def _counted(self, part: "Part", keys: Sequence[bytes]) -> _Kept:
        kept = await self._sized(part)
        most = max(ALWAYS_COUNTED, (kept.size or (0, 0))[0] // 2)
        missing = [key for key in keys if key not in kept.frequencies]
        frequencies = await together(part.frequency(key, most) for key in missing)
        if len(kept.frequencies) > MOST_TERMS:
            kept.frequencies = {key: kept.frequencies[key] for key in keys if key not in missing}
        kept.frequencies.update(zip(missing, frequencies, strict=True))
        return kept

    def _entry(self, key: Key) -> _Kept:
        kept = self._kept.get(key)
        if kept is None or kept.until <= self._clock():
            # What is counted into an entry that is forgotten meanwhile is not kept.
            kept = self._kept[key] = _Kept(self._clock() + KEPT_SECONDS)
        self._kept.move_to_end(key)
        while len(self._kept) > MOST_PARTS:
            self._kept.popitem(last=False)
        return kept
