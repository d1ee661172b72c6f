"""From what a caller narrows down by to the filters that a store is given."""

from collections.abc import Iterable
from dataclasses import replace

from metacortex.domain.client import Principal, check_namespace
from metacortex.domain.dates.period import Period
from metacortex.domain.errors import Forbidden
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.moment import Milliseconds
from metacortex.domain.search import Filters, MemoryFilter
from metacortex.service.permissions import check_may_look_back


def admitted(principal: Principal, asked: Filters, now: Milliseconds) -> tuple[MemoryFilter, ...]:
    """Return a filter for each state that is read, as `of_one_moment` does. What is deprecated has
    mostly ended, so it is read whenever it was true, unless a moment is named.

    Raises:
        Forbidden: the profile may not see the state, the namespace or the past.
    """
    wheres = of_one_moment(principal, asked, now)
    if asked.valid_at is not None:
        return wheres
    return tuple(
        replace(where, valid_at=None) if where.branch_state is BranchState.DEPRECATED else where
        for where in wheres
    )


def of_one_moment(
    principal: Principal,
    asked: Filters,
    now: Milliseconds,
    known_at: Milliseconds | None = None,
) -> tuple[MemoryFilter, ...]:
    """Return a filter for each state that is read: for a moment in the past, or as it was known at
    one, two, unless one is named, since what held then may be deprecated by now.

    Raises:
        Forbidden: the profile may not see the state, the namespace or the past.
    """
    at = now if asked.valid_at is None else asked.valid_at.as_of(now)
    past = min(at, now if known_at is None else known_at) < now
    states = _states(principal, asked.branch_state, past=past)
    namespaces = namespaces_read(principal, asked.namespace)
    return tuple(
        MemoryFilter(
            namespaces=namespaces,
            branch_state=state,
            valid_at=at,
            topic=asked.topic,
            kinds=asked.kinds,
            tags=asked.tags,
            tags_match=asked.tags_match,
            session_id=asked.session_id,
            min_importance=asked.min_importance,
            client=asked.client,
            created_from=_after(asked.created_after),
            created_until=_before(asked.created_before),
            started_from=_after(asked.started_after),
            started_until=_before(asked.started_before),
        )
        for state in states
    )


def renewed(
    wheres: Iterable[MemoryFilter], taken: Milliseconds, now: Milliseconds
) -> tuple[MemoryFilter, ...]:
    """Return filters for the present, as it is now in place of when it was taken before; others as
    they are.

    What replaces a fact starts when it is written. To whom that moment is still to come, the one
    has ended and the other not begun. So the present is taken as late as it can be.
    """
    return tuple(
        replace(where, valid_at=now) if where.valid_at == taken else where for where in wheres
    )


def namespaces_read(principal: Principal, asked: str | None) -> tuple[str, ...] | None:
    """Return the namespaces to look in, None: all of the tenant's; `asked` is the one that was
    named.

    Raises:
        InvalidInput: no namespace can have this name.
        Forbidden: the profile may not read it.
    """
    check_namespace(asked)
    if asked is None:
        return principal.readable_namespaces
    if not principal.may_read(asked):
        raise Forbidden(f"namespace '{asked}' cannot be read by this client")
    return (asked,)


def _after(period: Period | None) -> Milliseconds | None:
    return period.after if period else None


def _before(period: Period | None) -> Milliseconds | None:
    return period.before if period else None


def _states(
    principal: Principal, asked: BranchState | None, *, past: bool
) -> tuple[BranchState, ...]:
    if asked is not None and asked not in principal.filter_states:
        raise Forbidden(f"filter_state '{asked}' is not allowed for this client")
    if past:
        check_may_look_back(principal)
    if asked is not None:
        return (asked,)
    own = principal.default_filter_state
    return tuple(dict.fromkeys((own, BranchState.DEPRECATED))) if past else (own,)
