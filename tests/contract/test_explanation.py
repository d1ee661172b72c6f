"""What a store says of why a match stands where it does: the same on every engine."""

from dataclasses import replace

import pytest

from metacortex.domain.explanation import Evidence, Explanation, explained
from metacortex.domain.question import Question
from metacortex.domain.ranking import Candidate
from metacortex.domain.vector import EmbeddingSpace, Vector
from metacortex.ports import MemoryStore
from tests.questions import a_question
from tests.samples import NOW, TENANT, a_filter, a_memory, a_vector, add

X, Y, AT_A_SLANT = a_vector(1, 0, 0), a_vector(0, 1, 0), a_vector(3, 4, 0)
HALF = (3 / 5 - 0.2) / 0.8


async def explanations(store: MemoryStore, question: Question) -> dict[str, Explanation | None]:
    answer = await store.find(TENANT, replace(question, explain=True), a_filter(), 9)
    plain = await store.find(TENANT, question, a_filter(), 9)
    assert [(each.memory, each.score) for each in answer.matches] == [
        (each.memory, each.score) for each in plain.matches
    ]
    assert all(each.explanation is None for each in plain.matches)
    return {match.memory.id: match.explanation for match in answer.matches}


def numbers(explanation: Explanation | None) -> list[float | None]:
    assert explanation is not None
    evidence = explanation.evidence
    return [
        *(evidence.cosine, evidence.near, evidence.words, explanation.outstanding),
        *(explanation.relevance, explanation.neighbours),
        *(explanation.importance, explanation.recency),
    ]


async def test_both_legs_tell_what_they_say(store: MemoryStore) -> None:
    await add(store, a_memory("m1", content="The pump is in rack C", importance=1.0), AT_A_SLANT)
    await add(store, a_memory("m2", content="The ferry leaves", created_at=NOW - 30 * 86_400_000))
    question = a_question(X, "pump rack nine", unrelated=0.2)
    by_id = await explanations(store, question)
    one, other = by_id["m1"], by_id["m2"]
    assert one is not None
    assert other is not None
    assert one.evidence.terms == ("pump", "rack")
    assert other.evidence.terms == ()
    words = one.evidence.words
    assert words is not None
    assert 0.4 < words < 0.7
    # Fewer than five are no crowd: to stand out is to be nearer than noise.
    outstanding = 0.4
    own = 1 - (1 - words) * (1 - HALF / 2) * (1 - outstanding)
    assert numbers(one) == pytest.approx(
        [3 / 5, HALF, words, outstanding, own, 0.0, 0.02, 0.03], abs=1e-6
    )
    own = 1 - (1 - 0.5) * (1 - outstanding)
    assert numbers(other) == pytest.approx([1, 1, 0, outstanding, own, 0, 0, 0.015], abs=1e-6)


@pytest.mark.parametrize(
    ("vector", "text", "expected"),
    [
        (X, None, [3 / 5, 3 / 5, None, 0.0, 3 / 5, 0.0, 0.0, 0.03]),
        (None, "pump", [None, None, 1.0, 0.0, 1.0, 0.0, 0.0, 0.03]),
    ],
)
async def test_a_leg_that_was_not_asked_says_nothing(
    store: MemoryStore, vector: "Vector | None", text: str | None, expected: list[float | None]
) -> None:
    await add(store, a_memory("m1", content="pump"), AT_A_SLANT)
    found = (await explanations(store, a_question(vector, text)))["m1"]
    assert numbers(found) == pytest.approx(expected, abs=1e-6)


async def test_what_has_no_vector_in_the_space_has_no_cosine(store: MemoryStore) -> None:
    other = EmbeddingSpace("other", 3)
    await add(store, a_memory("m1", content="pump"), space=other)
    await add(store, a_memory("m2", content="pump"))
    by_id = await explanations(store, a_question(X, "pump"))
    assert numbers(by_id["m1"])[:3] == pytest.approx([None, 0.0, 1.0])
    assert numbers(by_id["m2"])[:3] == pytest.approx([1.0, 1.0, 1.0])


async def test_what_neighbours_lend_is_told_apart(store: MemoryStore) -> None:
    for n, content in enumerate(["Where is the pump?", "In rack C."]):
        await add(store, a_memory(f"m{n}", content=content, session_id="s", created_at=NOW + n))
    by_id = await explanations(store, a_question(None, "pump"))
    asked, answered = by_id["m0"], by_id["m1"]
    assert asked is not None
    assert answered is not None
    assert (answered.relevance, answered.evidence.terms) == (0.0, ())
    assert answered.neighbours == pytest.approx(0.5, abs=0.01)
    assert asked.neighbours == 0.0


def test_the_parts_of_an_explanation_are_those_of_the_score() -> None:
    evidence = Evidence(0.5, 0.5, 0.25, ("pump",), 0.4)
    candidate = Candidate("m1", 0.75, NOW, importance=0.0)
    outstanding = 2 * 0.1 / 0.6
    own = 1 - 0.75 * 0.75 * (1 - outstanding)
    told = explained(evidence, candidate, NOW)
    assert told.evidence is evidence
    assert numbers(told) == pytest.approx(
        [0.5, 0.5, 0.25, outstanding, own, 0.75 - own, -0.02, 0.03]
    )
