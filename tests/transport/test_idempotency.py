"""When two writes are one."""

import asyncio
from typing import Any

import pytest

from tests.endpoint import Endpoint
from tests.fakes import FakeDescriber, FakeEmbedder, Vectors
from tests.world import World

KILN = "The kiln reaches 1240 degrees."


@pytest.mark.rule("C95", "C99")
@pytest.mark.case("K10")
async def test_repeating_a_write_returns_the_stored_memory_and_asks_no_model(
    admin: Endpoint, embedder: FakeEmbedder
) -> None:
    first = await admin.remember(KILN, topic="kilns", artifact_refs=["gs://b/a"])
    again = [
        await admin.remember(f"  {KILN}\n", topic=" kilns ", draft=False, artifact_refs="gs://b/a"),
        await admin.remember(KILN, topic="kilns", artifact_refs=["gs://b/a", " gs://b/a"]),
    ]
    assert first["write_status"] == "created"
    assert again == [{"item": first["item"], "write_status": "duplicate"}] * 2
    assert embedder.calls == 1
    assert await admin.found(KILN) == [first["item"]["id"]]


@pytest.mark.rule("C99", "C75")
async def test_an_equal_image_is_described_once(world: World, admin: Endpoint) -> None:
    arguments = {"image_base64": "QUJD", "image_mime_type": "image/png"}
    first = await admin.remember("", **arguments)
    respelled = {"image_base64": "data:image/png;base64,QU JD", "image_mime_type": "IMAGE/PNG"}
    again = await admin.remember("", **respelled)
    assert (first["write_status"], again["write_status"]) == ("created", "duplicate")
    assert first["item"] == again["item"]
    assert isinstance(world.describer, FakeDescriber)
    assert len(world.describer.asked) == 1


@pytest.mark.rule("C95")
async def test_the_window_counts_from_the_first_write_and_includes_its_end(world: World) -> None:
    admin, window = world.endpoint(), world.settings.idempotency_window
    first = await admin.remember(KILN)
    statuses = []
    for later in (window - 1, 1, 1):
        world.clock.at += later
        statuses.append(await admin.remember(KILN))
    assert [body["write_status"] for body in statuses] == ["duplicate", "duplicate", "created"]
    assert statuses[1]["item"] == first["item"]
    assert statuses[2]["item"]["id"] != first["item"]["id"]
    # The new memory has taken the fingerprint over, with a window of its own.
    world.clock.at += window
    assert (await admin.remember(KILN)) == {
        "item": statuses[2]["item"],
        "write_status": "duplicate",
    }


@pytest.mark.rule("C95")
async def test_a_duplicate_is_shown_as_it_is_now(world: World, admin: Endpoint) -> None:
    first = await admin.save(KILN, branch_state="deprecated")
    replacement = await admin.save("The kiln reaches 1300 degrees.")
    world.clock.at += 5_000
    await admin.deprecate(first["id"], replacement["id"])
    again = await admin.remember(KILN, branch_state="deprecated")
    assert again["write_status"] == "duplicate"
    assert again["item"] == await admin.item(first["id"])
    assert again["item"]["metadata"]["superseded_by"] == replacement["id"]


@pytest.mark.rule("C96")
@pytest.mark.case("K12")
async def test_saving_again_what_was_deprecated_makes_a_new_memory(admin: Endpoint) -> None:
    first, other = await admin.save(KILN), await admin.save("Replaces it.")
    await admin.deprecate(first["id"], other["id"])
    assert (await admin.item(first["id"]))["metadata"]["branch_state"] == "deprecated"
    second = await admin.remember(KILN)
    assert second["write_status"] == "created"
    assert second["item"]["id"] != first["id"]
    assert second["item"]["metadata"]["branch_state"] == "active"
    assert (await admin.remember(KILN)) == {**second, "write_status": "duplicate"}


