"""promote_context."""

import asyncio

import pytest

from metacortex.domain.lifecycle import BranchState
from tests.endpoint import Endpoint
from tests.world import MakeWorld, World, environment, profile

NOT_FOUND = ("not_found", "Document not found")


@pytest.mark.parametrize(
    ("given", "state"), [({}, "active"), ({"branch_state": "merged"}, "merged")]
)
async def test_a_promoted_draft_is_found_in_its_new_state(
    world: World, given: dict[str, str], state: str
) -> None:
    admin = world.endpoint()
    draft = await admin.save("Move the session store to Redis.", draft=True, tags=["idea"])
    world.clock.at += 1_500
    assert (await admin.promote(draft["id"], **given)).success == {
        "item": {"id": draft["id"], "branch_state": state},
        "previous_state": "wip",
    }
    now = {
        **draft["metadata"],
        "branch_state": state,
        "updated_at": "2026-03-01T12:00:01.500Z",
    }
    assert await admin.item(draft["id"]) == {**draft, "metadata": now}
    assert await admin.found("session store", filter_state=state) == [draft["id"]]
    assert await admin.found("session store", filter_state="wip") == []


async def test_the_exact_repeat_changes_nothing(world: World) -> None:
    admin = world.endpoint()
    draft = await admin.save("A draft.", draft=True)
    await admin.promote(draft["id"])
    before = await admin.item(draft["id"])
    world.clock.at += 60_000
    assert (await admin.promote(draft["id"])).success["previous_state"] == "active"
    assert await admin.item(draft["id"]) == before
    assert len(await world.store.changes("default", draft["id"])) == 2


async def test_only_a_draft_can_be_promoted(admin: Endpoint) -> None:
    old, new = [await admin.save(text, draft=True) for text in ("Old.", "New.")]
    await admin.deprecate(old["id"], new["id"])
    sentence = "Document is in state 'deprecated'; only one in state 'wip' can be promoted"
    assert (await admin.promote(old["id"])).failure == ("conflict", sentence)
    await admin.promote(new["id"])
    sentence = "Document is in state 'active'; only one in state 'wip' can be promoted"
    failure = (await admin.promote(new["id"], branch_state="merged")).failure
    assert failure == ("conflict", sentence)


@pytest.mark.parametrize("state", ["wip", "deprecated", "canonical"])
async def test_no_other_state_can_be_named(admin: Endpoint, state: str) -> None:
    draft = await admin.save("A draft.", draft=True)
    sentence = "branch_state must be one of active, merged"
    failure = (await admin.promote(draft["id"], branch_state=state)).failure
    assert failure == ("invalid_input", sentence)
    assert await admin.item(draft["id"]) == draft


async def test_the_profile_must_be_allowed_to_write_what_it_promotes_to(
    make_world: MakeWorld,
) -> None:
    world = make_world(environment([profile("writer", allowedWriteStates=["wip", "active"])]))
    writer = world.endpoint("writer")
    draft = await writer.save("A draft.", draft=True)
    sentence = "branch_state 'merged' is not allowed for this client"
    for memory_id in (draft["id"], "unknown"):
        failure = (await writer.promote(memory_id, branch_state="merged")).failure
        assert failure == ("forbidden", sentence)
    assert (await writer.promote(draft["id"])).success["previous_state"] == "wip"


async def test_a_namespace_that_is_only_read_cannot_be_promoted_in(world: World) -> None:
    docs, team = world.endpoint("docs"), world.endpoint("team")
    theirs = await docs.save("Of the docs.", draft=True)
    sentence = "namespace 'docs/public' is read-only for this client"
    assert (await team.promote(theirs["id"])).failure == ("forbidden", sentence)
    assert await docs.item(theirs["id"]) == theirs


async def test_a_browser_client_has_no_such_tool(client: Endpoint) -> None:
    assert (await client.promote("x")).refusal == "Unknown tool 'promote_context'"


async def test_its_event_tells_the_states_and_not_the_text(world: World) -> None:
    admin = world.endpoint()
    draft = await admin.save("A draft.", topic="x", draft=True)
    await admin.promote(draft["id"])
    await admin.promote("x" * 200, branch_state="none")
    done, failed = (await world.events())[1:]
    assert done["request"] == {"document_id": draft["id"], "branch_state": "active"}
    assert done["response"] == {
        "document_id": draft["id"],
        "topic": "x",
        "branch_state": "active",
        "modality": "text",
        "artifact_ref_count": 0,
        "previous_state": "wip",
    }
    assert failed["request"] == {"document_id": "x" * 128}


async def test_a_draft_that_goes_while_it_is_promoted_is_not_found(world: World) -> None:
    admin = world.endpoint()
    draft = await admin.save("A draft.", draft=True)

    principal, memories = world.principal(), world.services.memories
    results = await asyncio.gather(
        memories.promote(principal, draft["id"], BranchState.ACTIVE),
        # What one connection is asked for it does in order: this falls after the draft has been
        # looked up and before it is changed.
        world.store.reset("default"),
        return_exceptions=True,
    )
    assert str(results[0]) == "Document not found"
