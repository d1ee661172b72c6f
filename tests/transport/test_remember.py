"""remember_context: what is kept, and what is refused."""

import json
from typing import Any

import pytest

from metacortex.domain.errors import Unavailable
from tests.endpoint import Endpoint
from tests.fakes import FakeDescriber, FakeEmbedder
from tests.world import STATES, World

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
IMAGE = {"image_base64": PNG, "image_mime_type": "image/png"}


@pytest.mark.rule("C72", "C73", "C74", "C75", "C100")
async def test_a_write_answers_the_item_with_all_its_metadata(admin: Endpoint) -> None:
    body = await admin.remember(" We use Ktor. ", topic="networking", artifact_refs=["gs://b/a"])
    identity = body["item"]["id"]
    assert body == {
        "item": {
            "id": identity,
            "content": "We use Ktor.",
            "metadata": {
                "topic": "networking",
                "branch_state": "active",
                "modality": "text",
                "artifact_refs": ["gs://b/a"],
                "created_at": "2026-03-01T12:00:00.000Z",
                "updated_at": "2026-03-01T12:00:00.000Z",
            },
        },
        "write_status": "created",
    }
    assert identity.replace("-", "").replace("_", "").isalnum()
    assert 1 <= len(identity) <= 128


@pytest.mark.rule("C100")
async def test_milliseconds_are_cut_and_a_time_never_changes(world: World) -> None:
    world.clock.at += 999
    item = await world.endpoint().save("Clock check.")
    assert item["metadata"]["created_at"] == "2026-03-01T12:00:00.999Z"
    world.clock.at += 86_400_000
    assert await world.endpoint().item(item["id"]) == item


@pytest.mark.rule("C57", "C72")
@pytest.mark.parametrize("extra", [{}, {"topic": "   "}, {"topic": None}])
async def test_no_topic_is_general(admin: Endpoint, extra: dict[str, Any]) -> None:
    assert (await admin.save("No topic.", **extra))["metadata"]["topic"] == "general"


@pytest.mark.rule("C72", "C77")
async def test_a_topic_keeps_its_case(admin: Endpoint) -> None:
    item = await admin.save("Case is kept.", topic=" MixedCase/✓ ")
    assert item["metadata"]["topic"] == "MixedCase/✓"


@pytest.mark.rule("C72", "C56")
@pytest.mark.case("K01")
@pytest.mark.parametrize(
    ("draft", "state"),
    [(True, "wip"), (False, "active"), ("true", "wip"), ("FALSE", "active"), (None, "active")],
)
async def test_a_draft_is_wip(admin: Endpoint, draft: object, state: str) -> None:
    item = await admin.save("A draft, or not.", draft=draft)
    assert item["metadata"]["branch_state"] == state


@pytest.mark.rule("C72", "C111")
@pytest.mark.parametrize("state", STATES)
async def test_the_admin_writes_every_state(admin: Endpoint, state: str) -> None:
    item = await admin.save("In any state.", branch_state=f" {state} ")
    assert item["metadata"]["branch_state"] == state


@pytest.mark.rule("C63")
@pytest.mark.parametrize(
    ("draft", "state"), [(True, "wip"), (False, "active"), (False, "wip"), ("false", "active")]
)
async def test_draft_and_branch_state_exclude_each_other(
    admin: Endpoint, draft: object, state: str
) -> None:
    arguments = {"content": "Both.", "draft": draft, "branch_state": state}
    outcome = await admin.tool("remember_context", arguments)
    assert outcome.failure == ("invalid_input", "Provide either draft or branch_state, not both")


@pytest.mark.rule("C64", "C101")
@pytest.mark.case("K09")
@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"content": ""},
        {"content": " \n\t "},
        {"content": None},
        {"content": 42},
        {"topic": "x"},
        {"content": "ok", "branch_state": "invented"},
        {"artifact_refs": ["gs://b/a"]},
    ],
)
async def test_nothing_is_not_a_memory(
    world: World, embedder: FakeEmbedder, arguments: dict[str, Any]
) -> None:
    code, sentence = (await world.endpoint().tool("remember_context", arguments)).failure
    assert code == "invalid_input"
    if "branch_state" not in arguments and arguments.get("content") != 42:
        assert sentence == "Either content or image_base64 must be provided"
    assert embedder.calls == 0
    assert await world.store.count("default") == 0
    assert [event["status"] for event in await world.events()] == ["error"]


@pytest.mark.rule("C72", "C100")
async def test_references_are_trimmed_and_their_repeats_dropped(admin: Endpoint) -> None:
    refs = [" gs://b/2 ", "gs://b/1", "", "   ", "gs://b/2", "https://example.com/ä b"]
    item = await admin.save("With references.", artifact_refs=refs)
    assert item["metadata"]["artifact_refs"] == ["gs://b/2", "gs://b/1", "https://example.com/ä b"]
    empty = await admin.save("Without.", artifact_refs=["", " "])
    assert "artifact_refs" not in empty["metadata"]


