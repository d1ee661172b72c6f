"""Snapshots: recognized by what holds and how long, and compared with one another."""

from hashlib import sha256

from metacortex.domain.details import EpisodeDetails, Kind
from metacortex.domain.knowledge.fact import Fact
from metacortex.domain.knowledge.snapshot import Held, Replaced, passage
from tests.samples import NOW, a_memory
from tests.statements import a_value

DAY = 86_400_000


def of(*facts: Fact) -> Held:
    """Return what held, of facts alone."""
    return Held(facts)


def test_a_snapshot_is_recognized_whatever_order_its_parts_come_in() -> None:
    one, other = a_value("a", "1", "p"), a_value("b", "2", "p")
    night, day = (
        a_memory(id_, kind=Kind.EPISODE, details=EpisodeDetails(), sha256=id_ * 64) for id_ in "nd"
    )

    assert of(one, other).hash == of(other, one).hash
    assert Held((one,), (night, day)).hash == Held((one,), (day, night)).hash
    assert len({each.hash for each in (of(one), of(one, other), Held((one,), (night,)))}) == 3


def test_an_episode_is_not_taken_for_a_fact() -> None:
    fact = a_value("a", "1")

    assert Held((fact,)).hash != Held((), (fact.memory,)).hash


def test_a_snapshot_changes_with_an_interval() -> None:
    open_ended, closed = a_value("a", "1"), a_value("a", "1", end=NOW + DAY)
    started = a_value("a", "1", start=NOW - DAY)

    assert len({of(fact).hash for fact in (open_ended, closed, started)}) == 3
    assert len({Held((), (fact.memory,)).hash for fact in (open_ended, closed, started)}) == 3


def test_a_snapshot_is_the_digest_that_its_docstring_describes() -> None:
    form = b'{"episodes":[],"facts":[],"v":2}'
    assert of().hash == sha256(form).hexdigest()


def test_a_singular_value_in_place_of_another_has_changed() -> None:
    old, new = a_value("noor", "espresso", "drinks"), a_value("noor", "tea", "drinks")
    gone, come = a_value("a", "1"), a_value("b", "2")
    stayed = a_value("c", "3")

    told = passage(of(old, gone, stayed), of(stayed, come, new))

    assert told.changed == (Replaced(old, new),)
    assert (told.ended, told.began) == ((gone,), (come,))


def test_values_that_may_stand_beside_each_other_begin_and_end_each_for_itself() -> None:
    old = a_value("pump", "seal A", "tested_with", singular=False)
    new = a_value("pump", "seal B", "tested_with", singular=False)

    told = passage(of(old), of(new))

    assert (told.began, told.ended, told.changed) == ((new,), (old,), ())


def test_episodes_begin_and_end_beside_facts() -> None:
    over, lasting, come = (
        a_memory(id_, kind=Kind.EPISODE, details=EpisodeDetails()) for id_ in "olc"
    )

    told = passage(Held((), (over, lasting)), Held((), (come, lasting)))

    assert (told.episodes_began, told.episodes_ended) == ((come,), (over,))
    assert (told.began, told.ended) == ((), ())
