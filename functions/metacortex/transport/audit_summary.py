"""The summary of an audit, in Markdown: one line for each contradiction, the worst first."""

from collections.abc import Collection, Iterator, Sequence

from metacortex.domain.knowledge.contradictions import Contradiction

MOST_LINES = 50
LONGEST_LINE = 400


def summary_of(found: Sequence[Contradiction], resolved: Collection[str], checked: int) -> str:
    """Return what was found among so many facts; `resolved` are the ids of what was resolved."""
    return "\n".join(_lines(found, resolved, checked))


def _lines(
    found: Sequence[Contradiction], resolved: Collection[str], checked: int
) -> Iterator[str]:
    yield f"## Contradictions: {len(found)} among {checked} facts"
    if found:
        yield ""
    for each in found[:MOST_LINES]:
        said = " ".join(each.sentence.split())
        told = said if len(said) <= LONGEST_LINE else said[: LONGEST_LINE - 1] + "…"
        yield f"- **{each.severity}**, {each.kind}: {told} {_outcome(each, resolved)}"
    if len(found) > MOST_LINES:
        yield f"- and {len(found) - MOST_LINES} more"


def _outcome(each: Contradiction, resolved: Collection[str]) -> str:
    gives_way = "has given way" if each.id in resolved else "would give way"
    return f"The first, which is {each.reason}, {gives_way}."
