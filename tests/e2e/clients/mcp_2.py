"""The `mcp` 2 client: ADDRESS MODE [TOKEN]; tells as JSON what it was answered."""

import asyncio
import json
import sys
from typing import Any

import httpx2
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client


async def told(address: str, mode: str, token: str = "") -> dict[str, Any]:
    """Use each tool once, one wrongly, a resource and a prompt."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        transport = streamable_http_client(address, http_client=http)
        async with Client(transport, mode=mode) as client:
            tools = (await client.list_tools()).tools
            text = f"The heron of {mode} nests by the weir."
            saved = await client.call_tool("remember_context", {"content": text})
            found = await client.call_tool("search_context", {"query": text})
            assert saved.structured_content is not None
            assert found.structured_content is not None
            asked = {"document_id": saved.structured_content["item"]["id"]}
            fetched = await client.call_tool("fetch_context", asked)
            cited = await client.call_tool("search", {"query": text})
            assert cited.structured_content is not None
            read = await client.call_tool(
                "fetch", {"id": cited.structured_content["results"][0]["id"]}
            )
            refused = await client.call_tool("fetch_context", {"document_id": "no-such-id"})
            resource = await client.read_resource(f"metacortex://memories/{asked['document_id']}")
            prompt = await client.get_prompt("correct-memory", {"wrong": text, "right": "It left."})
            return {
                "version": client.protocol_version,
                "tools": [tool.name for tool in tools],
                "saved": saved.structured_content,
                "found": found.structured_content,
                "fetched": fetched.structured_content,
                "cited": cited.structured_content,
                "read": read.structured_content,
                "resource": [content.text for content in resource.contents],  # type: ignore[union-attr]
                "prompt": [message.content.text for message in prompt.messages],  # type: ignore[union-attr]
                "refused": [refused.is_error, *(block.text for block in refused.content)],  # type: ignore[union-attr]
            }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(told(*sys.argv[1:]))))
