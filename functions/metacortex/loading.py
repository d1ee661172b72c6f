"""Loading the program without looking for garbage meanwhile."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Put garbage collection off, and spare it whatever has been made by the end, for good.

    Modules make hundreds of thousands of objects that stay. To look through them time and again
    takes a sixth of a cold start.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
