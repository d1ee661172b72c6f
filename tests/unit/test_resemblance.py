"""Resemblance: which memories a text is like, by their words or by their meaning."""

from metacortex.domain.differences import Difference
from metacortex.domain.resemblance import RESEMBLES, Similar, similar_to
from metacortex.domain.search import Match
from tests.samples import NOW, a_memory

TEXT = "The grant report is due on 3 March."
UNRELATED = 0.2


def near(content: str, cosine: float = 0.0, id_: str = "m1", at: int = NOW) -> Match:
    """Return a memory that stands so near to the text."""
    return Match(a_memory(id_, content=content, created_at=at), cosine)


def named(*nearest: Match, text: str = TEXT) -> dict[str, float]:
    """Return the scores of what a text resembles, by their ids and in order."""
    return {each.memory.id: each.score for each in similar_to(text, nearest, UNRELATED)}


def test_what_resembles_is_named_with_what_differs() -> None:
    match = near("The grant report is due on 4 March.", 0.9)
    assert similar_to(TEXT, [match], UNRELATED) == (
        Similar(match.memory, 0.875, (Difference.DATE,)),
    )


def test_the_score_is_the_mean_of_meaning_and_words() -> None:
    assert named(near(TEXT.upper(), 0.84)) == {"m1": 0.9}


def test_another_wording_is_named_if_it_means_nearly_the_same() -> None:
    other = "On 3 March we must hand in the report on our grant."
    assert named(near(other, 0.84)) != {}
    assert named(near(other, 0.5)) == {}


def test_what_shares_hardly_a_word_is_not_named_however_near_a_model_finds_it() -> None:
    assert named(near("Something else is said here by us all.", 1.0)) == {}


def test_the_floor_is_included() -> None:
    cosine = UNRELATED + (1 - UNRELATED) * (2 * RESEMBLES - 0.875)
    other = "The grant report is due on 4 March."
    assert named(near(other, cosine + 1e-9)) == {"m1": RESEMBLES}
    assert named(near(other, cosine - 1e-5)) == {}


def test_a_sentence_does_not_resemble_the_document_that_holds_it() -> None:
    document = TEXT + " Then follow many more words about chalk, slate, lime and other stones."
    assert named(near(document, 0.99)) == {}
    assert named(near(TEXT, 0.99), text=document) == {}


def test_the_most_alike_stand_first_and_equals_newest_first_then_by_id() -> None:
    other = "The grant report is due on 4 March."
    assert [
        *named(
            near(other, 0.9, "old"),
            near(TEXT, 1.0, "same"),
            near(other, 0.9, "b", NOW + 1),
            near(other, 0.9, "a", NOW + 1),
        )
    ] == ["same", "a", "b"]


def test_texts_without_a_word_resemble_nothing() -> None:
    assert named(near("...", 1.0), text="...") == {}
