"""Consolidation with a judge: the language model of the server writes the merged text."""

import pytest

from metacortex.domain.consolidation import MOST_CHARACTERS, Consolidation, fitting, merged
from metacortex.domain.details import EpisodeCategory, EpisodeDetails, Kind
from metacortex.domain.errors import Conflict, Forbidden, NotFound, TooLarge, Unavailable
from metacortex.domain.forgetting import Forgetting
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import Labels, Memory, NewMemory, Origin
from tests.fakes import FakeJudge
from tests.samples import a_memory
from tests.world import MakeWorld, World

DRAFTS = ("The pump leaks at the flange.", "The flange was tightened.", "The pump is dry again.")
ADR = EpisodeCategory.ADR
QUEUE = Consolidation(topic="pump")


@pytest.fixture
def judge() -> FakeJudge:
    return FakeJudge()


@pytest.fixture
def world(make_world: MakeWorld, judge: FakeJudge) -> World:
    return make_world(judge=judge)


async def saved(world: World, *texts: str, topic: str = "pump") -> list[Memory]:
    """Return new drafts of one topic, oldest first."""
    memories = []
    for text in texts:
        new = NewMemory(text, topic, BranchState.WIP, labels=Labels(tags=(text[:8],)))
        memories.append((await world.services.memories.remember(world.principal(), new)).memory)
        world.clock.at += 1
    return memories


async def test_the_judge_writes_what_takes_the_place_of_the_drafts(
    world: World, judge: FakeJudge
) -> None:
    drafts = await saved(world, *DRAFTS)
    done = await world.services.consolidation.consolidate(world.principal(), QUEUE)
    assert judge.asked == [(DRAFTS, "pump")]
    assert done.remembered is not None
    memory = done.remembered.memory
    assert (memory.content, memory.topic) == (" ".join(DRAFTS), "pump")
    assert (memory.origin, memory.sources) == (Origin.INFERRED, tuple(each.id for each in drafts))
    for draft in drafts:
        stored = await world.store.get("default", draft.id)
        assert stored is not None
        assert stored.superseded_by == memory.id


async def test_a_judge_that_does_not_answer_leaves_everything_as_it_was(
    world: World, judge: FakeJudge
) -> None:
    drafts = await saved(world, *DRAFTS)
    judge.fault = Unavailable("The judge did not answer; nothing was saved")
    with pytest.raises(Unavailable):
        await world.services.consolidation.consolidate(world.principal(), QUEUE)
    assert await world.store.get("default", drafts[0].id) == drafts[0]
    assert await world.store.count("default") == 3


async def test_what_is_superseded_while_the_judge_writes_is_a_conflict(
    world: World, judge: FakeJudge
) -> None:
    drafts = await saved(world, *DRAFTS)
    (newer,) = await saved(world, "All of it is void.", topic="void")

    async def meanwhile() -> None:
        await world.services.memories.deprecate(world.principal(), drafts[1].id, newer.id)

    judge.meanwhile = meanwhile
    with pytest.raises(Conflict):
        await world.services.consolidation.consolidate(world.principal(), QUEUE)
    assert await world.store.get("default", drafts[0].id) == drafts[0]
    assert await world.store.count("default") == 4


async def test_what_is_forgotten_while_the_judge_writes_is_said_to_be_missing(
    world: World, judge: FakeJudge
) -> None:
    drafts = await saved(world, *DRAFTS)

    async def meanwhile() -> None:
        await world.store.forget("default", [drafts[1].id], Forgetting(b"key", "cli", 0))

    judge.meanwhile = meanwhile
    with pytest.raises(NotFound, match="Superseded document not found"):
        await world.services.consolidation.consolidate(world.principal(), QUEUE)
    assert await world.store.get("default", drafts[0].id) == drafts[0]
    assert await world.store.count("default") == 2


async def test_a_preview_and_the_callers_own_text_ask_no_judge(
    world: World, judge: FakeJudge
) -> None:
    drafts = await saved(world, *DRAFTS)
    ids = tuple(draft.id for draft in drafts)
    consolidate = world.services.consolidation.consolidate
    shown = await consolidate(world.principal(), Consolidation(topic="pump", preview=True))
    assert (shown.sources, shown.remembered) == (tuple(drafts), None)
    done = await consolidate(world.principal(), Consolidation(ids, content="Dry."))
    assert done.remembered is not None
    assert done.remembered.memory.origin is Origin.ASSERTED
    assert judge.asked == []


async def test_one_draft_alone_is_not_merged(world: World, judge: FakeJudge) -> None:
    drafts = await saved(world, DRAFTS[0])
    shown = await world.services.consolidation.consolidate(world.principal(), QUEUE)
    assert (shown.sources, judge.asked) == (tuple(drafts), [])


