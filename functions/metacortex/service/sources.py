"""Sources: memories to cite, with when they are true, since when they are known, and the root that
stands for the record that they are from.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from metacortex.domain.client import Principal
from metacortex.domain.listing import MOST_LISTED, Cursor, Listing
from metacortex.domain.memory import Memory
from metacortex.domain.search import MOST_MATCHES, NO_FILTERS, Filters, Search
from metacortex.domain.verification import Inclusion, Tree
from metacortex.service.integrity import IntegrityService
from metacortex.service.listing import ListingService
from metacortex.service.search import SearchService


@dataclass(frozen=True, slots=True)
class Export:
    """What is to be exported: what a query finds, else all, of a moment; and whether each source
    comes with the proof that it is in the record.
    """

    query: str | None = None
    where: Filters = NO_FILTERS
    limit: int | None = None
    """How many at most; None: as many as a query finds, or all there are."""
    proofs: bool = False


@dataclass(frozen=True, slots=True)
class Exported:
    """The memories, the tree of the whole record, None for those who may not read all of it, the
    proofs that were asked for, by id, and where all of it goes on.
    """

    memories: tuple[Memory, ...]
    tree: Tree | None
    inclusions: dict[str, Inclusion]
    next_cursor: str | None = None


class SourceService:
    """What a principal may export of the memories of its tenant: what it may read, and what holds
    at the moment that is asked for.
    """

    def __init__(
        self, searches: SearchService, listings: ListingService, integrity: IntegrityService
    ) -> None:
        self._searches = searches
        self._listings = listings
        self._integrity = integrity

    async def cursor(self, principal: Principal, token: str | None) -> Cursor:
        """Return the cursor that was given out as this token; without one, that of an export that
        begins now.

        Raises:
            InvalidInput: it was not given to this principal, is altered, or has expired.
        """
        return await self._listings.cursor(principal, token)

    async def export(self, principal: Principal, asked: Export, cursor: Cursor) -> Exported:
        """Return the best that a query finds, best first, or else all from a cursor on, newest
        first.

        Raises:
            Forbidden: the profile may not see the past, or not read all that proofs would be of.
            InvalidInput: the query is blank, the limit too great, or the pages before the cursor
                had other filters.
            Unavailable: the query could not be embedded, or the store did not answer.
        """
        if asked.proofs:
            self._integrity.check_reads_all(principal)
        if asked.query is not None:
            search = Search(asked.query, asked.where, asked.limit or MOST_MATCHES)
            searched = await self._searches.search(principal, search)
            found, following = [match.memory for match in searched.found.matches], None
        else:
            found, following = await self._listed(principal, asked, cursor)
        return await self._rooted(principal, asked, found, following)

    async def _listed(
        self, principal: Principal, asked: Export, cursor: Cursor
    ) -> tuple[list[Memory], str | None]:
        listing = Listing(asked.where, asked.limit or MOST_LISTED)
        found: list[Memory] = []
        while True:
            page = await self._listings.list(principal, listing, cursor)
            found += page.memories
            if asked.limit is not None or page.next_cursor is None:
                return found, page.next_cursor
            cursor = await self._listings.cursor(principal, page.next_cursor)

    async def _rooted(
        self,
        principal: Principal,
        asked: Export,
        found: Sequence[Memory],
        following: str | None,
    ) -> Exported:
        # A root tells how much there is of what others may not know of.
        if not principal.reads_all:
            return Exported(tuple(found), None, {}, following)
        # Read after the memories, so that all of them are in it.
        proved = found if asked.proofs else ()
        tree, inclusions = await self._integrity.rooted(principal, proved)
        return Exported(tuple(found), tree, inclusions, following)
