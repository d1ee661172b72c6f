"""A real MCP client against a running server: the one file that uses the client side of the SDK."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from uuid import uuid4

import httpx2
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from metacortex.domain.errors import InvalidInput, Unavailable
from metacortex.profiles import BROWSER_TOOLS
from metacortex.smoke_mode import Mode

TOPIC = "metacortex-smoke"
TIMEOUT_SECONDS = 60
MOST_MATCHES = 20
_EXPECTED = {
    Mode.ADMIN: (*BROWSER_TOOLS, "deprecate_context"),
    Mode.BROWSER: BROWSER_TOOLS,
    Mode.SEARCH_ONLY: ("search_context",),
}


async def smoke(url: str, token: str, mode: Mode, tell: Callable[[str], None]) -> tuple[str, ...]:
    """Use a server as a client does, `tell` each step that went well, and return the ids of the
    memories that it wrote.

    They are marked and stay, under the topic `metacortex-smoke`.

    Raises:
        InvalidInput: no header can hold the token.
        Unavailable: the server was not reached, refused a call, or answered what it should not.
    """
    if not token.isascii() or not token.isprintable():
        raise InvalidInput("The token must be printable ASCII text")
    statuses: list[int] = []
    found: Exception | None = None
    kept: list[str] = []

    async def note_status(response: httpx2.Response) -> None:
        statuses.append(response.status_code)

    try:
        async with (
            httpx2.AsyncClient(
                headers={"Authorization": f"Bearer {token}"},
                timeout=TIMEOUT_SECONDS,
                event_hooks={"response": [note_status]},
            ) as http,
            Client(
                streamable_http_client(url, http_client=http),
                read_timeout_seconds=TIMEOUT_SECONDS,
                cache=None,
            ) as client,
        ):
            await _Visit(client, tell, kept).make(mode)
    # The SDK runs in task groups, which wrap what ends them; the handshake may raise as it is.
    except* (_Fault, MCPError, httpx2.HTTPError, httpx2.InvalidURL) as group:
        found = _first(group)
    if found is not None:
        raise found if isinstance(found, _Fault) else _Fault(_reason(found, statuses))
    return tuple(kept)


class _Fault(Unavailable):
    """The server did not do what it should."""


@dataclass(frozen=True, slots=True)
class _Visit:
    client: Client
    tell: Callable[[str], None]
    kept: list[str]
    mark: str = field(default_factory=lambda: uuid4().hex)

    async def make(self, mode: Mode) -> None:
        await self._list(mode)
        if mode is Mode.SEARCH_ONLY:
            await self._call("search_context", query="Does the memory answer?")
            self.tell("search_context answers")
            return
        memory_id = await self._remember("The first note")
        await self._find(memory_id)
        await self._fetch(memory_id, "active")
        if mode is Mode.ADMIN:
            await self._replace(memory_id)

    async def _list(self, mode: Mode) -> None:
        names = [tool.name for tool in (await self.client.list_tools()).tools]
        missing = [name for name in _EXPECTED[mode] if name not in names]
        if missing:
            raise _Fault(f"tools/list lacks {', '.join(missing)}; check the profile's allowedTools")
        if mode is Mode.BROWSER and "deprecate_context" in names:
            raise _Fault("tools/list offers deprecate_context, which no web client should have")
        self.tell(f"tools/list answers in {self.client.protocol_version}: {', '.join(names)}")

    async def _remember(self, title: str) -> str:
        content = f"{title} of smoke test {self.mark}: whatever is remembered can be found again."
        result = await self._call("remember_context", content=content, topic=TOPIC)
        memory_id = str(result["item"]["id"])
        self.kept.append(memory_id)
        self.tell(f"remember_context keeps {memory_id}")
        return memory_id

    async def _find(self, memory_id: str) -> None:
        result = await self._call(
            "search_context",
            query=f"The first note of smoke test {self.mark}",
            filter_topic=TOPIC,
            limit=MOST_MATCHES,
        )
        if memory_id not in [match["id"] for match in result["matches"]]:
            raise _Fault(f"search_context does not find {memory_id}, which was just remembered")
        self.tell(f"search_context finds it among {len(result['matches'])}")

    async def _fetch(self, memory_id: str, state: str) -> None:
        item = (await self._call("fetch_context", document_id=memory_id))["item"]
        if self.mark not in item["content"] or item["metadata"]["branch_state"] != state:
            raise _Fault(f"fetch_context does not return {memory_id} as it was remembered")
        self.tell(f"fetch_context returns it, {state}")

    async def _replace(self, memory_id: str) -> None:
        replacement = await self._remember("The second note")
        await self._call(
            "deprecate_context", document_id=memory_id, superseding_document_id=replacement
        )
        self.tell(f"deprecate_context replaces {memory_id}")
        await self._fetch(memory_id, "deprecated")

    async def _call(self, tool: str, **arguments: str | int) -> Mapping[str, Any]:
        result = await self.client.call_tool(tool, arguments)
        answer: Mapping[str, Any] = result.structured_content or {}
        if result.is_error:
            message = answer.get("error", {}).get("message", "an error without a sentence")
            raise _Fault(f"{tool} answers: {message}")
        return answer


def _first(group: BaseExceptionGroup[Exception]) -> Exception:
    error = group.exceptions[0]
    return _first(error) if isinstance(error, BaseExceptionGroup) else error


def _reason(error: Exception, statuses: list[int]) -> str:
    if statuses and statuses[-1] >= HTTPStatus.BAD_REQUEST:
        status = HTTPStatus(statuses[-1])
        return f"The server answers {status.value} {status.phrase}; check the address and the token"
    if isinstance(error, MCPError):
        return f"The server answers: {error.message}"
    if isinstance(error, httpx2.UnsupportedProtocol | httpx2.InvalidURL):
        return "The address must be an http or https URL that ends in /mcp"
    return f"The server was not reached ({type(error).__name__}); is it running at this address?"
