"""The `fastmcp` client: ADDRESS MODE [TOKEN]; tells as JSON what it was answered."""

# mypy: ignore-errors
# Runs in an environment of its own, because no test of ours needs its many dependencies.

import asyncio
import json
import sys

from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport


async def told(address: str, mode: str, token: str = "") -> dict[str, object]:
    """Use each tool once, one wrongly, a resource and a prompt."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with Client(StreamableHttpTransport(address, headers=headers), mode=mode) as client:
        tools = await client.list_tools()
        text = f"The heron of {mode} nests by the weir."
        saved = await client.call_tool("remember_context", {"content": text})
        found = await client.call_tool("search_context", {"query": text})
        asked = {"document_id": saved.structured_content["item"]["id"]}
        fetched = await client.call_tool("fetch_context", asked)
        cited = await client.call_tool("search", {"query": text})
        read = await client.call_tool("fetch", {"id": cited.structured_content["results"][0]["id"]})
        refused = await client.call_tool(
            "fetch_context", {"document_id": "no-such-id"}, raise_on_error=False
        )
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
            "resource": [content.text for content in resource],
            "prompt": [message.content.text for message in prompt.messages],
            "refused": [refused.is_error, *(block.text for block in refused.content)],
        }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(told(*sys.argv[1:]))))
