"""What `MemoryStore.find` answers, held to scoring every memory by hand."""

from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metacortex.domain.memory import Memory
from metacortex.domain.question import Question
from metacortex.domain.ranking import FLOOR
from metacortex.domain.search import MemoryFilter
from metacortex.domain.vector import Vector
from metacortex.domain.words.terms import query_terms
from metacortex.ports import MemoryStore
from tests.by_hand import found_by_hand
from tests.filters import filters, memories, texts
from tests.samples import NOW, SPACE, TENANT, a_vector, add

numbers = st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0])
vectors = st.tuples(numbers, numbers, numbers).filter(any).map(lambda three: a_vector(*three))
terms = st.none() | texts.map(lambda text: tuple(query_terms(text)))
questions = st.builds(
    Question,
    st.just(SPACE),
    st.none() | vectors,
    terms,
    unrelated=st.sampled_from([0.0, 0.4]),
    now=st.just(NOW),
    floor=st.sampled_from([0.0, FLOOR, 0.5]),
)


@given(
    stored=st.lists(st.tuples(memories, st.lists(vectors, min_size=1, max_size=3)), max_size=14),
    searches=st.lists(st.tuples(questions, filters, st.integers(1, 8)), min_size=1, max_size=5),
)
@settings(
    max_examples=30,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
async def test_a_search_equals_the_scoring_of_every_memory_by_hand(
    store: MemoryStore,
    stored: list[tuple[Memory, list[Vector]]],
    searches: list[tuple[Question, MemoryFilter, int]],
) -> None:
    await store.reset(TENANT)
    held = [
        (await add(store, replace(memory, id=f"m{n}"), *windows), windows)
        for n, (memory, windows) in enumerate(stored)
    ]
    for question, where, limit in searches:
        answer = await store.find(TENANT, question, where, limit)
        assert answer == found_by_hand(held, question, where, limit)
