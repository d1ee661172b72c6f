"""Sources: memories to cite, with when they are true, since when they are known, and the root that
stands for the record that they are from.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from metacortex.domain.client import Principal
from metacortex.domain.errors import InvalidInput
from metacortex.domain.json import JSON
from metacortex.domain.listing import (
    CURSOR,
    MOST_LISTED,
    Cursor,
    Listing,
    cursor_json,
    read_cursor,
)
from metacortex.domain.memory import Memory
from metacortex.domain.search import MOST_MATCHES, NO_FILTERS, Filters, Search
from metacortex.domain.verification import Inclusion, Tree
from metacortex.ports import Clock
from metacortex.service.integrity import IntegrityService
from metacortex.service.listing import ListingService
from metacortex.service.seals import Seals
from metacortex.service.search import SearchService

SOURCES_CURSOR = replace(CURSOR, tool="export_sources", remedy="export again without it")


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
class Progress:
    """How far an export of all has come, and the tree whose root all of its pages bear: None until
    it is known, and for those who may not read all of it.
    """

    cursor: Cursor
    tree: Tree | None = None


@dataclass(frozen=True, slots=True)
class Exported:
    """The memories, the tree of the whole record, None for those who may not read all of it, the
    proofs that were asked for, by id, and where all of it goes on.
    """

    memories: tuple[Memory, ...]
    tree: Tree | None
    inclusions: Mapping[str, Inclusion]
    next_cursor: str | None = None
    is_cut: bool = False
    """Whether a query has found as many as it may, so that more may match."""


class SourceService:
    """What a principal may export of the memories of its tenant: what it may read, and what holds
    at the moment that is asked for.
    """

    def __init__(
        self,
        searches: SearchService,
        listings: ListingService,
        integrity: IntegrityService,
        seals: Seals,
        clock: Clock,
    ) -> None:
        self._searches = searches
        self._listings = listings
        self._integrity = integrity
        self._seals = seals
        self._clock = clock

    async def progress(self, principal: Principal, token: str | None) -> Progress:
        """Return how far the export has come whose cursor was given out as this token; without
        one, that of an export that begins now.

        Raises:
            InvalidInput: it was not given to this principal, is altered, or has expired.
        """
        if token is None:
            return Progress(Cursor(self._clock.now()))
        return _read_progress(await self._seals.opened(SOURCES_CURSOR, principal, token))

    async def export(self, principal: Principal, asked: Export, progress: Progress) -> Exported:
        """Return the best that a query finds, best first, or else all from where it has come to,
        newest first.

        Raises:
            Forbidden: the profile may not see the past, or not read all that proofs would be of.
            InvalidInput: the query is blank, the limit too great, or the pages before the cursor
                had other filters.
            Conflict: with proofs, the record is no more that of the pages before.
            Unavailable: the query could not be embedded, or the store did not answer.
        """
        if asked.proofs:
            self._integrity.check_reads_all(principal)
        if asked.query is not None:
            return await self._found(principal, asked, asked.query)
        found, following = await self._listed(principal, asked, progress.cursor)
        tree, inclusions = await self._rooted(principal, asked, found, progress.tree)
        token = None
        if following is not None:
            sealed = _progress_json(Progress(following, tree))
            token = await self._seals.seal(SOURCES_CURSOR, principal, sealed)
        return Exported(tuple(found), tree, inclusions, token)

    async def _found(self, principal: Principal, asked: Export, query: str) -> Exported:
        search = Search(query, asked.where, asked.limit or MOST_MATCHES)
        searched = await self._searches.search(principal, search)
        found = [match.memory for match in searched.found.matches]
        tree, inclusions = await self._rooted(principal, asked, found, None)
        return Exported(tuple(found), tree, inclusions, is_cut=len(found) == search.limit)

    async def _listed(
        self, principal: Principal, asked: Export, cursor: Cursor
    ) -> tuple[list[Memory], Cursor | None]:
        listing = Listing(asked.where, asked.limit or MOST_LISTED)
        found: list[Memory] = []
        while True:
            memories, _, following = await self._listings.page(principal, listing, cursor)
            found += memories
            if asked.limit is not None or following is None:
                return found, following
            cursor = following

    async def _rooted(
        self, principal: Principal, asked: Export, found: Sequence[Memory], tree: Tree | None
    ) -> tuple[Tree | None, Mapping[str, Inclusion]]:
        # A root tells how much there is of what others may not know of.
        if not principal.reads_all:
            return None, {}
        # Read after the memories, so that all of them are in it.
        return await self._integrity.rooted(principal, found if asked.proofs else (), tree)


def _progress_json(progress: Progress) -> Mapping[str, JSON]:
    tree = progress.tree
    return {
        "cursor": cursor_json(progress.cursor),
        "tree": None if tree is None else {"size": tree.size, "root": tree.root.hex()},
    }


def _read_progress(sealed: Mapping[str, JSON]) -> Progress:
    match sealed:
        case {"cursor": dict(cursor), "tree": None}:
            return Progress(read_cursor(cursor))
        case {"cursor": dict(cursor), "tree": {"size": int(size), "root": str(root)}}:
            return Progress(read_cursor(cursor), Tree(size, bytes.fromhex(root)))
    raise InvalidInput(f"cursor is of another version; {SOURCES_CURSOR.remedy}")
