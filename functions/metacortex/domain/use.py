"""Use: how often a memory came back in an answer, and when last. No search ranks by it."""

from dataclasses import dataclass

from metacortex.domain.memory import Memory
from metacortex.domain.moment import Milliseconds


@dataclass(frozen=True, slots=True)
class Use:
    """How often something came back, and when last."""

    access_count: int
    last_accessed_at: Milliseconds

    def again(self, at: Milliseconds) -> "Use":
        """Return it with one more access."""
        return Use(self.access_count + 1, max(self.last_accessed_at, at))


NO_USE = Use(0, 0)


@dataclass(frozen=True, slots=True)
class Used:
    """A memory and its use."""

    memory: Memory
    use: Use
