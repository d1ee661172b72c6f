"""The memory in process: what the server's tools do, for programs that need no server."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from os import PathLike, fspath

from metacortex.bootstrap import TOOL_NAMES, build
from metacortex.config import Settings
from metacortex.domain.client import DEFAULT_TENANT, Principal, check_tenant, whole_tenant
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import DEFAULT_TOPIC, Memory, NewMemory, listed_refs
from metacortex.domain.search import Filters, Match, Search
from metacortex.service.memories import Remembered
from metacortex.service.services import Services

CLIENT_ID = "library"


@dataclass(frozen=True, slots=True)
class OpenMemory:
    """One tenant's memory while it is open; its calls leave no events.

    What goes wrong is told by the errors of `metacortex.domain.errors`, and by no others.
    """

    _services: Services
    _principal: Principal

    async def remember(
        self,
        content: str,
        *,
        topic: str = DEFAULT_TOPIC,
        state: BranchState = BranchState.ACTIVE,
        artifact_refs: tuple[str, ...] = (),
    ) -> Remembered:
        """Store a text, or return the stored memory that an equal write of a moment ago made.

        Raises:
            InvalidInput: a text is blank or no Unicode, or a label is over its limit.
            TooLarge: the text is over its limit.
            Unavailable: it could not be embedded, or not stored, and then at most its new names
                are.
        """
        refs = listed_refs(artifact_refs)
        new = NewMemory(content.strip(), topic.strip() or DEFAULT_TOPIC, state, refs)
        return await self._services.memories.remember(self._principal, new)

    async def search(
        self,
        query: str,
        *,
        topic: str | None = None,
        state: BranchState | None = None,
        limit: int | None = None,
    ) -> tuple[Match, ...]:
        """Return what a query finds, best first.

        Raises:
            InvalidInput: a text is blank or no Unicode, or the limit is not from 1 to 20.
            Unavailable: it could not be embedded, or the store did not answer.
        """
        search = Search(query.strip(), Filters(topic, state), limit)
        return (await self._services.searches.search(self._principal, search)).found.matches

    async def fetch(self, memory_id: str) -> Memory:
        """Return one memory.

        Raises:
            NotFound: there is none with this id.
        """
        return await self._services.memories.fetch(self._principal, memory_id)

    async def deprecate(self, memory_id: str, *, by: str) -> Memory:
        """Take a memory out of active search, name the one that replaces it, and return it.

        Raises:
            InvalidInput, NotFound, Conflict: as `MemoryService.deprecate` does.
        """
        return (await self._services.memories.deprecate(self._principal, memory_id, by)).memory


@asynccontextmanager
async def open_memory(
    path: str | PathLike[str],
    tenant: str = DEFAULT_TENANT,
    settings: Mapping[str, str] | None = None,
) -> AsyncIterator[OpenMemory]:
    """See `metacortex.open`."""
    check_tenant(tenant)
    env = {**(settings or {}), "METACORTEX_DATA_DIR": fspath(path)}
    read = Settings.from_env(env, TOOL_NAMES, serving=False)
    program = build(read)
    try:
        await program.open()
        principal = whole_tenant(CLIENT_ID, tenant, read.default_filter_state)
        yield OpenMemory(program.services, principal)
    finally:
        await program.aclose()
