"""The `mcp` 1 client: ADDRESS MODE [TOKEN]; tells as JSON what it was answered. It has one mode."""

# mypy: ignore-errors
# Runs in an environment of its own: its SDK and the one in ours exclude each other.

import asyncio
import json
import sys

import httpx
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client


async def told(address: str, mode: str, token: str = "") -> dict[str, object]:
    """Use each tool once, one wrongly, a resource and a prompt."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with (
        httpx.AsyncClient(headers=headers, timeout=60) as http,
        streamable_http_client(address, http_client=http) as (reading, writing, _),
        ClientSession(reading, writing) as session,
    ):
        opened = await session.initialize()
        tools = (await session.list_tools()).tools
        text = f"The heron of {mode} nests by the weir."
        saved = await session.call_tool("remember_context", {"content": text})
        found = await session.call_tool("search_context", {"query": text})
        asked = {"document_id": saved.structuredContent["item"]["id"]}
        fetched = await session.call_tool("fetch_context", asked)
        cited = await session.call_tool("search", {"query": text})
        read = await session.call_tool("fetch", {"id": cited.structuredContent["results"][0]["id"]})
        refused = await session.call_tool("fetch_context", {"document_id": "no-such-id"})
        resource = await session.read_resource(f"metacortex://memories/{asked['document_id']}")
        prompt = await session.get_prompt("correct-memory", {"wrong": text, "right": "It left."})
        return {
            "version": opened.protocolVersion,
            "tools": [tool.name for tool in tools],
            "saved": saved.structuredContent,
            "found": found.structuredContent,
            "fetched": fetched.structuredContent,
            "cited": cited.structuredContent,
            "read": read.structuredContent,
            "resource": [content.text for content in resource.contents],
            "prompt": [message.content.text for message in prompt.messages],
            "refused": [refused.isError, *(block.text for block in refused.content)],
        }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(told(*sys.argv[1:]))))
