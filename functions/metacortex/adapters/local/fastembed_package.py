"""The package fastembed: how it is loaded, and what its failures are told as."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType

from metacortex.domain.errors import Unavailable


def part_of_fastembed(name: str = "fastembed") -> ModuleType:
    """Return the package, or one of its modules.

    Raises:
        Unavailable: it is not installed.
    """
    try:
        return import_module(name)
    except ImportError as fault:
        raise Unavailable(
            "fastembed is not installed; start with METACORTEX_EXTRAS=fastembed scripts/serve"
        ) from fault


@contextmanager
def translated(what: str, setting: str) -> Iterator[None]:
    """Tell whatever the package raises in one sentence: what failed, and which setting names it."""
    try:
        yield
    # Its tokenizer and its runtime raise plain exceptions.
    except Exception as fault:
        raise Unavailable(
            f"{what}; check {setting}, and the network that its first use downloads it from"
        ) from fault
