"""Forgetting many memories in two steps: a preview counts them, and its confirmation lets go of
what was counted and of nothing else.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from metacortex.domain.errors import Conflict, InvalidInput
from metacortex.domain.json import JSON
from metacortex.domain.memory import Memory
from metacortex.domain.moment import Milliseconds
from metacortex.domain.sealed import Purpose
from metacortex.domain.search import MemoryFilter, digest_of

MOST_IDS = 100
"""How many memories may be named by their ids."""
SHOWN_IDS = 10
"""How many a preview names."""
CONFIRMATION = Purpose(
    tool="forget_context",
    argument="confirmation",
    lifetime=300_000,
    remedy="preview again without it",
)


@dataclass(frozen=True, slots=True)
class Preview:
    """What was counted, when, and by which filters."""

    at: Milliseconds
    count: int
    filters: str
    """Digest of them."""

    def covers(self, memory: Memory) -> bool:
        """Whether a memory that passes the filters did so when it was counted: it has not been
        saved or changed since.
        """
        return memory.recorded_at <= self.at and memory.updated_at <= self.at

    def check(self, filters: Sequence[MemoryFilter], found: int) -> None:
        """Check that what is to be forgotten is what was counted; some may be gone already.

        Raises:
            InvalidInput: the filters are others.
            Conflict: it is more.
        """
        if self.filters != digest_of(filters):
            raise InvalidInput(
                "confirmation belongs to other filters; give those of its preview, or"
                f" {CONFIRMATION.remedy}"
            )
        if found > self.count:
            raise Conflict(f"More memories match than were counted; {CONFIRMATION.remedy}")


def preview_json(preview: Preview) -> Mapping[str, JSON]:
    """Return what is sealed of a preview."""
    return asdict(preview)


def read_preview(sealed: Mapping[str, JSON]) -> Preview:
    """Return the preview of what was sealed.

    Raises:
        InvalidInput: another version of the program has sealed it.
    """
    match sealed:
        case {"at": int(at), "count": int(count), "filters": str(filters)}:
            return Preview(at, count, filters)
    raise InvalidInput(f"confirmation is of another version; {CONFIRMATION.remedy}")
