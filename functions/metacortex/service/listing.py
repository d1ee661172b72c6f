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

    def __init__(self, store: MemoryStore, seals: Seals, clock: Clock) -> None:
        self._store = store
        self._seals = seals
        self._clock = clock

    async def cursor(self, principal: Principal, token: str | None) -> Cursor:
        """Return the cursor that was given out as this token; without one, that of a list that
        begins now.

        Raises:
            InvalidInput: it was not given to this principal, is altered, or has expired.
        """
        if token is None:
            return Cursor(self._clock.now())
        return read_cursor(await self._seals.opened(CURSOR, principal, token))

    async def list(self, principal: Principal, listing: Listing, cursor: Cursor) -> Listed:
        """Return the page at a cursor, of the memories that the filters and the principal admit.

        Raises:
            Forbidden: the profile may not see this state, this namespace or the past.
            InvalidInput: the pages before had other filters.
        """
        memories, wheres, following = await self.page(principal, listing, cursor)
        token = None
        if following is not None:
            token = await self._seals.seal(CURSOR, principal, cursor_json(following))
        return Listed(memories, wheres, token)

    async def page(
        self, principal: Principal, listing: Listing, cursor: Cursor
    ) -> tuple[tuple[Memory, ...], tuple[MemoryFilter, ...], Cursor | None]:
        """Return a page as `list` does, with the cursor of the next one unsealed.

        Raises:
            Forbidden, InvalidInput: as `list` does.
        """
        wheres = admitted(principal, listing.where, cursor.began)
        cursor.check(wheres)
        # One after the other, deprecated last: what is deprecated meanwhile is in one or in both.
        pages = [
            await self._store.list(principal.tenant, where, cursor.after, listing.limit)
            for where in wheres
        ]
        page = merged(pages, listing.limit)
        following = None if page.end is None else cursor.moved(page.end, wheres)
        return page.memories, wheres, following
