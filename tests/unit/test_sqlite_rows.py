"""Rows hold memories and Changes whole."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from metacortex.adapters.sqlite.database import Database
from metacortex.adapters.sqlite.memories import SqliteMemoryStore
from metacortex.adapters.sqlite.rows import (
    MEMORY_COLUMNS,
    dump_change,
    dump_memory,
    dump_tombstone,
    load_entry,
    load_memory,
)
from metacortex.domain.details import (
    EpisodeCategory,
    EpisodeDetails,
    FactDetails,
    Kind,
    NoteDetails,
)
from metacortex.domain.forgetting import Tombstone
from metacortex.domain.lifecycle import BranchState, Change, ChangeKind, Standing
from metacortex.domain.memory import Author, Memory, Modality, Origin, TokenCount
from metacortex.domain.moment import Moment, Precision
from metacortex.domain.text import is_unicode
from tests.samples import CACHE_MB, TENANT, add

texts = st.text(st.characters(exclude_categories=["Cs"]))
lists = st.lists(texts, max_size=3).map(tuple)
times = st.integers(-(2**53), 2**53)
moments = st.none() | st.builds(Moment, times, st.sampled_from(Precision))
states = st.sampled_from(BranchState)
notes = st.tuples(st.just(Kind.NOTE), st.just(NoteDetails()))
episodes = st.tuples(
    st.just(Kind.EPISODE),
    st.builds(
        EpisodeDetails,
        st.none() | texts,
        st.none() | st.sampled_from(EpisodeCategory),
        lists,
    ),
)
facts = st.tuples(
    st.just(Kind.FACT),
    st.builds(
        FactDetails,
        *(texts, texts, texts, texts, st.none() | texts, st.booleans()),
        st.none() | st.floats(0, 1),
        *(st.none() | texts, st.none() | texts),
    ),
)
without_kind = st.builds(
    Memory,
    id=texts,
    namespace=texts,
    kind=st.just(Kind.NOTE),
    content=texts,
    topic=texts,
    branch_state=states,
    modality=st.sampled_from(Modality),
    created_at=times,
    updated_at=times,
    recorded_at=times,
    written_by=st.builds(Author, texts, st.none() | texts),
    retrieval_text=st.none() | texts,
    artifact_refs=lists,
    tags=lists,
    session_id=st.none() | texts,
    importance=st.floats(0, 1),
    entities=lists,
    superseded_by=st.none() | texts,
    valid_from=moments,
    valid_until=moments,
    origin=st.sampled_from(Origin),
    sources=lists,
    recalled_from=lists,
    token_count=st.none() | st.builds(TokenCount, st.integers(0, 10**6), texts),
    salt=texts,
    sha256=texts,
)
memories = st.builds(
    lambda memory, kind: replace(memory, kind=kind[0], details=kind[1]),
    without_kind,
    notes | episodes | facts,
)
standings = st.builds(Standing, states, st.none() | texts, moments)
kinds = st.sampled_from([kind for kind in ChangeKind if kind is not ChangeKind.FORGOTTEN])
changes = st.builds(
    Change, kinds, texts, st.none() | standings, standings, times, texts, st.none() | texts
)


@given(memories)
def test_a_memory_is_the_same_after_its_row(memory: Memory) -> None:
    row = dump_memory(memory)
    assert len(row) == MEMORY_COLUMNS.count(",") + 1
    assert load_memory(row) == memory


@given(changes)
def test_a_change_is_the_same_after_its_row(change: Change) -> None:
    assert load_entry(dump_change(change)) == change


@given(st.builds(Tombstone, texts, texts, times, texts))
def test_a_tombstone_is_the_same_after_its_row(tombstone: Tombstone) -> None:
    assert load_entry(dump_tombstone(tombstone)) == tombstone


@settings(deadline=None)
@given(st.lists(memories, max_size=5, unique_by=lambda memory: memory.id))
async def test_a_memory_is_the_same_after_the_database(stored: list[Memory]) -> None:
    database = Database(None)
    store = SqliteMemoryStore(database, CACHE_MB)
    for memory in stored:
        await add(store, memory)
    assert [await store.get(TENANT, memory.id) for memory in stored] == stored
    await database.close()


@given(texts)
def test_every_text_of_whole_characters_is_unicode(text: str) -> None:
    assert is_unicode(text)
    assert not is_unicode(f"{text}\ud83d")
    assert not is_unicode(f"\ude42{text}")
