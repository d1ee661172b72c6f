"""The passage of a long text that answers a query best."""

from collections.abc import Sequence

from metacortex.domain.passage import windows
from metacortex.domain.words.bm25 import term_weight
from metacortex.domain.words.terms import terms_of

CUT_MARK = "[…]"


def best_passage(text: str, size: int, terms: Sequence[str]) -> str:
    """Return the passage of about `size` characters that holds most of the weight of `terms`, with
    a mark at each end where the text goes on; of equals, the first.
    """
    passages = [*windows(text, size, size // 8)]
    held = [frozenset(terms).intersection(terms_of(passage)) for passage in passages]
    weights = {
        term: term_weight(sum(term in each for each in held), len(held))
        for term in dict.fromkeys(terms)
    }
    scores = [sum(weight for term, weight in weights.items() if term in each) for each in held]
    best = max(range(len(passages)), key=lambda place: (scores[place], -place))
    start = "" if best == 0 else f"{CUT_MARK} "
    end = "" if best == len(passages) - 1 else f" {CUT_MARK}"
    return f"{start}{passages[best].strip()}{end}"
