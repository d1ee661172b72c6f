"""A tool as data: what it says of itself, what an event may tell of it, and the one call that it
makes.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass

from metacortex.domain.client import Principal
from metacortex.domain.json import JSON
from metacortex.service.activity import Activity
from metacortex.service.services import Services
from metacortex.transport.mcp.arguments import Argument, Values

MOST_SENTENCES = 5
"""How long the instructions are at most (contract C36)."""


@dataclass(frozen=True, slots=True)
class Hints:
    """The four annotations that clients decide by.

    A missing one would be read as the worst, so none is.
    """

    read_only: bool
    destructive: bool
    idempotent: bool
    open_world: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What a call came to: the result for the caller, and what an event may tell of it."""

    result: dict[str, JSON]
    told: dict[str, JSON]
    shown: tuple[str, ...] = ()
    """The ids of the memories that came back, which counts as their use."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool of the MCP surface."""

    name: str
    title: str
    description: str
    instruction: str
    """One sentence of the server's instructions, for profiles that have the tool."""
    arguments: tuple[Argument, ...]
    result_schema: Mapping[str, JSON]
    """The schema of a success; its `required` keys are those of the contract."""
    hints: Hints
    observe: Callable[[Activity, Principal, Values], dict[str, JSON]]
    """What an event may tell of the arguments that could be read."""
    call: Callable[[Services, Principal, Values], Awaitable[Answer]]
    keeps: str = ""
    """What it keeps, of a tool that the instructions name where they have no room for a sentence of
    it: nothing else leads to facts and episodes.
    """

    def listed(self, principal: Principal) -> dict[str, JSON]:
        """Return what `tools/list` says of it."""
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": self.input_schema(principal),
            "outputSchema": self.output_schema,
            "annotations": {
                "title": self.title,
                "readOnlyHint": self.hints.read_only,
                "destructiveHint": self.hints.destructive,
                "idempotentHint": self.hints.idempotent,
                "openWorldHint": self.hints.open_world,
            },
        }

    def input_schema(self, principal: Principal) -> dict[str, JSON]:
        """Return the closed schema of the arguments, with this principal's defaults."""
        schema: dict[str, JSON] = {
            "type": "object",
            "properties": {
                argument.name: argument.schema(principal) for argument in self.arguments
            },
            "additionalProperties": False,
        }
        required = [argument.name for argument in self.arguments if argument.required]
        return {**schema, "required": required} if required else schema

    @property
    def output_schema(self) -> dict[str, JSON]:
        """Return a schema that a success and a failure both meet: clients check failures against it
        too.
        """
        return {"type": "object", "anyOf": [dict(self.result_schema), _FAILURE]}


def instructions(tools: Iterable[Tool]) -> str:
    """Return what the server says of itself: its purpose, with what keeps facts and episodes, and
    how the first of the tools serve.
    """
    tools = [*tools]
    first, rest = tools[: MOST_SENTENCES - 1], tools[MOST_SENTENCES - 1 :]
    further = (f"; {tool.name} keeps {tool.keeps}" for tool in rest if tool.keeps)
    purpose = f"MetaCortex is a memory that outlives this conversation{''.join(further)}."
    return " ".join((purpose, *(tool.instruction for tool in first)))


_FAILURE: dict[str, JSON] = {
    "type": "object",
    "properties": {
        "error": {
            "type": "object",
            "properties": {"code": {"type": "string"}, "message": {"type": "string"}},
            "required": ["code", "message"],
        }
    },
    "required": ["error"],
}
