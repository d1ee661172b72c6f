"""remember_context names what a write resembles, and does nothing about it."""

from typing import Any

import pytest

from metacortex.domain.calibration import PROBES
from metacortex.domain.errors import Unavailable
from metacortex.service.embedding import TextEmbedding
from metacortex.service.resemblances import PATIENCE, Resemblances
from tests.endpoint import Endpoint
from tests.fakes import FakeEmbedder, Vectors
from tests.samples import a_memory
from tests.world import World

THIRD, FOURTH = "The grant report is due on 3 March.", "The grant report is due on 4 March."


async def test_a_write_that_resembles_another_names_it_and_what_differs(admin: Endpoint) -> None:
    first = await admin.remember(THIRD)
    second = await admin.remember(FOURTH)
    assert "similar" not in first
    (named,) = second["similar"]
    assert named == {"id": first["item"]["id"], "score": named["score"], "differs": ["date"]}
    assert 0.8 < named["score"] < 0.9


@pytest.mark.case("K11")
async def test_what_resembles_is_stored_all_the_same(admin: Endpoint) -> None:
    texts = (
        THIRD,
        FOURTH,
        "We picked Kafka over RabbitMQ because replay is simple.",
        "We picked Terraform over Pulumi because review is simple.",
    )
    bodies = [await admin.remember(text) for text in texts]
    assert [body["write_status"] for body in bodies] == ["created"] * 4
    ids = [body["item"]["id"] for body in bodies]
    assert len({*ids}) == 4
    assert [(await admin.item(id_))["content"] for id_ in ids] == [*texts]


async def test_at_most_three_are_named_the_most_alike_first(admin: Endpoint) -> None:
    saved = [await admin.save(f"The grant report is due on {day} March.") for day in range(1, 6)]
    same = await admin.save(FOURTH.upper())
    named = (await admin.remember(f"{FOURTH}!"))["similar"]
    assert len(named) == 3
    assert {each["id"] for each in named[:2]} == {saved[3]["id"], same["id"]}
    assert [each["differs"] for each in named] == [["nothing"], ["nothing"], ["date"]]


async def test_the_same_text_written_again_later_says_so(world: World) -> None:
    admin = world.endpoint()
    first = await admin.save(THIRD)
    world.clock.at += world.settings.idempotency_window + 1
    again = await admin.remember(THIRD)
    assert again["write_status"] == "created"
    assert again["similar"] == [{"id": first["id"], "score": 1.0, "differs": ["nothing"]}]


async def test_a_duplicate_names_nothing(admin: Endpoint) -> None:
    await admin.remember(THIRD)
    await admin.remember(FOURTH)
    again = await admin.remember(FOURTH)
    assert again["write_status"] == "duplicate"
    assert "similar" not in again


async def test_what_is_deprecated_or_past_is_not_named(world: World) -> None:
    admin = world.endpoint()
    first, other = await admin.save(THIRD), await admin.save("Something else.")
    await admin.deprecate(first["id"], other["id"])
    await admin.save(THIRD.upper(), valid_until="2026-03-02")
    world.clock.at += 3 * 86_400_000
    assert "similar" not in await admin.remember(FOURTH)


@pytest.mark.case("K49", "K51")
@pytest.mark.parametrize(
    ("writer", "sees"),
    [
        ("default", ["active", "team-secret", "wip"]),
        ("chatgpt-web", ["active"]),
        ("drafts", ["wip"]),
        ("team", []),
        ("team-secret", ["team-secret"]),
        ("acme-all", ["acme"]),
    ],
)
async def test_only_what_the_writer_may_see_is_named(
    world: World, writer: str, sees: list[str]
) -> None:
    writes: dict[str, tuple[str, dict[str, Any]]] = {
        "active": ("default", {}),
        "wip": ("default", {"draft": True}),
        "team-secret": ("team-secret", {}),
        "acme": ("acme-web", {}),
    }
    ids = {
        (await world.endpoint(client).save(THIRD, **arguments))["id"]: name
        for name, (client, arguments) in writes.items()
    }
    body = await world.endpoint(writer).remember(FOURTH)
    assert sorted(ids[each["id"]] for each in body.get("similar", [])) == sees


async def test_the_event_counts_them_and_tells_no_text(world: World) -> None:
    admin = world.endpoint()
    await admin.remember(THIRD)
    await admin.remember(FOURTH)
    alone, beside = await world.events()
    assert "similar_count" not in alone["response"]
    assert beside["response"]["similar_count"] == 1


async def test_a_model_that_fails_where_texts_are_compared_fails_no_write(
    world: World, embedder: FakeEmbedder, caplog: pytest.LogCaptureFixture
) -> None:
    admin = world.endpoint()
    await admin.remember(THIRD)

    def spoil(vectors: Vectors) -> Vectors:
        if len(vectors) == len(PROBES):
            raise Unavailable("The embedding model did not answer; try again")
        return vectors

    embedder.spoil = spoil
    body = await admin.remember(FOURTH)
    assert body["write_status"] == "created"
    assert "similar" not in body
    assert "What a memory resembles was not told: The embedding model did not answer" in caplog.text


async def test_what_takes_too_long_is_not_waited_for(world: World, embedder: FakeEmbedder) -> None:
    await world.endpoint().save(THIRD)
    embedding, memory = TextEmbedding(embedder), a_memory(content=FOURTH)
    vectors = await embedding.of_memory(memory)
    counts = {}
    for patience in (0.0, PATIENCE):
        resemblances = Resemblances(world.store, embedding, patience)
        async with resemblances.sought(world.principal(), memory, vectors) as sought:
            counts[patience] = len(await sought)
    assert counts == {0.0: 0, PATIENCE: 1}