async def test_of_a_long_queue_the_judge_merges_what_it_can_read(
    world: World, judge: FakeJudge
) -> None:
    half = "word " * (MOST_CHARACTERS // 10 - 10)
    drafts = await saved(world, f"1 {half}", f"2 {half}", f"3 {half}")
    done = await world.services.consolidation.consolidate(world.principal(), QUEUE)
    assert (done.sources, done.left_out) == (tuple(drafts[:2]), (drafts[2].id,))
    assert await world.store.get("default", drafts[2].id) == drafts[2]


async def test_of_named_memories_the_judge_merges_all_or_none(
    world: World, judge: FakeJudge
) -> None:
    half = "word " * (MOST_CHARACTERS // 10 - 10)
    drafts = await saved(world, f"1 {half}", f"2 {half}", f"3 {half}")
    asked = Consolidation(tuple(draft.id for draft in drafts))
    with pytest.raises(TooLarge, match="name fewer in ids"):
        await world.services.consolidation.consolidate(world.principal(), asked)
    assert judge.asked == []


async def test_a_draft_that_is_too_long_by_itself_is_merged_by_nobody(
    world: World, judge: FakeJudge
) -> None:
    await saved(world, "word " * (MOST_CHARACTERS // 5 + 1), DRAFTS[0])
    with pytest.raises(TooLarge):
        await world.services.consolidation.consolidate(world.principal(), QUEUE)


async def test_who_may_not_write_the_merged_one_costs_no_judgement(
    world: World, judge: FakeJudge
) -> None:
    await saved(world, *DRAFTS)
    with pytest.raises(Forbidden):
        await world.services.consolidation.consolidate(world.principal("reader"), QUEUE)
    assert judge.asked == []


async def test_the_judge_reads_the_names_of_episodes_too(world: World, judge: FakeJudge) -> None:
    labels = Labels(kind=Kind.EPISODE, title="Leak")
    for text in DRAFTS[:2]:
        new = NewMemory(text, "pump", BranchState.WIP, labels=labels)
        await world.services.memories.remember(world.principal(), new)
        world.clock.at += 1
    done = await world.services.consolidation.consolidate(world.principal(), QUEUE)
    assert judge.asked[0][0] == tuple(f"Leak\n\n{text}" for text in DRAFTS[:2])
    assert done.remembered is not None
    assert done.remembered.memory.kind is Kind.EPISODE


def test_no_more_than_fifty_are_merged_at_once() -> None:
    assert fitting([a_memory(f"m{n}") for n in range(3)]) == 3
    assert fitting([a_memory(f"m{n}", content="") for n in range(60)]) == 50


def test_what_sources_do_not_have_in_common_the_merged_one_has_not() -> None:
    sources = [a_memory("m1", session_id="s", kind=Kind.EPISODE), a_memory("m2", session_id="t")]
    asked = Consolidation(("m1", "m2"))
    labels = merged(asked, sources, "Both.", Origin.ASSERTED).labels
    assert (labels.kind, labels.session_id) == (None, None)


def test_the_merged_episode_takes_over_the_files_of_all_and_what_category_they_share() -> None:
    sources = [
        a_memory("m1", kind=Kind.EPISODE, details=EpisodeDetails("One", ADR, ("a.py", "b.py"))),
        a_memory("m2", kind=Kind.EPISODE, details=EpisodeDetails("Two", ADR, ("b.py", "c.py"))),
    ]
    other = a_memory("m3", kind=Kind.EPISODE, details=EpisodeDetails())
    asked = Consolidation(("m1", "m2"), title="Both")
    labels = merged(asked, sources, "Both.", Origin.ASSERTED).labels
    assert labels.details == EpisodeDetails("Both", ADR, ("a.py", "b.py", "c.py"))
    three = merged(asked, [*sources, other], "All.", Origin.ASSERTED).labels
    assert (three.category, three.files_touched) == (None, ("a.py", "b.py", "c.py"))


def test_of_more_tags_and_links_than_one_may_have_the_first_are_taken_over() -> None:
    sources = [
        a_memory(
            f"m{n}",
            tags=tuple(f"{n}.{each}" for each in range(20)),
            artifact_refs=tuple(f"{n}.{each}" for each in range(70)),
        )
        for n in range(2)
    ]
    new = merged(Consolidation(("m0", "m1")), sources, "Both.", Origin.ASSERTED)
    assert (len(new.labels.tags), len(new.artifact_refs)) == (32, 100)
    assert (new.labels.tags[0], new.labels.tags[20]) == ("0.0", "1.0")
