"""memory_stats: how much is remembered, as far as the caller may read it."""

import pytest

from metacortex.domain.vector import EmbeddingSpace
from tests.endpoint import Endpoint
from tests.fakes import BAG_OF_WORDS
from tests.samples import a_vector, an_embedding
from tests.world import World


async def test_the_numbers_are_those_of_what_was_saved(world: World, admin: Endpoint) -> None:
    await admin.save("The relay is in rack C.", topic="racks")
    await admin.save("The relay is in rack D.", topic="racks", kind="episode", draft=True)
    moved = await admin.save("The pump is new.", namespace="team")
    other = EmbeddingSpace("other", 3)
    await world.engine.store.replace_embedding(
        "default", moved["id"], an_embedding(a_vector(), space=other)
    )
    stats = (await admin.tool("memory_stats", {})).success
    spaces = stats.pop("embedding_spaces")
    assert sorted(spaces, key=lambda each: str(each["space"])) == [
        {"space": str(BAG_OF_WORDS), "memories": 2, "searched": True},
        {"space": "other/3", "memories": 1, "searched": False},
    ]
    assert stats == {
        "memories": 3,
        "kinds": {"note": 2, "episode": 1},
        "states": {"active": 2, "wip": 1},
        "namespaces": [
            {"namespace": "default", "memories": 2},
            {"namespace": "team", "memories": 1},
        ],
        "topics": [{"topic": "racks", "memories": 2}, {"topic": "general", "memories": 1}],
        "storage": {
            "text_bytes": 23 + 23 + 16,
            "vector_bytes": (2 * BAG_OF_WORDS.dimension + 3) * 4,
        },
        "unindexed": 0,
        "most_used": [],
    }
    (*_, event) = await world.events()
    assert (event["request"], event["response"]) == ({}, {"memory_count": 3})


@pytest.mark.rule("C87", "C116")
@pytest.mark.case("K49", "K51")
async def test_what_a_client_may_not_read_is_not_counted(world: World) -> None:
    for client_id in ("team", "team-secret", "team-upper", "acme-all"):
        endpoint = world.endpoint(client_id)
        item = await endpoint.save("Kept apart.", topic=f"topic of {client_id}")
        for _ in range(1 if client_id == "team" else 3):
            await endpoint.item(item["id"])
    await world.services.activity.aclose()
    team = (await world.endpoint("team").tool("memory_stats", {})).success
    assert team["memories"] == 1
    assert team["namespaces"] == [{"namespace": "team", "memories": 1}]
    assert team["topics"] == [{"topic": "topic of team", "memories": 1}]
    assert [(used["title"], used["access_count"]) for used in team["most_used"]] == [
        ("Kept apart.", 1)
    ]
    drafts = (await world.endpoint("drafts").tool("memory_stats", {})).success
    assert (drafts["memories"], drafts["storage"]["text_bytes"]) == (0, 0)
    assert drafts["most_used"] == []


async def test_what_came_back_most_often_is_told_with_its_title(
    world: World, admin: Endpoint
) -> None:
    first = await admin.save("The pump.\nIt is in rack C.")
    second = await admin.save("A launch.", kind="episode", title="Launch day")
    await admin.item(first["id"])
    world.clock.at += 30_000
    await admin.item(second["id"])
    await admin.item(second["id"])
    await world.services.activity.aclose()
    assert (await admin.tool("memory_stats", {})).success["most_used"] == [
        {
            "id": second["id"],
            "title": "Launch day",
            "access_count": 2,
            "last_accessed_at": "2026-03-01T12:00:30.000Z",
        },
        {
            "id": first["id"],
            "title": "The pump.",
            "access_count": 1,
            "last_accessed_at": "2026-03-01T12:00:00.000Z",
        },
    ]
