"""The resources, prompts and completions that the conformance suite reads."""

import json
import re
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    BlobResourceContents,
    CompleteRequestParams,
    CompleteResult,
    Completion,
    EmptyResult,
    GetPromptRequestParams,
    GetPromptResult,
    InputRequiredResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    Prompt,
    PromptArgument,
    PromptMessage,
    ReadResourceRequestParams,
    ReadResourceResult,
    RequestParams,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from tests.conformance.fixture_content import PNG, image_block, resource_block, text_block
from tests.conformance.fixture_inputs import prompt_with_input

Context = ServerRequestContext[Any, Any]
_STATIC_TEXT = "test://static-text"
_STATIC_BINARY = "test://static-binary"
_TEMPLATED = re.compile(r"test://template/([^/]+)/data")
# Of a fixture nothing ever changes.
_HINTS: dict[str, Any] = {"ttl_ms": 60_000, "cache_scope": "private"}


async def list_resources(_: Context, __: RequestParams) -> ListResourcesResult:
    """List the two that have an address of their own."""
    resources = [
        Resource(
            uri=_STATIC_TEXT, name="text", description="A static text.", mime_type="text/plain"
        ),
        Resource(
            uri=_STATIC_BINARY, name="image", description="A static image.", mime_type="image/png"
        ),
    ]
    return ListResourcesResult(resources=resources, **_HINTS)


async def list_templates(_: Context, __: RequestParams) -> ListResourceTemplatesResult:
    """List the one family."""
    template = ResourceTemplate(
        uri_template="test://template/{id}/data", name="templated", description="One for each id."
    )
    return ListResourceTemplatesResult(resource_templates=[template], **_HINTS)


async def read_resource(_: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
    """Read one of the above."""
    contents: TextResourceContents | BlobResourceContents
    uri = str(params.uri)
    if uri == _STATIC_TEXT:
        text = "This is the content of the static text resource."
        contents = TextResourceContents(uri=uri, mime_type="text/plain", text=text)
    elif uri == _STATIC_BINARY:
        contents = BlobResourceContents(uri=uri, mime_type="image/png", blob=PNG)
    elif matched := _TEMPLATED.fullmatch(uri):
        name = matched.group(1)
        value = {"id": name, "templateTest": True, "data": f"Data for ID: {name}"}
        contents = TextResourceContents(
            uri=uri, mime_type="application/json", text=json.dumps(value)
        )
    else:
        raise MCPError(code=INVALID_PARAMS, message="Resource not found", data={"uri": uri})
    return ReadResourceResult(contents=[contents], **_HINTS)


async def list_prompts(_: Context, __: RequestParams) -> ListPromptsResult:
    """List the prompts."""
    prompts = [
        _prompt("test_simple_prompt"),
        _prompt("test_prompt_with_arguments", "arg1", "arg2"),
        _prompt("test_prompt_with_embedded_resource", "resourceUri"),
        _prompt("test_prompt_with_image"),
        _prompt("test_input_required_result_prompt"),
    ]
    return ListPromptsResult(prompts=prompts, **_HINTS)


async def get_prompt(
    _: Context, params: GetPromptRequestParams
) -> GetPromptResult | InputRequiredResult:
    """Render one of the prompts."""
    given = params.arguments or {}
    match params.name:
        case "test_simple_prompt":
            return _rendered(text_block("This is a simple prompt for testing."))
        case "test_prompt_with_arguments":
            first, second = given.get("arg1"), given.get("arg2")
            return _rendered(text_block(f"Prompt with arguments: arg1='{first}', arg2='{second}'"))
        case "test_prompt_with_embedded_resource":
            text = "Embedded resource content for testing."
            return _rendered(
                resource_block(given.get("resourceUri", ""), "text/plain", text),
                text_block("Please process the embedded resource above."),
            )
        case "test_prompt_with_image":
            return _rendered(image_block(), text_block("Please analyze the image above."))
        case "test_input_required_result_prompt":
            return await prompt_with_input(params)
    raise MCPError(code=INVALID_PARAMS, message="Prompt not found")


async def complete(_: Context, __: CompleteRequestParams) -> CompleteResult:
    """Offer nothing: the suite asks only for the shape."""
    return CompleteResult(completion=Completion(values=[], total=0, has_more=False))


async def accept(_: Context, __: RequestParams) -> EmptyResult:
    """Answer what needs no more than an acknowledgement."""
    return EmptyResult()


def _prompt(name: str, *arguments: str) -> Prompt:
    asked = [PromptArgument(name=each, description=each, required=True) for each in arguments]
    return Prompt(name=name, description=f"The fixture {name}.", arguments=asked or None)


def _rendered(*blocks: Any) -> GetPromptResult:
    return GetPromptResult(messages=[PromptMessage(role="user", content=each) for each in blocks])
