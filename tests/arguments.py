"""Holding every argument that tools advertise to change their answer."""

from collections.abc import Sequence
from typing import TypeAlias

from tests.endpoint import Endpoint, Json
from tests.world import TOOL_NAMES

ByArgument: TypeAlias = dict[tuple[str, str], tuple[Json, Json]]
"""By tool and argument, two calls that differ in nothing else."""

_FIRST_OF_KNOWLEDGE = TOOL_NAMES.index("forget_context") + 1
OF_MEMORIES = TOOL_NAMES[:_FIRST_OF_KNOWLEDGE]
OF_KNOWLEDGE = TOOL_NAMES[_FIRST_OF_KNOWLEDGE:]


async def check_arguments(
    endpoint: Endpoint, by_argument: ByArgument, tools: Sequence[str]
) -> None:
    """Make all calls, which must be there for each argument of these tools, in order."""
    advertised = [
        (tool["name"], name)
        for tool in await endpoint.tools()
        for name in tool["inputSchema"]["properties"]
        if tool["name"] in tools
    ]
    assert list(by_argument) == advertised
    answers = [
        [(await endpoint.tool(name, arguments)).text for arguments in pair]
        for (name, _), pair in by_argument.items()
    ]
    same = [name for name, pair in zip(by_argument, answers, strict=True) if pair[0] == pair[1]]
    assert same == []