@pytest.mark.rule("C56", "C95")
@pytest.mark.case("K01")
async def test_a_list_may_come_as_a_string(admin: Endpoint) -> None:
    written = [
        await admin.remember("Relay 7 is in rack C.", artifact_refs=refs)
        for refs in ("gs://bkt/a.png", '["gs://bkt/a.png"]', ["gs://bkt/a.png"])
    ]
    assert [body["write_status"] for body in written] == ["created", "duplicate", "duplicate"]
    assert written[0]["item"] == written[1]["item"] == written[2]["item"]
    assert written[0]["item"]["metadata"]["artifact_refs"] == ["gs://bkt/a.png"]


@pytest.mark.rule("C57")
async def test_null_is_the_same_as_absent(admin: Endpoint) -> None:
    optional = [
        "topic",
        "draft",
        "branch_state",
        "image_base64",
        "image_mime_type",
        "artifact_refs",
    ]
    item = await admin.save("Nulls.", **dict.fromkeys(optional))
    assert await admin.save("Nulls.") == item
    await admin.search("nulls", filter_topic=None, filter_state=None, limit=None)


@pytest.mark.rule("C70", "C112")
async def test_what_has_ended_is_kept_as_deprecated_by_who_may_write_that(
    world: World, admin: Endpoint, embedder: FakeEmbedder
) -> None:
    ended = {"content": "The relay was on loan.", "valid_until": "2026-02"}
    outcome = await world.endpoint("chatgpt-web").tool("remember_context", ended)
    assert outcome.failure == (
        "forbidden",
        "What has ended already is kept as deprecated, which is not allowed for this client; "
        "leave valid_until out and say in the text until when it was true",
    )
    assert embedder.calls == 0
    kept = (await admin.tool("remember_context", ended)).success["item"]
    assert kept["metadata"]["branch_state"] == "deprecated"
    await world.endpoint("chatgpt-web").save("The relay is on loan.", valid_until="2026-03")


@pytest.mark.rule("C70", "C112")
@pytest.mark.parametrize(
    ("client_id", "state"),
    [("chatgpt-web", "merged"), ("chatgpt-web", "deprecated"), ("reader", "active")],
)
async def test_a_profile_writes_only_its_states(
    world: World, embedder: FakeEmbedder, client_id: str, state: str
) -> None:
    outcome = await world.endpoint(client_id).tool(
        "remember_context", {"content": "Not allowed.", "branch_state": state}
    )
    sentence = f"branch_state '{state}' is not allowed for this client"
    assert outcome.failure == ("forbidden", sentence)
    assert embedder.calls == 0


@pytest.mark.rule("C74", "C75")
@pytest.mark.parametrize("content", ["", "Our plan."])
async def test_an_image_is_described_found_and_dropped(
    world: World, admin: Endpoint, content: str
) -> None:
    outcome = await admin.tool("remember_context", {"content": content, "topic": "plans", **IMAGE})
    item = outcome.success["item"]
    seen = FakeDescriber().seen
    assert item["content"] == (content or seen)
    assert item["metadata"]["modality"] == ("mixed" if content else "image")
    assert await admin.found("whiteboard arrow") == [item["id"]]
    assert isinstance(world.describer, FakeDescriber)
    ((image, topic, context),) = world.describer.asked
    assert (image.mime_type, topic, context) == ("image/png", "plans", content)
    assert PNG not in json.dumps(item)


@pytest.mark.rule("C71")
async def test_a_describer_that_does_not_answer_is_unavailable(
    world: World, admin: Endpoint
) -> None:
    assert isinstance(world.describer, FakeDescriber)
    world.describer.fault = Unavailable("The image model did not answer; nothing was saved")
    outcome = await admin.tool("remember_context", IMAGE)
    assert outcome.failure[0] == "unavailable"
    assert await world.store.count("default") == 0


@pytest.mark.rule("C54", "C63", "C65", "C67", "C70")
async def test_the_first_fault_in_the_order_of_the_contract_answers(world: World) -> None:
    client = world.endpoint("chatgpt-web")
    faulty: dict[str, Any] = {
        "zz": 1,
        "content": 5,
        "draft": True,
        "branch_state": "merged",
        "image_base64": "QQ==",
        "image_mime_type": "image/none",
    }
    sentences = []
    for mended in ("zz", "content", "draft", "image_mime_type", "image_base64", None):
        sentences.append((await client.tool("remember_context", faulty)).failure[1])
        if mended is not None:
            del faulty[mended]
        if mended == "content":
            faulty["content"] = "x"
    assert sentences == [
        "Unknown argument 'zz'",
        "content must be a string",
        "Provide either draft or branch_state, not both",
        "image_mime_type 'image/none' is not supported; use image/png, image/jpeg, image/webp, "
        "image/gif, image/heic or image/heif",
        "image_mime_type is required when image_base64 is provided",
        "branch_state 'merged' is not allowed for this client",
    ]
