"""What search_context says where nothing is found."""

from typing import Any

import pytest

from metacortex.domain.question import Found
from metacortex.transport.wire import hint
from tests.endpoint import Endpoint


async def hint_of(endpoint: Endpoint, **filters: Any) -> str:
    """Return the hint of a search."""
    found = (await endpoint.tool("search_context", {"query": "relay", **filters})).success
    return str(found["hint"])


@pytest.mark.rule("C77", "C77a", "C78")
@pytest.mark.parametrize(
    ("texts", "hint"),
    [
        (
            [],
            "Nothing that holds at this moment is stored under these filters; leave some out, or"
            " try another state or moment",
        ),
        (
            ["The relay is in rack C."],
            "Nothing came near; the best score was 0.00, and 0 memories stayed below the floor; ask"
            " in other words",
        ),
    ],
)
async def test_nothing_found_is_a_success_that_says_so(
    client: Endpoint, texts: list[str], hint: str
) -> None:
    for text in texts:
        await client.save(text)
    found = (await client.tool("search_context", {"query": "anything"})).success
    assert found == {
        "matches": [],
        "applied_filters": {"filter_topic": None, "filter_state": "active"},
        "hint": hint,
    }


async def test_the_hint_says_whether_a_moment_was_asked_for(admin: Endpoint) -> None:
    now = await hint_of(admin)
    whenever = await hint_of(admin, filter_state="deprecated")
    assert now.startswith("Nothing that holds at this moment is stored under these filters;")
    assert whenever.startswith("Nothing is stored under these filters;")


@pytest.mark.parametrize(("best", "told"), [(0.998277, "0.99"), (0.29, "0.29"), (0.3, "0.30")])
def test_the_best_score_that_is_told_stays_below_the_floor(best: float, told: str) -> None:
    assert hint(Found((), best, below=1), None) == (
        f"Nothing came near; the best score was {told}, and 1 memory stayed below the floor; ask in"
        " other words"
    )
