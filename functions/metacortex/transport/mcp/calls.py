"""One call, and one tool call from the arguments as they came to an answer or an error, with what
its event will tell.
"""

import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from metacortex.domain.client import Principal
from metacortex.domain.errors import InvalidInput, MetaCortexError, OperatorError
from metacortex.domain.json import JSON
from metacortex.domain.text import printable
from metacortex.service.activity import Call
from metacortex.service.services import Services
from metacortex.transport.errors import INTERNAL, error_for_caller, error_for_event, sentence_of
from metacortex.transport.mcp.arguments import read_arguments
from metacortex.transport.mcp.tool import Tool
from metacortex.transport.wire import compact

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Exchange:
    """One authenticated request on its way through the SDK, and the observed call that it turned
    out to be.
    """

    services: Services
    principal: Principal
    call: Call | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What goes back to the caller: the one text block, the structured content, and whether it is a
    failure.
    """

    text: str
    structured: dict[str, JSON]
    failed: bool


@asynccontextmanager
async def observed(services: Services, principal: Principal, name: str) -> AsyncIterator[Call]:
    """Leave the one event of a call by the name of its tool, or of the method where it calls none,
    whatever comes of it.

    What ends the block otherwise than by its answer is told as a fault of our own, unless the call
    already holds another error.
    """
    call = services.activity.open(name)
    try:
        yield call
    except BaseException:
        if call.error is None:
            call.error = INTERNAL
        raise
    finally:
        await services.activity.close(principal.tenant, principal.client_id, call)


async def call_tool(
    tool: Tool, services: Services, principal: Principal, given: Mapping[str, object], call: Call
) -> Outcome:
    """Make a call, and note in `call` what an event may tell of it."""
    values = read_arguments(given, tool.arguments)
    call.request = tool.observe(services.activity, principal, values)
    try:
        if values.fault is not None:
            raise values.fault
        answer = await tool.call(services, principal, values)
    except MetaCortexError as error:
        note_failure(call, error)
        return Outcome(sentence_of(error), error_for_caller(error), failed=True)
    call.response, call.shown = answer.told, answer.shown
    return Outcome(compact(answer.result), answer.result, failed=False)


def note_failure(call: Call, error: MetaCortexError) -> None:
    """Note in `call` that it failed, and log what only the operator can mend."""
    if isinstance(error, OperatorError):
        logger.error("%s", error.sentence)
    call.error = error_for_event(error)


def refused(name: str) -> InvalidInput:
    """Return the error for a tool that does not exist or that the profile lacks: one for both."""
    return InvalidInput(f"Unknown tool '{printable(name, 80)}'")
