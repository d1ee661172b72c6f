"""Lists of memories, newest first and page by page."""

from dataclasses import dataclass

from metacortex.domain.client import Principal
from metacortex.domain.listing import (
    CURSOR,
    Cursor,
    Listing,
    cursor_json,
    merged,
    read_cursor,
)
from metacortex.domain.memory import Memory
from metacortex.domain.sealed import Purpose
from metacortex.domain.search import MemoryFilter
from metacortex.ports import Clock, MemoryStore
from metacortex.service.filters import admitted
from metacortex.service.seals import Seals


@dataclass(frozen=True, slots=True)
class Listed:
    """A page, the filters that were applied, one for each state that was listed, and the cursor of
    the next page, None after the last.
    """

    memories: tuple[Memory, ...]
    where: tuple[MemoryFilter, ...]
    next_cursor: str | None


class ListingService:
    """What a principal may list of the memories of its tenant."""

    def __init__(
        self, store: MemoryStore, seals: Seals, clock: Clock, cursors: Purpose = CURSOR
    ) -> None:
        self._store = store
        self._seals = seals
        self._clock = clock
        self._cursors = cursors

    async def cursor(self, principal: Principal, token: str | None) -> Cursor:
        """Return the cursor that was given out as this token; without one, that of a list that
        begins now.

        Raises:
            InvalidInput: it was not given to this principal, is altered, or has expired.
        """
        if token is None:
            return Cursor(self._clock.now())
        return read_cursor(await self._seals.opened(self._cursors, principal, token))

    async def list(self, principal: Principal, listing: Listing, cursor: Cursor) -> Listed:
        """Return the page at a cursor, of the memories that the filters and the principal admit.

        Raises:
            Forbidden: the profile may not see this state, this namespace or the past.
            InvalidInput: the pages before had other filters.
        """
        wheres = admitted(principal, listing.where, cursor.began)
        cursor.check(wheres)
        # One after the other, deprecated last: what is deprecated meanwhile is in one or in both.
        pages = [
            await self._store.list(principal.tenant, where, cursor.after, listing.limit)
            for where in wheres
        ]
        page = merged(pages, listing.limit)
        following = None
        if page.end is not None:
            sealed = cursor_json(cursor.moved(page.end, wheres))
            following = await self._seals.seal(self._cursors, principal, sealed)
        return Listed(page.memories, wheres, following)
