"""What goes into a context bundle whose budget holds hardly one memory."""

from collections.abc import Sequence

import pytest

from metacortex.domain.bundles.bundle import CHARACTER_COUNTER, CHARACTERS, Budget, Bundle, Format
from metacortex.domain.bundles.packing import pack
from metacortex.domain.search import Match
from tests.samples import a_memory


def characters(texts: Sequence[str]) -> Sequence[int]:
    return [len(text) for text in texts]


@pytest.mark.parametrize("form", list(Format))
def test_more_room_never_puts_something_less_in_the_place_of_the_best(form: Format) -> None:
    best = Match(a_memory("best", content="auth_service depends_on vault"), 1.0)
    less = Match(a_memory("less", content="order_service owner Ana"), 0.587)
    held = [
        {item.memory.id for item in pack([less, best], "auth", bundle, characters).items}
        for most in range(CHARACTERS[0], 800)
        for bundle in [Bundle(form, Budget(most, CHARACTER_COUNTER))]
    ]
    first = held.index({"best"})
    assert all("best" in each for each in held[first:])
    assert held[-1] == {"best", "less"}
