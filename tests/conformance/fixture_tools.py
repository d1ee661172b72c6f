"""The tools that the conformance suite calls."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    InputRequiredResult,
    SamplingMessage,
    Tool,
)

from tests.conformance import fixture_inputs as inputs
from tests.conformance.fixture_content import (
    audio_block,
    image_block,
    resource_block,
    said,
    text_block,
)

Context = ServerRequestContext[Any, Any]
Answer = CallToolResult | InputRequiredResult


@dataclass(frozen=True, slots=True)
class FixtureTool:
    """A tool and what it answers."""

    name: str
    description: str
    answer: Callable[[Context, CallToolRequestParams], Awaitable[Answer]]
    input_schema: dict[str, Any] = field(
        default_factory=lambda: {"type": "object", "additionalProperties": False}
    )

    @property
    def listed(self) -> Tool:
        """Return the tool as it is listed."""
        return Tool(name=self.name, description=self.description, input_schema=self.input_schema)


def _always(
    result: CallToolResult,
) -> Callable[[Context, CallToolRequestParams], Awaitable[Answer]]:
    async def answer(_: Context, __: CallToolRequestParams) -> Answer:
        return result

    return answer


async def _with_logging(context: Context, _: CallToolRequestParams) -> Answer:
    for line in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await context.session.send_log_message("info", line, related_request_id=context.request_id)
    return said("Three lines were logged.")


async def _with_progress(context: Context, _: CallToolRequestParams) -> Answer:
    for done in (0, 50, 100):
        await context.session.report_progress(done, 100)
    return said("Progress was reported three times.")


async def _sampling(context: Context, params: CallToolRequestParams) -> Answer:
    prompt = str((params.arguments or {}).get("prompt"))
    message = SamplingMessage(role="user", content=text_block(prompt))
    result = await context.session.create_message([message], max_tokens=100)
    return said(f"LLM response: {result.content}")


def _eliciting(
    message: str, properties: dict[str, Any]
) -> Callable[[Context, CallToolRequestParams], Awaitable[Answer]]:
    async def answer(context: Context, params: CallToolRequestParams) -> Answer:
        asked = str((params.arguments or {}).get("message", message))
        result = await context.session.elicit_form(
            asked, {"type": "object", "properties": properties, "required": list(properties)}
        )
        return said(f"User response: action={result.action}, content={result.content}")

    return answer


def _closed(*names: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: {"type": "string"} for name in names},
        "required": list(names),
        "additionalProperties": False,
    }


_PLAIN: dict[str, Any] = {"type": "string"}
_DEFAULTS: dict[str, Any] = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {
        "type": "string",
        "enum": ["active", "inactive", "pending"],
        "default": "active",
    },
    "verified": {"type": "boolean", "default": True},
}
_ENUMS: dict[str, Any] = {
    "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
    "titledSingle": {"type": "string", "oneOf": [{"const": "value1", "title": "First Option"}]},
    "legacyEnum": {"type": "string", "enum": ["opt1"], "enumNames": ["Option One"]},
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1"]}},
    "titledMulti": {
        "type": "array",
        "items": {"anyOf": [{"const": "value1", "title": "First Choice"}]},
    },
}
# What the suite looks for again in the list, keyword by keyword.
_SCHEMA_2020_12: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": _PLAIN, "city": _PLAIN},
        }
    },
    "properties": {
        "name": _PLAIN,
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": _PLAIN,
        "email": _PLAIN,
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}

_ROUTED: dict[str, Any] = {
    "type": "object",
    "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
    "additionalProperties": False,
}

TOOLS = (
    FixtureTool(
        "test_simple_text",
        "Returns a text.",
        _always(said("This is a simple text response for testing.")),
    ),
    FixtureTool(
        "test_image_content", "Returns an image.", _always(CallToolResult(content=[image_block()]))
    ),
    FixtureTool(
        "test_audio_content", "Returns a sound.", _always(CallToolResult(content=[audio_block()]))
    ),
    FixtureTool(
        "test_embedded_resource",
        "Returns a resource.",
        _always(
            CallToolResult(
                content=[
                    resource_block(
                        "test://embedded-resource",
                        "text/plain",
                        "This is an embedded resource content.",
                    )
                ]
            )
        ),
    ),
    FixtureTool(
        "test_multiple_content_types",
        "Returns a text, an image and a resource.",
        _always(
            CallToolResult(
                content=[
                    text_block("Multiple content types test:"),
                    image_block(),
                    resource_block(
                        "test://mixed-content-resource",
                        "application/json",
                        '{"test":"data","value":123}',
                    ),
                ]
            )
        ),
    ),
    FixtureTool(
        "test_error_handling",
        "Fails.",
        _always(
            CallToolResult(
                content=[text_block("This tool intentionally returns an error for testing")],
                is_error=True,
            )
        ),
    ),
    FixtureTool("test_tool_with_logging", "Logs three lines.", _with_logging),
    FixtureTool("test_logging_tool", "Logs three lines.", _with_logging),
    FixtureTool("test_tool_with_progress", "Reports progress.", _with_progress),
    FixtureTool("test_sampling", "Asks the client's model.", _sampling, _closed("prompt")),
    FixtureTool(
        "test_elicitation",
        "Asks the client's user.",
        _eliciting("", {"username": _PLAIN, "email": _PLAIN}),
        _closed("message"),
    ),
    FixtureTool(
        "test_elicitation_sep1034_defaults",
        "Asks the client's user, with defaults.",
        _eliciting("Please check", _DEFAULTS),
    ),
    FixtureTool(
        "test_elicitation_sep1330_enums",
        "Asks the client's user to choose.",
        _eliciting("Please choose", _ENUMS),
    ),
    FixtureTool(
        "json_schema_2020_12_tool", "Has a rich schema.", _always(said("Fine.")), _SCHEMA_2020_12
    ),
    FixtureTool("test_routed_by_header", "Is routed.", _always(said("Fine.")), _ROUTED),
    FixtureTool("test_missing_capability", "Needs sampling.", inputs.missing_capability),
    FixtureTool("test_streaming_elicitation", "Asks for a name.", inputs.elicitation),
    FixtureTool("test_input_required_result_elicitation", "Asks for a name.", inputs.elicitation),
    FixtureTool("test_input_required_result_sampling", "Asks for a capital.", inputs.sampling),
    FixtureTool("test_input_required_result_list_roots", "Asks for roots.", inputs.list_roots),
    FixtureTool("test_input_required_result_request_state", "Confirms.", inputs.request_state),
    FixtureTool("test_input_required_result_tampered_state", "Confirms.", inputs.request_state),
    FixtureTool("test_input_required_result_multiple_inputs", "Asks.", inputs.multiple_inputs),
    FixtureTool("test_input_required_result_multi_round", "Asks twice.", inputs.multi_round),
    FixtureTool("test_input_required_result_capabilities", "Asks.", inputs.by_capabilities),
)
