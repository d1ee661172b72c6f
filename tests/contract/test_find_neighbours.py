"""What `MemoryStore.find` promises of memories that stand beside each other in a session."""

from typing import Any

from metacortex.domain.moment import Moment
from metacortex.ports import MemoryStore
from tests.questions import found
from tests.samples import NOW, SPACE, TENANT, a_memory, a_vector, add, an_embedding

X, Y = a_vector(1, 0, 0), a_vector(0, 1, 0)


async def say(store: MemoryStore, *ids: str, **varied: Any) -> None:
    """Store turns of one session, one millisecond apart; the one named `asked` holds the query."""
    for n, id_ in enumerate(ids):
        said = {"session_id": "s", "created_at": NOW - 100 + n, "content": "else", **varied}
        if id_ == "asked":
            said["content"] = "Where is the relay?"
        await add(store, a_memory(id_, **said), Y)


async def test_the_two_before_and_the_two_after_a_match_are_found_with_it(
    store: MemoryStore,
) -> None:
    await say(store, "a", "b", "c", "asked", "d", "e", "f")
    assert list(await found(store, text="relay")) == ["asked", "d", "e", "c", "b"]


async def test_turns_of_one_moment_follow_each_other_by_their_ids(store: MemoryStore) -> None:
    for id_ in ("d", "c", "asked", "b", "a1", "a2", "a3"):
        await say(store, id_)
    assert list(await found(store, text="relay")) == ["asked", "b", "c", "a3", "a2"]


async def test_many_turns_of_one_moment_do_too(store: MemoryStore) -> None:
    for n in (*range(20), *range(30, 50)):
        await say(store, f"b{n}")
    await say(store, "asked")
    await add(store, a_memory("b2", session_id="s", created_at=NOW), tenant="other")
    assert list(await found(store, text="relay")) == ["asked", "b0", "b1"]


async def test_another_session_has_no_part_in_it(store: MemoryStore) -> None:
    await say(store, "a", "asked")
    await say(store, "b", "c", session_id="other")
    await say(store, "d", "e", session_id=None)
    assert list(await found(store, text="relay")) == ["asked", "a"]


async def test_what_the_filter_leaves_out_lends_nothing_and_is_no_step(
    store: MemoryStore,
) -> None:
    await say(store, "a", topic="kept")
    await say(store, "asked", topic="kept", created_at=NOW - 90)
    for n in range(3):
        await say(store, f"left out {n}", topic="other", created_at=NOW - 89)
    await say(store, "b", topic="kept", created_at=NOW - 80)
    assert set(await found(store, text="relay", topic="kept")) == {"asked", "a", "b"}
    await say(store, "past", created_at=NOW - 79, valid_until=Moment(NOW - 1))
    assert await found(store, text="relay", topic="other") == {}


async def test_a_neighbour_gains_by_meaning_too_and_none_loses(store: MemoryStore) -> None:
    await say(store, "a", "b")
    await store.replace_embedding(TENANT, "a", an_embedding(X, space=SPACE))
    scores = await found(store, X)
    assert scores == {"a": 1.0, "b": 0.5}


async def test_a_neighbour_that_words_have_found_is_as_near_as_it_is(store: MemoryStore) -> None:
    await say(store, "asked", "b")
    await store.replace_embedding(TENANT, "b", an_embedding(a_vector(3, 4, 0)))
    alone = {"b": 0.3}
    scores = await found(store, X, "relay", floor=0.0)
    assert scores["b"] > alone["b"]
    assert scores["asked"] > 0.9
