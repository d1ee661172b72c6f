"""search_context with explain."""

import pytest

from tests.endpoint import Endpoint
from tests.fakes import START
from tests.world import World

DAY = 86_400_000


async def test_a_match_says_why_it_stands_there(world: World, admin: Endpoint) -> None:
    await admin.save("Where does the ferry leave?", session_id="s", importance=1)
    world.clock.at = START + 30 * DAY
    await admin.save("The pump of the ferry is new.", session_id="s")
    await admin.save("Flour is in the cellar.")
    question, pump = await admin.search("pump ferry", explain=True, limit=2)
    assert "Flour" not in question["summary"] + pump["summary"]
    if question["summary"].startswith("The pump"):
        question, pump = pump, question
    why, other = question["explanation"], pump["explanation"]
    assert why["words"]["terms"] == ["ferri"] or why["words"]["terms"] == ["ferry"]
    assert len(other["words"]["terms"]) == 2
    assert 0 < why["words"]["share"] < other["words"]["share"] <= 1
    assert why["neighbours"] > 0
    assert (why["importance"], why["recency"]) == (0.02, 0.015)
    assert (other["importance"], other["recency"]) == (0.0, 0.03)
    for match in (question, pump):
        made = match["explanation"]
        assert match["score"] == pytest.approx(made["relevance"] + made["neighbours"], abs=2e-6)
        assert 0 < made["meaning"]["nearness"] <= made["meaning"]["cosine"]


@pytest.mark.parametrize(("mode", "told"), [("words", "words"), ("meaning", "meaning")])
async def test_a_leg_that_was_not_asked_is_left_out(admin: Endpoint, mode: str, told: str) -> None:
    await admin.save("The pump is new.")
    (match,) = await admin.search("pump", explain=True, mode=mode)
    legs = match["explanation"].keys() - {"relevance", "neighbours", "importance", "recency"}
    assert legs == {told}


async def test_nothing_is_explained_unless_it_is_asked_for(world: World, admin: Endpoint) -> None:
    await admin.save("The pump is new.")
    (plain,) = await admin.search("pump")
    (unwanted,) = await admin.search("pump", explain=False)
    (explained,) = await admin.search("pump", explain=True)
    assert plain == unwanted
    assert explained.pop("explanation")
    assert explained == plain
