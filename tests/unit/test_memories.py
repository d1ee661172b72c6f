"""The memory service, on real SQLite: what is stored, and what a failure leaves behind."""

import asyncio
import math
from collections.abc import Callable
from dataclasses import replace

import pytest

from metacortex.domain.calibration import PROBES
from metacortex.domain.client import Principal
from metacortex.domain.details import Kind
from metacortex.domain.errors import Conflict, Forbidden, Unavailable
from metacortex.domain.forgetting import Forgetting
from metacortex.domain.identity import immutable_digest
from metacortex.domain.lifecycle import BranchState, Change, ChangeKind, Standing
from metacortex.domain.memory import Author, Image, NewMemory, TokenCount
from metacortex.domain.search import Mode, Search
from metacortex.domain.vector import EmbeddingSpace
from tests.fakes import FakeDescriber, FakeEmbedder, Vectors
from tests.world import World

VALVE = NewMemory("Valve 12 sticks in frost.")


@pytest.fixture
def principal(world: World) -> Principal:
    return world.principal("chatgpt-web")


async def test_a_memory_is_stored_with_its_author_digest_and_change(
    world: World, principal: Principal
) -> None:
    remembered = await world.services.memories.remember(principal, VALVE)
    memory = await world.store.get("default", remembered.memory.id)
    assert memory == remembered.memory
    assert (memory.kind, memory.namespace) == (Kind.NOTE, "default")
    assert memory.written_by == Author("chatgpt-web")
    assert memory.created_at == memory.updated_at == memory.recorded_at == world.clock.at
    assert memory.sha256 == immutable_digest(replace(memory, sha256=""))
    assert len(memory.salt) == 32
    assert memory.token_count == TokenCount(8, "o200k_base")
    made = Change(
        ChangeKind.STATE,
        memory.id,
        None,
        Standing(BranchState.ACTIVE),
        world.clock.at,
        "chatgpt-web",
        memory.sha256,
    )
    assert await world.store.changes("default", memory.id) == (made,)


@pytest.mark.rule("C75")
async def test_text_and_description_of_an_image_are_both_embedded(
    world: World, principal: Principal, embedder: FakeEmbedder
) -> None:
    new = NewMemory("Our plan.", image=Image(b"ABC", "image/png"))
    memory = (await world.services.memories.remember(principal, new)).memory
    assert memory.content == "Our plan."
    assert memory.retrieval_text == f"Our plan.\n\n{FakeDescriber().seen}"
    assert embedder.passages == [memory.retrieval_text]


async def test_a_description_that_says_nothing_is_unavailable_and_leaves_nothing(
    world: World, principal: Principal
) -> None:
    assert isinstance(world.describer, FakeDescriber)
    world.describer.seen = "  "
    with pytest.raises(Unavailable):
        await world.services.memories.remember(
            principal, NewMemory(image=Image(b"ABC", "image/png"))
        )
    assert await world.store.count("default") == 0


@pytest.mark.rule("C51", "C95")
@pytest.mark.case("K15")
async def test_a_write_that_was_not_embedded_leaves_nothing_behind(
    world: World, principal: Principal, embedder: FakeEmbedder
) -> None:
    embedder.fault = Unavailable("The embedding model did not answer; nothing was saved")
    for _ in range(2):
        with pytest.raises(Unavailable, match="nothing was saved"):
            await world.services.memories.remember(principal, VALVE)
    assert embedder.calls == 2
    assert await world.store.count("default") == 0
    embedder.fault = None
    remembered = await world.services.memories.remember(principal, VALVE)
    assert remembered.created
    searched = await world.services.searches.search(principal, Search("valve frost"))
    assert [match.memory for match in searched.found.matches] == [remembered.memory]


@pytest.mark.rule("C98")
@pytest.mark.case("K15")
async def test_a_caller_that_gives_up_leaves_the_way_free(
    world: World, principal: Principal, embedder: FakeEmbedder
) -> None:
    embedder.gate = asyncio.Event()
    given_up = asyncio.ensure_future(world.services.memories.remember(principal, VALVE))
    while not embedder.passages:
        await asyncio.sleep(0)
    given_up.cancel()
    with pytest.raises(asyncio.CancelledError):
        await given_up
    embedder.gate.set()
    assert (await world.services.memories.remember(principal, VALVE)).created


def _nan(vectors: Vectors) -> Vectors:
    return [[math.nan] * len(vector) for vector in vectors]


def _zero(vectors: Vectors) -> Vectors:
    return [[0.0] * len(vector) for vector in vectors]


def _longer(vectors: Vectors) -> Vectors:
    return [vector * 4 for vector in vectors]


def _shorter(vectors: Vectors) -> Vectors:
    return [vector[:-1] for vector in vectors]


def _fused(vectors: Vectors) -> Vectors:
    return vectors[:1]


