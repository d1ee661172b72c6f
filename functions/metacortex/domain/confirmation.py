"""Forgetting many memories in two steps: a preview counts them, and its confirmation lets go of
what was counted and of nothing else. The ids may be many, so a mark of the store stands for them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from metacortex.domain.errors import InvalidInput
from metacortex.domain.forgetting import Mark
from metacortex.domain.json import JSON
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
    """When was counted, what the store held then, and by which filters."""

    at: Milliseconds
    mark: Mark
    filters: str
    """Digest of them."""

    def check(self, filters: Sequence[MemoryFilter]) -> None:
        """Check that the filters are those by which was counted.

        Raises:
            InvalidInput: they are others.
        """
        if self.filters != digest_of(filters):
            raise InvalidInput(
                "confirmation belongs to other filters; give those of its preview, or"
                f" {CONFIRMATION.remedy}"
            )


def preview_json(preview: Preview) -> Mapping[str, JSON]:
    """Return what is sealed of a preview."""
    return asdict(preview)


def read_preview(sealed: Mapping[str, JSON]) -> Preview:
    """Return the preview of what was sealed.

    Raises:
        InvalidInput: another version of the program has sealed it.
    """
    match sealed:
        case {"at": int(at), "mark": int(mark), "filters": str(filters)}:
            return Preview(at, mark, filters)
    raise InvalidInput(f"confirmation is of another version; {CONFIRMATION.remedy}")
