"""Snapshots: recognized by what holds and how long, and compared with one another."""

from metacortex.domain.knowledge.snapshot import Replaced, passage, snapshot_hash
from tests.samples import NOW
from tests.statements import a_value

DAY = 86_400_000


def test_a_snapshot_is_recognized_whatever_order_its_facts_come_in() -> None:
    one, other = a_value("a", "1", "p"), a_value("b", "2", "p")

    assert snapshot_hash([one, other]) == snapshot_hash([other, one])
    assert snapshot_hash([one]) != snapshot_hash([one, other])
    assert snapshot_hash([]) == snapshot_hash([])


def test_a_snapshot_changes_with_an_interval() -> None:
    open_ended, closed = a_value("a", "1"), a_value("a", "1", end=NOW + DAY)
    started = a_value("a", "1", start=NOW - DAY)

    assert len({snapshot_hash([fact]) for fact in (open_ended, closed, started)}) == 3


def test_a_snapshot_is_the_digest_that_its_docstring_describes() -> None:
    # sha256 of {"facts":[],"v":1}
    assert snapshot_hash([]) == "546cd0348c77b816c9e7f8d417c8b14a6877aecfdf19992eaa7dacea2c257061"


def test_a_singular_value_in_place_of_another_has_changed() -> None:
    old, new = a_value("noor", "espresso", "drinks"), a_value("noor", "tea", "drinks")
    gone, come = a_value("a", "1"), a_value("b", "2")
    stayed = a_value("c", "3")

    told = passage([old, gone, stayed], [stayed, come, new])

    assert told.changed == (Replaced(old, new),)
    assert (told.ended, told.began) == ((gone,), (come,))


def test_values_that_may_stand_beside_each_other_begin_and_end_each_for_itself() -> None:
    old = a_value("pump", "seal A", "tested_with", singular=False)
    new = a_value("pump", "seal B", "tested_with", singular=False)

    told = passage([old], [new])

    assert (told.began, told.ended, told.changed) == ((new,), (old,), ())