@pytest.mark.rule("C97")
async def test_a_write_that_differs_in_any_part_is_another_memory(admin: Endpoint) -> None:
    image = {"image_base64": "QUJD", "image_mime_type": "image/png"}
    writes: list[dict[str, Any]] = [
        {"content": KILN},
        {"content": KILN, "topic": "kilns"},
        {"content": KILN, "topic": "Kilns"},
        {"content": KILN, "draft": True},
        {"content": KILN.upper()},
        {"content": KILN.replace(" ", "  ")},
        {"content": KILN, "artifact_refs": ["a"]},
        {"content": KILN, "artifact_refs": ["a", "b"]},
        {"content": KILN, "artifact_refs": ["b", "a"]},
        {"content": KILN, **image},
        {"content": KILN, **image, "image_mime_type": "image/gif"},
        {"content": KILN, **image, "image_base64": "QUJE"},
    ]
    made = [(await admin.tool("remember_context", write)).success for write in writes]
    again = [(await admin.tool("remember_context", write)).success for write in writes]
    assert {body["write_status"] for body in made} == {"created"}
    assert len({body["item"]["id"] for body in made}) == len(writes)
    assert again == [{"item": body["item"], "write_status": "duplicate"} for body in made]


@pytest.mark.rule("C97", "C112", "C116")
async def test_clients_of_one_tenant_share_and_tenants_do_not(world: World) -> None:
    bodies = {
        client_id: await world.endpoint(client_id).remember(KILN)
        for client_id in ("chatgpt-web", "claude-web", "default", "acme-web", "acme-all", "team")
    }
    statuses = {client_id: body["write_status"] for client_id, body in bodies.items()}
    assert statuses == {
        "chatgpt-web": "created",
        "claude-web": "duplicate",
        "default": "duplicate",
        "acme-web": "created",
        "acme-all": "duplicate",
        "team": "created",
    }
    assert bodies["claude-web"]["item"] == bodies["chatgpt-web"]["item"]
    assert bodies["acme-all"]["item"] == bodies["acme-web"]["item"]


@pytest.mark.rule("C98", "C99")
@pytest.mark.case("K13")
async def test_equal_writes_at_once_make_one_memory_with_one_call_of_the_model(
    admin: Endpoint, embedder: FakeEmbedder
) -> None:
    embedder.gate = asyncio.Event()
    writes = [asyncio.ensure_future(admin.remember(KILN)) for _ in range(20)]
    while not embedder.passages:
        await asyncio.sleep(0)
    embedder.gate.set()
    bodies = await asyncio.gather(*writes)
    assert sorted(body["write_status"] for body in bodies) == ["created"] + ["duplicate"] * 19
    assert len({body["item"]["id"] for body in bodies}) == 1
    assert embedder.calls == 1


@pytest.mark.rule("C98", "C99")
async def test_when_the_first_of_equal_writes_fails_the_next_one_writes(
    admin: Endpoint, embedder: FakeEmbedder
) -> None:
    faults = [RuntimeError("a fault")]

    def fail_once(vectors: Vectors) -> Vectors:
        if faults:
            raise faults.pop()
        return vectors

    embedder.spoil, embedder.gate = fail_once, asyncio.Event()
    first = asyncio.ensure_future(admin.tool("remember_context", {"content": KILN}))
    while not embedder.passages:
        await asyncio.sleep(0)
    second = asyncio.ensure_future(admin.remember(KILN))
    embedder.gate.set()
    assert (await first).message["error"]["code"] == -32603
    assert (await second)["write_status"] == "created"


@pytest.mark.rule("C76")
@pytest.mark.case("K14")
async def test_different_writes_at_once_all_stay(admin: Endpoint) -> None:
    items = await asyncio.gather(
        *(admin.save(f"Parallel note {number} about the kiln.") for number in range(20))
    )
    assert len({item["id"] for item in items}) == 20
    found = await admin.found("parallel note about the kiln", limit=20)
    assert sorted(found) == sorted(item["id"] for item in items)


@pytest.mark.rule("C97", "C95")
@pytest.mark.case("K11")
async def test_similar_texts_are_kept_apart(admin: Endpoint) -> None:
    texts = [
        "The grant report is due on 3 March.",
        "The grant report is due on 4 March.",
        "We picked Kafka over RabbitMQ because replay is simple.",
        "We picked Terraform over Pulumi because review is simple.",
    ]
    bodies = [await admin.remember(text) for text in texts]
    assert {body["write_status"] for body in bodies} == {"created"}
    fetched = [(await admin.item(body["item"]["id"]))["content"] for body in bodies]
    assert fetched == texts
