"""Loading the program."""

import gc

import pytest

from metacortex.loading import uncollected


def test_garbage_is_not_looked_for_while_modules_load_and_is_after() -> None:
    with uncollected():
        assert not gc.isenabled()
    assert gc.isenabled()
    gc.unfreeze()


def test_what_was_loaded_is_spared_by_later_collections() -> None:
    before = gc.get_freeze_count()
    with uncollected():
        loaded = [[place] for place in range(1_000)]
    assert gc.get_freeze_count() >= before + len(loaded)
    gc.unfreeze()


def test_a_module_that_fails_to_load_leaves_collecting_on() -> None:
    with pytest.raises(ImportError), uncollected():
        raise ImportError("cut short")
    assert gc.isenabled()
    gc.unfreeze()
