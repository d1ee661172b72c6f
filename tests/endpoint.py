"""Speaking to one MCP endpoint as a client does, in either era of the protocol."""

import json
from collections.abc import AsyncIterable, Mapping
from dataclasses import dataclass
from typing import Any

import httpx

Json = dict[str, Any]

HANDSHAKE = "2025-11-25"
STATELESS = "2026-07-28"
ERAS = (HANDSHAKE, STATELESS)


@dataclass(frozen=True)
class Outcome:
    """What a tool call came to."""

    message: Json

    @property
    def result(self) -> Json:
        """The JSON-RPC result."""
        assert "result" in self.message, self.message
        return dict(self.message["result"])

    @property
    def text(self) -> str:
        """The one text block."""
        (block,) = self.result["content"]
        assert block["type"] == "text"
        return str(block["text"])

    @property
    def success(self) -> Json:
        """The structured content of a call that succeeded, held to be the text block's."""
        assert not self.result.get("isError"), self.text
        assert json.loads(self.text) == self.result["structuredContent"]
        return dict(self.result["structuredContent"])

    @property
    def failure(self) -> tuple[str, str]:
        """The code and the sentence of a call that failed, held to be told in the one form."""
        assert self.result["isError"] is True, self.text
        error = self.result["structuredContent"]["error"]
        assert error == {"code": error["code"], "message": self.text}
        return str(error["code"]), self.text

    @property
    def refusal(self) -> str:
        """The words of a refusal, be it a JSON-RPC error or a failed result."""
        if "error" in self.message:
            assert self.message["error"]["code"] == -32602, self.message
            return str(self.message["error"]["message"])
        return self.failure[1]


@dataclass(frozen=True)
class Endpoint:
    """One endpoint with its right token, spoken to in one era."""

    http: httpx.AsyncClient
    path: str
    token: str
    era: str = HANDSHAKE

    async def send(
        self,
        method: str = "POST",
        *,
        content: str | bytes | AsyncIterable[bytes] | None = None,
        headers: Mapping[str, str | bytes | None] | None = None,
        token: str | bytes | None = "",
        query: str = "",
    ) -> httpx.Response:
        """Send one raw request.

        The right token goes along unless `token` is a whole `Authorization` value, or None for no
        such header; nor does any other header go whose value is None.
        """
        sent: dict[str, str | bytes | None] = {
            "Accept": "application/json, text/event-stream",
            "Content-Type": "application/json",
            "Authorization": f"Bearer {self.token}" if token == "" else token,
            **(headers or {}),
        }
        given = [
            (name.encode(), value.encode() if isinstance(value, str) else value)
            for name, value in sent.items()
            if value is not None
        ]
        url = f"{self.path}?{query}" if query else self.path
        request = self.http.build_request(method, url, content=content, headers=given)
        for name in [name for name, value in sent.items() if value is None]:
            request.headers.pop(name, None)
        return await self.http.send(request)

    async def ping(self, **how: Any) -> httpx.Response:
        """Send the cheapest request that a right token gets 200 for."""
        headers, content = framed("tools/list", {}, self.era)
        return await self.send(
            content=content, headers={**headers, **how.pop("headers", {})}, **how
        )

    async def rpc(
        self,
        method: str,
        params: Json | None = None,
        *,
        request_id: object = 1,
        headers: Mapping[str, str | None] | None = None,
    ) -> Json:
        """Send one JSON-RPC request and return the message that answers it."""
        framing, content = framed(method, params or {}, self.era, request_id)
        response = await self.send(content=content, headers={**framing, **(headers or {})})
        return dict(response.json())

    async def tools(self) -> list[Json]:
        """Return the listed tools."""
        return list((await self.rpc("tools/list"))["result"]["tools"])

    async def tool(self, name: str, arguments: object) -> Outcome:
        """Call a tool."""
        return Outcome(await self.rpc("tools/call", {"name": name, "arguments": arguments}))

    async def read(self, uri: str) -> Json:
        """Read a resource and return what stands there."""
        message = await self.rpc("resources/read", {"uri": uri})
        (content,) = message["result"]["contents"]
        assert (content["uri"], content["mimeType"]) == (uri, "application/json")
        return dict(json.loads(content["text"]))

    async def prompted(self, name: str, **arguments: str) -> str:
        """Return what a prompt tells the model."""
        message = await self.rpc("prompts/get", {"name": name, "arguments": arguments})
        (told,) = message["result"]["messages"]
        assert (told["role"], told["content"]["type"]) == ("user", "text")
        return str(told["content"]["text"])

    async def remember(self, content: str, **arguments: Any) -> Json:
        """Remember a text and return the whole result."""
        return (await self.tool("remember_context", {"content": content, **arguments})).success

    async def save(self, content: str, **arguments: Any) -> Json:
        """Remember a text and return the item."""
        return dict((await self.remember(content, **arguments))["item"])

    async def search(self, query: str, **arguments: Any) -> list[Json]:
        """Search and return the matches."""
        outcome = await self.tool("search_context", {"query": query, **arguments})
        return list(outcome.success["matches"])

    async def found(self, query: str, **arguments: Any) -> list[str]:
        """Search and return the ids of the matches."""
        return [match["id"] for match in await self.search(query, **arguments)]

    async def fetch(self, document_id: object) -> Outcome:
        """Fetch one memory."""
        return await self.tool("fetch_context", {"document_id": document_id})

    async def item(self, document_id: str) -> Json:
        """Fetch one memory and return the item."""
        return dict((await self.fetch(document_id)).success["item"])

    async def deprecate(self, document_id: object, superseding: object) -> Outcome:
        """Deprecate one memory in favour of another."""
        return await self.tool(
            "deprecate_context",
            {"document_id": document_id, "superseding_document_id": superseding},
        )

    async def promote(self, document_id: object, **arguments: Any) -> Outcome:
        """Promote one draft."""
        return await self.tool("promote_context", {"document_id": document_id, **arguments})

    async def consolidate(self, **arguments: object) -> Outcome:
        """Let one memory take the place of several."""
        return await self.tool("consolidate_context", arguments)

    async def upsert(
        self, subject: str, predicate: str, value: str | None = None, **arguments: object
    ) -> Json:
        """State a fact and return the whole result."""
        stated = {"subject_id": subject, "predicate": predicate, "object_value": value}
        return (await self.tool("upsert_fact", {**stated, **arguments})).success

    async def state(
        self, subject: str, predicate: str, value: str | None = None, **arguments: object
    ) -> Json:
        """State a fact and return it."""
        return dict((await self.upsert(subject, predicate, value, **arguments))["fact"])


def framed(
    method: str, params: Json, era: str, request_id: object = 1
) -> tuple[dict[str, str], str]:
    """Return the headers and the body of one JSON-RPC request as `era` wants them."""
    headers = {"MCP-Protocol-Version": era}
    if era == STATELESS:
        headers["Mcp-Method"] = method
        named = params.get("uri" if method == "resources/read" else "name")
        if isinstance(named, str):
            headers["Mcp-Name"] = named
        params = {**params, "_meta": envelope(era)}
    message = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}
    return headers, json.dumps(message, ensure_ascii=False)


def envelope(version: str) -> Json:
    """Return the `_meta` of a stateless request."""
    return {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
