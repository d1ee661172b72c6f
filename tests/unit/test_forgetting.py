"""What a text is recognized by after it was forgotten."""

from metacortex.domain.forgetting import (
    Forgetting,
    Tombstone,
    has_moved,
    text_mac,
    tombstone_key,
)
from metacortex.domain.lifecycle import BranchState, Standing, orphaning
from tests.samples import a_change, a_memory


def test_only_who_has_the_key_recognizes_a_text() -> None:
    key = tombstone_key(b"secret", "acme")
    mac = text_mac(key, "The pump is blue.")
    assert mac == text_mac(key, "The pump is blue.")
    others = {
        text_mac(tombstone_key(b"another", "acme"), "The pump is blue."),
        text_mac(tombstone_key(b"secret", "beta"), "The pump is blue."),
        text_mac(key, "The pump is red."),
    }
    assert mac not in others
    assert len(others) == 3


def test_a_tombstone_says_of_a_memory_that_it_was() -> None:
    how = Forgetting(b"key", "cli", 7)
    tombstone = how.tombstone(a_memory("m1", content="Of the pump."))
    assert tombstone == Tombstone("m1", text_mac(b"key", "Of the pump."), 7, "cli")
    others = [
        Tombstone("m2", tombstone.text_mac, 7, "cli"),
        Tombstone("m1", "0", 7, "cli"),
        Tombstone("m1", tombstone.text_mac, 8, "cli"),
        Tombstone("m1", tombstone.text_mac, 7, "web"),
    ]
    assert len({tombstone.sha256, *(other.sha256 for other in others)}) == 5


def test_to_lose_its_replacement_or_itself_is_no_move() -> None:
    saved = a_change(a_memory("m1"))
    orphaned = orphaning("m1", Standing(BranchState.DEPRECATED, "m2"), "cli", 7)
    gone = Forgetting(b"key", "cli", 7).tombstone(a_memory("m1"))
    assert not has_moved([])
    assert not has_moved([orphaned, gone])
    assert has_moved([orphaned, saved])
