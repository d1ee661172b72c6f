"""Calling a tool from the command line, as a client calls it: what is valid, what is said and what
is recorded is the same.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import typer

from metacortex.commands.console import note, print_json
from metacortex.commands.filters import Filter, narrowed
from metacortex.commands.invocation import Invocation
from metacortex.domain.client import Principal

if TYPE_CHECKING:
    from metacortex.service.services import Services
    from metacortex.transport.mcp.calls import Outcome
    from metacortex.transport.mcp.tool import Tool

# A result is read as a client reads it: as JSON, whose shape the output schemas tell.
Result: TypeAlias = Mapping[str, Any]


async def call(
    invocation: Invocation,
    tenant: str,
    tool: str,
    given: Mapping[str, object],
    show: Callable[[Result], None],
    where: Iterable[Filter] | None = None,
) -> Result:
    """Call a tool and `show` its result, or print it as JSON where that is wanted; return it.

    Raises:
        Exit: the call failed, and why is said.
        InvalidInput: `where` names what is no filter of the tool, or is given already.
        ConfigurationError: it would read a folder that is not there.
    """
    if where:
        given = narrowed(tool, given, where)
    return await call_as(invocation, tenant, _tool(tool), given, show)


async def call_as(
    invocation: Invocation,
    tenant: str,
    tool: "Tool",
    given: Mapping[str, object],
    show: Callable[[Result], None],
) -> Result:
    """Call a tool as `call` does, which may be one that the command line alone has.

    Raises:
        Exit, ConfigurationError: as `call` does.
    """
    settings = invocation.settings()
    if tool.hints.read_only:
        invocation.check_readable(settings)
    principal = invocation.principal(settings, tenant)
    async with invocation.program(settings) as program:
        outcome = await _called(program.services, principal, tool, given)
    if invocation.as_json:
        print_json(outcome.structured)
    elif outcome.failed:
        note(outcome.text)
    else:
        show(outcome.structured)
    if outcome.failed:
        raise typer.Exit(1)
    return outcome.structured


async def called(
    services: "Services", principal: Principal, name: str, given: Mapping[str, object]
) -> "Outcome":
    """Call a tool, and leave its event."""
    return await _called(services, principal, _tool(name), given)


async def _called(
    services: "Services", principal: Principal, tool: "Tool", given: Mapping[str, object]
) -> "Outcome":
    from metacortex.transport.mcp.calls import call_tool, observed

    async with observed(services, principal, tool.name) as made:
        return await call_tool(tool, services, principal, given, made)


def _tool(name: str) -> "Tool":
    from metacortex.transport.mcp.tools import TOOLS

    return next(tool for tool in TOOLS if tool.name == name)
