"""A call of a tool as a script makes it."""

from typing import Any

import httpx


def call(url: str, token: str, tool: str, **arguments: str) -> dict[str, Any]:
    """Call a tool with one POST, and return its structured content."""
    answer = httpx.post(
        url,
        headers={"Authorization": f"Bearer {token}"},
        json={
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": tool, "arguments": arguments},
        },
        timeout=60,
        trust_env=False,
    )
    assert answer.status_code == 200, answer.text
    result: dict[str, Any] = answer.json()["result"]["structuredContent"]
    return result
