"""A circuit: what has failed several times in a row is left alone for a while.

While it is open every call fails at once, so that nobody waits for what does not answer. After each
rest one call goes through: if it goes well the circuit closes, if not the next rest begins.
"""

from collections.abc import Callable
from typing import TypeAlias

FAILURES = 5
REST = 30.0
"""Seconds."""

Monotonic: TypeAlias = Callable[[], float]


class Circuit:
    """Counts failures in a row; `clock` tells seconds that never run backwards."""

    def __init__(self, clock: Monotonic) -> None:
        self._clock = clock
        self._failures = 0
        self._resting_until = 0.0
        self.fault = ""
        """What the last failure was."""

    def admits(self) -> bool:
        """Tell whether a call may go out now. Who is admitted into an open circuit is the one try
        of this rest.
        """
        if self._failures < FAILURES:
            return True
        if self._clock() < self._resting_until:
            return False
        # From here rather than from its end: a try that is cancelled never tells how it ended.
        self._resting_until = self._clock() + REST
        return True

    def succeeded(self) -> None:
        """Note an answer: the circuit is closed."""
        self._failures = 0

    def failed(self, fault: str) -> None:
        """Note a call that was not answered."""
        self._failures += 1
        self._resting_until = self._clock() + REST
        self.fault = fault
