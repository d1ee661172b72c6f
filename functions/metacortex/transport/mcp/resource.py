"""A resource as data: its address, what it says of itself, and how it is read."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from metacortex.domain.client import Principal
from metacortex.domain.json import JSON
from metacortex.service.services import Services
from metacortex.transport.mcp.arguments import read_arguments
from metacortex.transport.mcp.tool import Answer, Tool

MEDIA_TYPE = "application/json"

Read: TypeAlias = Callable[[Services, Principal, str], Awaitable[Answer]]
"""Returns what stands at an address; the text is what stands for the variable, or empty."""

_VARIABLE = re.compile(r"\{\w+\}$")


@dataclass(frozen=True, slots=True)
class Resource:
    """One resource of the MCP surface, or a family of them."""

    uri: str
    """The address; that of a family ends in a variable in braces."""
    name: str
    title: str
    description: str
    tools: tuple[frozenset[str], ...]
    """Whoever has all tools of one of these sets reads the same by them, and so may read it."""
    read: Read

    @property
    def is_family(self) -> bool:
        """Whether there is one for each value of a variable."""
        return _VARIABLE.search(self.uri) is not None

    def is_for(self, principal: Principal) -> bool:
        """Whether it is there for this principal."""
        return any(principal.tools.issuperset(each) for each in self.tools)

    def variable_in(self, uri: str) -> str | None:
        """Return what stands for the variable in the address of one of the family, empty for a
        resource that has none; None: the address is not its own.
        """
        if not self.is_family:
            return "" if uri == self.uri else None
        root = _VARIABLE.sub("", self.uri)
        value = uri.removeprefix(root)
        return value if uri.startswith(root) and value and "/" not in value else None

    def listed(self) -> dict[str, JSON]:
        """Return what a list says of it."""
        return {
            "uriTemplate" if self.is_family else "uri": self.uri,
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "mimeType": MEDIA_TYPE,
        }


def as_tool(tool: Tool, variable: str | None = None, **fixed: object) -> Read:
    """Return how a resource is read that a tool reads too: with these arguments, and with what
    stands for the variable of the address as the one of this name.
    """

    async def read(services: Services, principal: Principal, value: str) -> Answer:
        given = {**fixed, variable: value} if variable else fixed
        values = read_arguments(given, tool.arguments)
        if values.fault is not None:
            raise values.fault
        return await tool.call(services, principal, values)

    return read
