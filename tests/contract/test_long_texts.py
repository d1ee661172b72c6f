"""The default model finds a fact at the end of a long text, among many memories (case K25)."""

from itertools import product
from operator import mul

import pytest

from metacortex.adapters.local.use import UniversalSentenceEncoder
from metacortex.domain.passage import windows

FACT = "The vault rotation code word is heliotrope."
PEOPLE = ("Anna", "Bo", "Carla", "Dmitri", "Elif", "Farid", "Greta", "Hugo", "Ines", "Jakob")
ACTS = (
    "reported on",
    "asked about",
    "objected to",
    "presented figures on",
    "questioned the cost of",
    "wanted more time for",
)
MATTERS = (
    "the harbour budget",
    "the crane schedule",
    "the ferry timetable",
    "the archive move",
    "the canteen contract",
    "the dredging permit",
    "the winter gritting",
    "the roof of hall four",
)
ENDS = (
    "and the group took note.",
    "which will come back next month.",
    "after a long discussion about money.",
    "because the supplier had not answered.",
)
SUBJECTS = (
    *("the rye bread", "the bicycle pump", "my dentist", "the tax office", "the cellar valve"),
    *("the router", "the garden fence", "our cat", "the piano tuner", "a train to Lund"),
    *("the library card", "the vault at the bank", "a code review", "the word game", "a lost key"),
)
REMARKS = (
    "needs attention before winter.",
    "was replaced last week.",
    "costs more than we thought.",
    "should be booked in advance.",
    "works best in the morning.",
    "is documented in the wiki.",
    "was moved to the second floor.",
    "must be renewed every year.",
    "is what Greta prefers.",
    "failed twice in March.",
    "runs on port 8080.",
    "was mentioned in the meeting.",
    "is older than the building.",
    "belongs to Hugo.",
)


def minutes(words: int) -> str:
    """Return the minutes of a long meeting, ending with the fact."""
    sentences = [
        f"{person} {act} {matter} {end}"
        for matter, end, act, person in product(MATTERS, ENDS, ACTS, PEOPLE)
    ]
    # Every seventh of a list whose length seven does not divide, so that neighbours differ.
    told = [sentences[place * 7 % len(sentences)] for place in range(words // 9)]
    return " ".join([*told, FACT])


@pytest.mark.parametrize(
    "query", ["heliotrope", "Heliotrope?", "what is the code word for the vault rotation?"]
)
async def test_a_fact_at_the_end_of_long_minutes_comes_before_short_memories(query: str) -> None:
    model = UniversalSentenceEncoder()
    text = minutes(6_000)
    memories = [f"{subject} {remark}" for subject, remark in product(SUBJECTS, REMARKS)]
    parts = [*windows(text, model.window, model.window // 8)]
    asked = await model.embed_query(query)

    async def best(passages: list[str]) -> float:
        vectors = await model.embed_passages("general", passages)
        return max(float(sum(map(mul, asked, vector))) for vector in vectors)

    assert (len(text.split()) >= 6_000, len(memories)) == (True, 210)
    assert await best(parts) > await best(memories)