@pytest.mark.rule("C51")
@pytest.mark.case("K62")
@pytest.mark.parametrize("spoil", [_nan, _zero, _longer, _shorter])
async def test_what_is_no_vector_of_the_space_is_unavailable_and_not_stored(
    world: World,
    principal: Principal,
    embedder: FakeEmbedder,
    spoil: Callable[[Vectors], Vectors],
) -> None:
    kept = (await world.services.memories.remember(principal, NewMemory("Kept."))).memory
    embedder.spoil = spoil
    with pytest.raises(Unavailable, match="nothing was saved"):
        await world.services.memories.remember(principal, VALVE)
    with pytest.raises(Unavailable):
        await world.services.searches.search(principal, Search("kept", mode=Mode.MEANING))
    assert await world.store.count("default") == 1
    assert await world.store.get("default", kept.id) == kept


@pytest.mark.rule("C51")
@pytest.mark.case("K62")
async def test_one_vector_for_several_windows_is_unavailable(
    world: World, principal: Principal, embedder: FakeEmbedder
) -> None:
    embedder.spoil = _fused
    with pytest.raises(Unavailable, match="answered 1 vectors for 3 texts; nothing was saved"):
        await world.services.memories.remember(principal, NewMemory("word " * 200))
    assert await world.store.count("default") == 0


@pytest.mark.case("K62")
async def test_a_vector_of_another_length_is_normalised_before_it_is_compared(
    world: World, principal: Principal, embedder: FakeEmbedder
) -> None:
    remembered = await world.services.memories.remember(principal, VALVE)
    embedder.spoil = lambda vectors: [[number * 0.01 for number in vector] for vector in vectors]
    searched = await world.services.searches.search(principal, Search(VALVE.content))
    assert [(match.memory, match.score) for match in searched.found.matches] == [
        (remembered.memory, 1.0)
    ]


@pytest.mark.case("K62")
async def test_documents_are_embedded_as_documents_and_queries_as_queries(
    world: World, principal: Principal, embedder: FakeEmbedder
) -> None:
    await world.services.memories.remember(principal, VALVE)
    await world.services.searches.search(principal, Search("a query"))
    assert embedder.passages == [VALVE.content, *PROBES]
    assert embedder.queries == ["a query"]


@pytest.mark.case("K16")
@pytest.mark.rule("C76")
async def test_what_is_said_is_kept_word_for_word_without_a_language_model(
    world: World, principal: Principal
) -> None:
    said = "Lunch with Dana at the harbour café tomorrow at 15:00."
    remembered = await world.services.memories.remember(principal, NewMemory(said))
    searched = await world.services.searches.search(principal, Search("When do I see Dana?"))
    assert (remembered.created, remembered.memory.content) == (True, said)
    assert [match.memory.content for match in searched.found.matches] == [said]


@pytest.mark.rule("C79")
async def test_vectors_of_another_space_are_not_compared(
    world: World, principal: Principal, embedder: FakeEmbedder
) -> None:
    await world.services.memories.remember(principal, VALVE)
    embedder.space = EmbeddingSpace("another", 256)
    search = Search("valve", mode=Mode.MEANING)
    assert (await world.services.searches.search(principal, search)).found.matches == ()


@pytest.mark.rule("C87", "C91")
async def test_a_memory_that_goes_while_it_is_deprecated_is_not_found(
    world: World, principal: Principal
) -> None:
    memories = world.services.memories
    old, new = [
        (await memories.remember(principal, NewMemory(text))).memory for text in ("Old.", "New.")
    ]

    async def reset_meanwhile() -> int:
        # What one connection is asked for it does in order: this falls after both memories have
        # been looked up and before they are changed.
        await world.store.count("default")
        return await world.store.reset("default")

    results = await asyncio.gather(
        memories.deprecate(principal, old.id, new.id), reset_meanwhile(), return_exceptions=True
    )
    assert [str(results[0]), results[1]] == ["Document not found", 2]


@pytest.mark.rule("C92")
async def test_a_replacement_that_is_forgotten_while_it_is_named_is_what_is_missing(
    world: World, principal: Principal
) -> None:
    memories = world.services.memories
    old, new = [
        (await memories.remember(principal, NewMemory(text))).memory for text in ("Old.", "New.")
    ]

    async def forget_meanwhile() -> tuple[str, ...]:
        await world.store.count("default")
        return await world.store.forget("default", [new.id], Forgetting(b"key", "cli", 0))

    results = await asyncio.gather(
        memories.deprecate(principal, old.id, new.id), forget_meanwhile(), return_exceptions=True
    )
    assert [str(results[0]), results[1]] == ["Superseding document not found", (new.id,)]
    assert await world.store.get("default", old.id) == old


@pytest.mark.rule("C94")
async def test_the_conflict_is_decided_by_the_store(world: World, principal: Principal) -> None:
    memories = world.services.memories
    old, new, other = [
        (await memories.remember(principal, NewMemory(text))).memory.id for text in ("1", "2", "3")
    ]
    results = await asyncio.gather(
        memories.deprecate(principal, old, new),
        memories.deprecate(principal, old, other),
        return_exceptions=True,
    )
    assert sorted(type(result).__name__ for result in results) == ["Conflict", "Moved"]
    with pytest.raises(Conflict):
        await memories.deprecate(principal, old, other)


@pytest.mark.rule("C70", "C112")
async def test_a_profile_without_write_states_writes_nothing(world: World) -> None:
    with pytest.raises(Forbidden, match="branch_state 'active' is not allowed for this client"):
        await world.services.memories.remember(world.principal("reader"), VALVE)
