"""consolidate_context: what is merged with what, and by whom."""

import pytest

from metacortex.domain.forgetting import Forgetting
from tests.endpoint import Endpoint, Json
from tests.world import MakeWorld, World, environment, profile

MERGED = "Both of them in one."


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({}, "Provide ids, or the topic whose drafts are to be merged"),
        ({"ids": ["a"]}, "ids must name 2 to 50 memories"),
        ({"ids": ["a", "a", " "]}, "ids must name 2 to 50 memories"),
        ({"ids": [f"m{n}" for n in range(51)]}, "ids must name 2 to 50 memories"),
        (
            {"topic": "pump", "content": "x"},
            "content needs ids: those of the memories that it was made from",
        ),
    ],
)
async def test_what_cannot_be_merged_is_told(
    admin: Endpoint, arguments: Json, sentence: str
) -> None:
    assert (await admin.consolidate(**arguments)).failure == ("invalid_input", sentence)


async def test_what_was_replaced_by_a_forgotten_memory_is_merged_anew(
    world: World, admin: Endpoint
) -> None:
    ids = [(await admin.save(text))["id"] for text in ("One.", "Two.")]
    first = (await admin.consolidate(ids=ids, content=MERGED)).success["item"]
    how = Forgetting(b"key", "cli", world.clock.at)
    await world.store.forget("default", [first["id"]], how)
    assert (await admin.consolidate(ids=ids)).success["write_status"] == "preview"
    again = (await admin.consolidate(ids=ids, content=MERGED)).success
    assert again["write_status"] == "created"
    assert (await admin.item(ids[0]))["metadata"]["superseded_by"] == again["item"]["id"]


async def test_several_topics_need_a_name_for_the_merged_one(admin: Endpoint) -> None:
    ids = [(await admin.save(text, topic=text))["id"] for text in ("One.", "Two.")]
    assert (await admin.consolidate(ids=ids, content=MERGED)).failure == (
        "invalid_input",
        "The memories have several topics; name that of the merged one in topic",
    )


async def test_several_namespaces_are_never_merged(world: World) -> None:
    everywhere = world.endpoint("default-all")
    ids = [
        (await world.endpoint(writer).save("The same.", topic="pump", draft=True))["id"]
        for writer in ("team", "team-secret")
    ]
    told = ("invalid_input", "The memories are in several namespaces; merge those of one at a time")
    assert (await everywhere.consolidate(ids=ids, content=MERGED)).failure == told
    assert (await everywhere.consolidate(topic="pump")).failure == told


async def test_a_queue_is_that_of_the_own_namespace(world: World) -> None:
    for writer in ("team", "team", "docs", "team-secret"):
        count = await world.store.count("default")
        await world.endpoint(writer).save(f"Draft {count}.", topic="pump", draft=True)
        world.clock.at += 1
    shown = (await world.endpoint("team").consolidate(topic="pump")).success
    assert [source["content"] for source in shown["sources"]] == ["Draft 0.", "Draft 1."]
    merged = await world.endpoint("team").consolidate(ids=shown["source_ids"], content=MERGED)
    assert merged.success["item"]["metadata"]["namespace"] == "team"


async def test_what_is_only_read_is_not_merged(world: World) -> None:
    theirs = await world.endpoint("docs").save("Theirs.")
    own = await world.endpoint("team").save("Own.")
    sentence = "namespace 'docs/public' is read-only for this client"
    given = {"ids": [own["id"], theirs["id"]], "content": MERGED}
    assert (await world.endpoint("team").consolidate(**given)).failure == ("forbidden", sentence)


async def test_a_profile_merges_what_it_may_see_into_what_it_may_write(
    make_world: MakeWorld,
) -> None:
    world = make_world(
        environment(
            [
                profile("all", mayReplace=False),
                profile("active-only", allowedFilterStates=["active"]),
                profile("drafting", allowedWriteStates=["wip"]),
            ]
        )
    )
    drafts = [
        (await world.endpoint("all").save(text, draft=True))["id"] for text in ("One.", "Two.")
    ]
    wip, active = [f"branch_state '{s}' is not allowed for this client" for s in ("wip", "active")]
    for arguments in ({"ids": drafts}, {"topic": "general"}):
        assert (await world.endpoint("active-only").consolidate(**arguments)).failure == (
            "forbidden",
            wip,
        )
        assert (await world.endpoint("drafting").consolidate(**arguments)).failure == (
            "forbidden",
            active,
        )
    given = {"ids": drafts, "content": MERGED}
    written = await world.endpoint("drafting").consolidate(**given, branch_state="wip")
    assert written.success["item"]["metadata"]["branch_state"] == "wip"
