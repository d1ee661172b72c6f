"""Fixture tools and a prompt that need the client's input before they can answer (2026-07-28)."""

import hashlib
import hmac
from collections.abc import Mapping
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    CallToolRequestParams,
    CallToolResult,
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    GetPromptRequestParams,
    GetPromptResult,
    InputRequiredResult,
    ListRootsRequest,
    ListRootsResult,
    PromptMessage,
    SamplingMessage,
)

from tests.conformance.fixture_content import said, text_block

Context = ServerRequestContext[Any, Any]
Answer = CallToolResult | InputRequiredResult
Asked = CreateMessageRequest | ListRootsRequest | ElicitRequest
_KEY = b"fixtures"


async def elicitation(_: Context, params: CallToolRequestParams) -> Answer:
    """Ask for a name, then greet."""
    name = _told(params, "user_name", "name")
    if name is None:
        return InputRequiredResult(input_requests={"user_name": _ask("What is your name?", "name")})
    return said(f"Hello, {name}!")


async def sampling(_: Context, params: CallToolRequestParams) -> Answer:
    """Ask the client's model for a capital."""
    response = (params.input_responses or {}).get("capital_question")
    if not isinstance(response, CreateMessageResult):
        question = _sample("What is the capital of France?", 100)
        return InputRequiredResult(input_requests={"capital_question": question})
    return said(f"The model said: {response.content}")


async def list_roots(_: Context, params: CallToolRequestParams) -> Answer:
    """Ask for the client's roots, then name them."""
    response = (params.input_responses or {}).get("client_roots")
    if not isinstance(response, ListRootsResult):
        return InputRequiredResult(input_requests={"client_roots": ListRootsRequest()})
    return said("Roots: " + ", ".join(str(root.uri) for root in response.roots))


async def request_state(_: Context, params: CallToolRequestParams) -> Answer:
    """Hand out a sealed state, and accept no other."""
    if params.request_state is None:
        asked: dict[str, Asked] = {"confirm": _ask("Please confirm", "ok", "boolean")}
        return InputRequiredResult(input_requests=asked, request_state=_sealed("confirming"))
    _unsealed(params.request_state)
    return said("state-ok")


async def multiple_inputs(_: Context, params: CallToolRequestParams) -> Answer:
    """Ask for three things of three kinds at once."""
    if set(params.input_responses or {}) >= {"user_name", "greeting", "client_roots"}:
        _unsealed(params.request_state)
        return said("All three came back.")
    return InputRequiredResult(
        input_requests={
            "user_name": _ask("What is your name?", "name"),
            "greeting": _sample("Generate a greeting", 50),
            "client_roots": ListRootsRequest(),
        },
        request_state=_sealed("three"),
    )


async def multi_round(_: Context, params: CallToolRequestParams) -> Answer:
    """Ask twice, each time with a new state."""
    state = None if params.request_state is None else _unsealed(params.request_state)
    if state == "step2" and _told(params, "step2", "color") is not None:
        return said("Both steps are done.")
    if state == "step1" and _told(params, "step1", "name") is not None:
        return _step("step2", _ask("Step 2: What is your favorite color?", "color"))
    return _step("step1", _ask("Step 1: What is your name?", "name"))


async def by_capabilities(context: Context, _: CallToolRequestParams) -> Answer:
    """Ask only for what the client has declared that it can do."""
    declared = context.session.client_capabilities
    asked: dict[str, Asked] = {}
    if declared is not None and declared.sampling is not None:
        asked["greeting"] = _sample("Generate a greeting", 50)
    if declared is not None and declared.elicitation is not None:
        asked["user_name"] = _ask("What is your name?", "name")
    return InputRequiredResult(input_requests=asked) if asked else said("Nothing can be asked.")


async def missing_capability(context: Context, _: CallToolRequestParams) -> Answer:
    """Need sampling, and refuse a client without it."""
    declared = context.session.client_capabilities
    if declared is None or declared.sampling is None:
        raise MCPError(
            code=MISSING_REQUIRED_CLIENT_CAPABILITY,
            message="This tool needs a client that can sample",
            data={"requiredCapabilities": {"sampling": {}}},
        )
    return said("The client can sample.")


async def prompt_with_input(
    params: GetPromptRequestParams,
) -> GetPromptResult | InputRequiredResult:
    """Ask for the context of a prompt, then render it."""
    context = _told(params, "user_context", "context")
    if context is None:
        asked = _ask("What context should the prompt use?", "context")
        return InputRequiredResult(input_requests={"user_context": asked})
    message = PromptMessage(role="user", content=text_block(f"Use this context: {context}"))
    return GetPromptResult(messages=[message])


def _step(name: str, asked: ElicitRequest) -> InputRequiredResult:
    return InputRequiredResult(input_requests={name: asked}, request_state=_sealed(name))


def _told(
    params: CallToolRequestParams | GetPromptRequestParams, key: str, field: str
) -> object | None:
    """Return what the client's user entered for `field`, or None if nothing usable came."""
    response = (params.input_responses or {}).get(key)
    if not isinstance(response, ElicitResult) or response.action != "accept":
        return None
    content: Mapping[str, object] = response.content or {}
    return content.get(field)


def _ask(message: str, field: str, kind: str = "string") -> ElicitRequest:
    schema = {"type": "object", "properties": {field: {"type": kind}}, "required": [field]}
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))


def _sample(text: str, max_tokens: int) -> CreateMessageRequest:
    message = SamplingMessage(role="user", content=text_block(text))
    return CreateMessageRequest(
        params=CreateMessageRequestParams(messages=[message], max_tokens=max_tokens)
    )


def _sealed(state: str) -> str:
    return f"{state}.{hmac.new(_KEY, state.encode(), hashlib.sha256).hexdigest()}"


def _unsealed(state: str | None) -> str:
    plain = (state or "").rpartition(".")[0]
    if state is None or not hmac.compare_digest(state.encode(), _sealed(plain).encode()):
        raise MCPError(code=INVALID_PARAMS, message="The request state is not one of this server")
    return plain
