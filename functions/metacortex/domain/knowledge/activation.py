"""Spreading activation: which facts come to mind when some entities are named.

Named entities are excited, and pass that on along the facts that they are part of, in equal parts,
weakened at each step:

    passed(e)     = DECAY * excitement(e) / degree(e)
    excitement(e) = 1 for an entity that was named; in the next step the sum of what reached it
    activation(f) = the sum, over the steps, of what was passed along f from either end

`degree` counts the facts that an entity is part of, so what everything is linked to brings little
to mind. The theory is that of Collins and Loftus (A spreading-activation theory of semantic
processing, 1975); that the parts are equal and sum up is the fan effect (Anderson, Retrieval of
propositional information from long-term memory, 1974); bounded steps with decay are as in Crestani
(Application of spreading activation techniques in information retrieval, 1997).
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt

from metacortex.domain.knowledge.fact import Fact
from metacortex.domain.knowledge.graph import Graph

DECAY = 0.5
STEPS = 2

WEIGHT = 0.3
"""The score of the only fact of an entity that was named, where neither words nor meaning found it.
No fact has more by the graph alone."""
LEAST = 0.02
"""What comes to mind less than this is left out."""
MOST_REACHED = 12


@dataclass(frozen=True, slots=True)
class Activated:
    """A fact, and what it scores by the graph alone."""

    fact: Fact
    score: float


def activated(graph: Graph, named: Iterable[str]) -> tuple[Activated, ...]:
    """Return the facts that come to mind most when entities are named, the strongest first, of
    equals the newest.
    """
    activation: defaultdict[str, float] = defaultdict(float)
    facts: dict[str, Fact] = {}
    excitement = dict.fromkeys(named, 1.0)
    for _ in range(STEPS):
        following: defaultdict[str, float] = defaultdict(float)
        # Sums of floats depend on their order.
        for entity_id, excited in sorted(excitement.items()):
            about = graph.about(entity_id)
            for fact in about:
                passed = DECAY * excited / len(about)
                facts[fact.id] = fact
                activation[fact.id] += passed
                for other in graph.ends(fact):
                    if other != entity_id:
                        following[other] += passed
        excitement = following
    found = (Activated(facts[one], _score(strength)) for one, strength in activation.items())
    kept = (each for each in found if each.score >= LEAST)
    return tuple(sorted(kept, key=_order)[:MOST_REACHED])


def _score(strength: float) -> float:
    """Return the score for an activation: its root, since even close to what was named it falls
    with the product of two degrees.
    """
    return round(WEIGHT * sqrt(min(1.0, strength / DECAY)), 6)


def _order(one: Activated) -> tuple[float, int, str]:
    return -one.score, -one.fact.memory.recorded_at, one.fact.id
