"""Why a match stands where it does, in the numbers that ranking had of it."""

from dataclasses import dataclass

from metacortex.domain.moment import Milliseconds
from metacortex.domain.ranking import Candidate, outstanding, relevance, sways


@dataclass(frozen=True, slots=True)
class Evidence:
    """What each leg says of a memory, None where it was not asked; and the crowd that the memory
    may stand out from. `cosine` is None too where no vector was compared.
    """

    cosine: float | None
    near: float | None
    words: float | None
    terms: tuple[str, ...]
    """Those of the query that it holds."""
    crowd: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a score is made of: `relevance` by itself of what the legs say, and what neighbours lend
    to it. What importance and recency add to the share decides between near-equals only.
    """

    evidence: Evidence
    outstanding: float
    relevance: float
    neighbours: float
    importance: float
    recency: float


def explained(evidence: Evidence, candidate: Candidate, now: Milliseconds) -> Explanation:
    """Return why a candidate with this evidence stands where `ranking.ranked` puts it."""
    near, words, crowd = evidence.near, evidence.words, evidence.crowd
    own = relevance(near, words, crowd)
    return Explanation(
        evidence,
        0.0 if near is None or words is None else outstanding(near, crowd),
        own,
        candidate.relevance - own,
        *sways(candidate, now),
    )
