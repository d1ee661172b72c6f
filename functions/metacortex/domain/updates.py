"""Updates: a question of how things are now is answered by the newest of what says the like.

What a newer memory has overtaken is often the better match: it states plainly what the newer one
tells as a change. So where the present is asked for, and only there, the newer of two that speak of
the same comes first, unless it is much less relevant. Nothing is left out.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from metacortex.domain.bundles.repetition import Words
from metacortex.domain.memory import Memory
from metacortex.domain.moment import Milliseconds
from metacortex.domain.search import Match
from metacortex.domain.words.folding import folded

ALIKE = 0.25
"""Two memories that share so much of their words may speak of the same."""
AS_RELEVANT = 0.7
"""A newer memory must be so relevant, measured by the older one, to come before it."""

_SPACED = """
now currently current nowadays presently latest still
jetzt derzeit aktuell aktuelle aktuellen aktueller aktuelles momentan inzwischen mittlerweile
maintenant actuellement désormais ahora actualmente agora atualmente adesso attualmente
сейчас теперь
अब अभी वर्तमान
الآن حاليا حاليًا
"""
_UNSPACED = "现在 目前 当前 如今 最新 現在 今は いま 今の 지금 현재 요즘"
_PRESENT = re.compile(
    rf"(?<!\w)(?:{'|'.join(map(folded, _SPACED.split()))})(?!\w)"
    f"|{'|'.join(map(folded, _UNSPACED.split()))}"
)


def asks_for_the_present(query: str) -> bool:
    """Whether a query says in one of its words that it is about now."""
    return _PRESENT.search(folded(query)) is not None


def newest_first(matches: Sequence[Match]) -> tuple[Match, ...]:
    """Return the matches, best first, with each before the first older one that says the like.

    The scores stay with the places of the list.
    """
    words = [Words(match.memory.text) for match in matches]
    order: list[int] = []

    def overtakes(newer: int, older: int) -> bool:
        return (
            _since(matches[newer].memory) > _since(matches[older].memory)
            and matches[newer].score >= AS_RELEVANT * matches[older].score
            and _are_alike(words[newer], words[older])
        )

    for place in range(len(matches)):
        ahead = (at for at, other in enumerate(order) if overtakes(place, other))
        order.insert(next(ahead, len(order)), place)
    return tuple(
        replace(matches[chosen], score=place.score)
        for chosen, place in zip(order, matches, strict=True)
    )


def _since(memory: Memory) -> Milliseconds:
    return memory.valid_from.at if memory.valid_from else memory.created_at


def _are_alike(one: Words, other: Words) -> bool:
    both = len(one.terms) + len(other.terms)
    return both > 0 and 2 * len(one.terms & other.terms) >= ALIKE * both
