"""A fact: what it is a view on, and how it stands to a moment."""

import pytest

from metacortex.domain.forgetting import Tombstone
from metacortex.domain.knowledge.fact import Currency, Fact, one_spelling, spoken
from metacortex.domain.moment import Milliseconds, iso
from metacortex.transport.knowledge_wire import entry_json
from tests.facts import DAY, a_fact
from tests.samples import NOW, a_memory


def test_no_memory_of_another_kind_is_a_fact() -> None:
    with pytest.raises(ValueError, match="a note is no fact"):
        Fact(a_memory())


@pytest.mark.parametrize(
    ("start", "end", "superseded_by", "currency"),
    [
        (None, None, None, Currency.CURRENT),
        (NOW, NOW + 1, "f2", Currency.CURRENT),
        (NOW + 1, None, None, Currency.FUTURE),
        (None, NOW, None, Currency.ENDED),
        (NOW - DAY, NOW, "f2", Currency.SUPERSEDED),
        (NOW, NOW, "f2", Currency.CORRECTED),
        (NOW + DAY, NOW, "f2", Currency.CORRECTED),
    ],
)
def test_how_a_fact_stands_to_a_moment_its_interval_tells(
    start: Milliseconds | None,
    end: Milliseconds | None,
    superseded_by: str | None,
    currency: Currency,
) -> None:
    fact = a_fact(start=start, end=end, superseded_by=superseded_by)
    assert fact.currency_at(NOW) is currency


@pytest.mark.parametrize(
    ("predicate", "words"),
    [
        ("signing_algorithm", "signing algorithm"),
        ("signingAlgorithm", "signing Algorithm"),
        ("minimum-OS-version", "minimum OS version"),
        ("lives in", "lives in"),
        ("_drinks_", "drinks"),
        ("жив_в", "жив в"),
    ],
)
def test_a_predicate_is_spoken_as_the_words_it_is_made_of(predicate: str, words: str) -> None:
    assert spoken(predicate) == words


def test_a_tombstone_on_record_is_told_without_what_it_was() -> None:
    assert entry_json(Tombstone("f1", "mac", NOW, "cli")) == {
        "kind": "forgotten",
        "recorded_at": iso(NOW),
        "client": "cli",
    }


@pytest.mark.parametrize(
    "spelling", ["signing_algorithm", "Signing Algorithm", "signing-algorithm", "signingAlgorithm"]
)
def test_a_predicate_has_one_spelling(spelling: str) -> None:
    assert one_spelling(spelling) == "signing_algorithm"


@pytest.mark.parametrize(("odd", "kept"), [("—", "—"), ("_", "_"), ("Größe", "größe")])
def test_a_predicate_of_other_signs_stays_one(odd: str, kept: str) -> None:
    assert one_spelling(odd) == kept
