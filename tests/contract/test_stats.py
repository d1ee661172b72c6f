"""Counting what a tenant holds, on every engine."""

from dataclasses import replace

import pytest
from google.cloud.firestore_v1.async_client import AsyncClient

from metacortex.adapters.firestore.stats import MOST_READ
from metacortex.domain.details import EpisodeDetails, Kind
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.stats import MOST_TOPICS, MemoryStats, Reach
from metacortex.domain.vector import EmbeddingSpace
from metacortex.ports import MemoryStore
from tests.firestore_bulk import put
from tests.firestore_engines import opened
from tests.samples import NOW, SPACE, TENANT, a_memory, a_vector, add

ALL = Reach(None, tuple(BranchState))
OTHER_SPACE = EmbeddingSpace("other", 3)
TWO = (a_vector(), a_vector(0, 1, 0))


async def hold_some(store: MemoryStore) -> None:
    """Store two notes, an episode and a draft, in two namespaces."""
    await add(store, a_memory("m1", content="é", topic="ports"), *TWO)
    await add(store, a_memory("m2", content="bb", retrieval_text="ccc", topic="ports"))
    episode = {"kind": Kind.EPISODE, "details": EpisodeDetails("A flood")}
    await add(store, a_memory("m3", content="dddd", namespace="team", **episode))
    draft = a_memory("m4", content="eeeee", branch_state=BranchState.WIP, namespace="team")
    await add(store, draft, space=OTHER_SPACE)
    await add(store, a_memory("theirs", topic="hidden"), tenant="beta")


def told(stats: MemoryStats) -> MemoryStats:
    """Return the numbers without those of bytes, which are an engine's own."""
    return replace(stats, text_bytes=None, vector_bytes=0)


async def test_each_sort_of_memory_is_counted(store: MemoryStore) -> None:
    await hold_some(store)
    stats = await store.stats(TENANT, ALL)
    assert stats.memories == 4
    assert told(stats) == MemoryStats(
        states={BranchState.ACTIVE: 3, BranchState.WIP: 1},
        kinds={Kind.NOTE: 3, Kind.EPISODE: 1},
        namespaces={"default": 2, "team": 2},
        topics={"general": 2, "ports": 2},
        spaces={SPACE: 3, OTHER_SPACE: 1},
        unindexed=0,
        text_bytes=None,
        vector_bytes=0,
    )
    assert stats.text_bytes in (None, 2 + 2 + 3 + 4 + 5)
    assert stats.vector_bytes in (5 * 3 * 4, 5 * 3 * 8)


@pytest.mark.case("K51")
async def test_only_what_is_within_reach_is_counted(store: MemoryStore) -> None:
    await hold_some(store)
    team = await store.stats(TENANT, Reach(("team", "tea", "team"), tuple(BranchState)))
    assert (team.namespaces, team.topics) == ({"team": 2}, {"general": 2})
    assert team.spaces == {SPACE: 1, OTHER_SPACE: 1}
    drafts = await store.stats(TENANT, Reach(None, (BranchState.WIP, BranchState.DEPRECATED)))
    assert (drafts.states, drafts.kinds) == ({BranchState.WIP: 1}, {Kind.NOTE: 1})
    assert drafts.spaces == {OTHER_SPACE: 1}
    both = await store.stats(TENANT, Reach(("default",), (BranchState.WIP,)))
    nothing = MemoryStats({}, {}, {}, {}, {}, 0, None, 0)
    assert told(both) == nothing
    assert told(await store.stats("nobody", ALL)) == nothing


async def test_the_most_common_topics_are_told_equals_by_name(store: MemoryStore) -> None:
    for n in range(MOST_TOPICS + 1):
        await add(store, a_memory(f"m{n}", topic=f"t{n:02}"))
    await add(store, a_memory("more", topic="t20"))
    stats = await store.stats(TENANT, ALL)
    assert list(stats.topics.items()) == [("t20", 2), *((f"t{n:02}", 1) for n in range(19))]


async def test_a_deprecated_memory_counts_as_that(store: MemoryStore) -> None:
    await hold_some(store)
    await store.supersede(TENANT, "m1", "m2", "claude-web", NOW)
    stats = await store.stats(TENANT, Reach(("default",), tuple(BranchState)))
    assert stats.states == {BranchState.ACTIVE: 1, BranchState.DEPRECATED: 1}


async def test_firestore_tells_labels_of_the_newest_and_says_so(
    client: AsyncClient, project: str
) -> None:
    old = [(a_memory("old", topic="old", created_at=NOW - 1), [a_vector()])]
    await put(client, old + [(a_memory(f"m{n}"), [a_vector()]) for n in range(MOST_READ)])
    async with opened(project) as engine:
        whole = await engine.store.stats(TENANT, ALL)
        default = await engine.store.stats(TENANT, Reach(("default",), tuple(BranchState)))
    assert (whole.memories, whole.topics) == (MOST_READ + 1, {"general": MOST_READ})
    assert whole.incomplete == ("namespaces", "topics")
    assert default.namespaces == {"default": MOST_READ + 1}
    assert default.incomplete == ("topics",)
