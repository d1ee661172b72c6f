"""From what a caller narrows down by to the filter that a store is given."""

from metacortex.domain.client import Principal
from metacortex.domain.errors import Forbidden
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.moment import Milliseconds
from metacortex.domain.search import MemoryFilter


def filter_of(
    principal: Principal, topic: str | None, state: BranchState | None, now: Milliseconds
) -> MemoryFilter:
    """Return the filter that admits what the principal may see of what is asked for; an absent
    state means the profile's default.

    Raises:
        Forbidden: the profile may not see this state.
    """
    state = state or principal.default_filter_state
    if state not in principal.filter_states:
        raise Forbidden(f"filter_state '{state}' is not allowed for this client")
    return MemoryFilter(principal.readable_namespaces, state, now, topic)
