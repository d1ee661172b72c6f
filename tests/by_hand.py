"""What a search should find, worked out one memory at a time."""

from collections import Counter
from collections.abc import Mapping, Sequence

from metacortex.domain.memory import Memory
from metacortex.domain.neighbours import LENDERS, REACH, with_neighbours
from metacortex.domain.question import Found, Question
from metacortex.domain.ranking import EACH_LEG, Candidate, crowd, nearness, ranked, relevance
from metacortex.domain.search import Match, MemoryFilter, passes
from metacortex.domain.vector import Vector
from metacortex.domain.words.bm25 import term_weights, words_share
from metacortex.domain.words.terms import terms_of
from tests.samples import cosine_of

Leg = Mapping[str, float]
Held = Sequence[tuple[Memory, Sequence[Vector]]]
"""The memories of a tenant, each with its windows."""


def found_by_hand(held: Held, question: Question, where: MemoryFilter, limit: int) -> Found:
    """Return what a search finds among the memories held."""
    passing = {memory.id: memory for memory, _ in held if passes(memory, where)}
    near = near_by_hand(held, question)
    words = words_by_hand([*passing.values()], question)
    densest = crowd(near[id_] for id_ in passing if id_ in near)
    own = {
        id_: relevance(
            None if question.vector is None else near[id_],
            None if question.terms is None else words[id_],
            densest,
        )
        for id_ in passing
    }

    def place(id_: str) -> tuple[int, str]:
        return -passing[id_].created_at, id_

    best: set[str] = set()
    for leg in (near, words):
        said = [(-leg[id_], *place(id_)) for id_ in passing if leg.get(id_, 0.0) > 0.0]
        best.update(id_ for *_, id_ in sorted(said)[:EACH_LEG])
    lenders = sorted(best, key=lambda id_: (-own[id_], *place(id_)))[:LENDERS]
    runs = [run_by_hand(passing, id_) for id_ in lenders if passing[id_].session_id is not None]
    weighed = best.union(*runs)
    gained = with_neighbours({id_: own[id_] for id_ in weighed}, runs)
    ranking = ranked(
        (
            Candidate(id_, score, passing[id_].created_at, passing[id_].importance)
            for id_, score in gained.items()
        ),
        question.now,
        question.floor,
    )
    matches = tuple(Match(passing[match.id], match.score) for match in ranking.matches[:limit])
    seen = ranking.best if weighed else 0.0 if passing else None
    return Found(matches, seen, ranking.below)


def near_by_hand(held: Held, question: Question) -> Leg:
    """Return how near each memory is by its best window."""
    vector = question.vector
    if vector is None:
        return {}
    return {
        memory.id: max(
            nearness(cosine_of(window, vector), question.unrelated) for window in windows
        )
        for memory, windows in held
    }


def words_by_hand(passing: Sequence[Memory], question: Question) -> Leg:
    """Return the share of the words of the query that each passing memory holds."""
    if question.terms is None or not passing:
        return {}
    counts = {memory.id: Counter(terms_of(memory.text)) for memory in passing}
    frequencies = Counter(term for each in counts.values() for term in each)
    average = sum(each.total() for each in counts.values()) / len(passing)
    weights = term_weights(question.terms, frequencies, len(passing))
    return {
        id_: words_share(weights, each, each.total(), average or 1.0)
        for id_, each in counts.items()
    }


def run_by_hand(passing: Mapping[str, Memory], id_: str) -> list[str]:
    """Return the ids of a memory and of those around it in its session."""
    session = sorted(
        (each.created_at, each.id)
        for each in passing.values()
        if each.session_id == passing[id_].session_id
    )
    ids = [each for _, each in session]
    at = ids.index(id_)
    return ids[max(0, at - REACH) : at + REACH + 1]
