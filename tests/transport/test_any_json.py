"""Whatever JSON comes in, an answer or a well-formed error goes out."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metacortex.transport.mcp.prompts import PROMPTS
from metacortex.transport.mcp.resources import RESOURCES
from metacortex.transport.mcp.tools import TOOLS
from tests.endpoint import ERAS, Endpoint, framed
from tests.world import TOOL_NAMES, World

ARGUMENT_NAMES = sorted({argument.name for tool in TOOLS for argument in tool.arguments})
WORDS = st.sampled_from(
    ["active", "wip", "true", "3", "", " ", "x", "image/png", "QUJD", "[", '["a"]', "\x00", "🧠"]
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | WORDS
    | st.text(max_size=20)
)
KEYS = st.text(max_size=5)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=5,
)
ARGUMENTS = st.dictionaries(
    st.sampled_from(ARGUMENT_NAMES) | st.text(max_size=5), VALUES, max_size=5
)
READING = (
    *("resources/list", "resources/templates/list", "resources/read"),
    *("prompts/list", "prompts/get"),
)
LENIENT = settings(
    max_examples=100,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def is_well_formed(message: dict[str, Any]) -> bool:
    """Whether a message is a result, a failure the caller can act on, or a protocol error."""
    if "error" in message:
        code = int(message["error"]["code"])
        return -32768 <= code <= -32000 and code != -32603
    result = message["result"]
    (block,) = result["content"]
    structured = result["structuredContent"]
    if result.get("isError"):
        return bool(structured["error"]["message"] == block["text"])
    return bool(json.loads(block["text"]) == structured)


@pytest.mark.rule("C11", "C30", "C48", "C61")
@LENIENT
@given(name=st.sampled_from(TOOL_NAMES), arguments=ARGUMENTS | VALUES, era=st.sampled_from(ERAS))
async def test_any_json_into_a_tool_gives_a_result_or_a_well_formed_error(
    world: World, name: str, arguments: Any, era: str
) -> None:
    headers, _ = framed("tools/call", {"name": name}, era)
    _, content = framed("tools/call", {"name": name, "arguments": arguments}, era)
    body = content.encode("utf-8", "surrogatepass")
    response = await world.endpoint().send(content=body, headers=headers)
    assert response.status_code in (200, 400)
    assert is_well_formed(response.json())


@pytest.mark.rule("C11", "C30", "C31")
@LENIENT
@given(message=VALUES, era=st.sampled_from([*ERAS, "1999-01-01", "x"]))
async def test_any_json_as_a_message_is_answered(world: World, message: Any, era: str) -> None:
    content = json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass")
    response = await world.endpoint().send(content=content, headers={"MCP-Protocol-Version": era})
    assert response.status_code == 400
    assert response.json()["error"]["code"] in (-32700, -32600, -32602)


@pytest.mark.rule("C11", "C32", "C34", "C40")
@LENIENT
@given(
    method=st.sampled_from(["tools/list", "tools/call", "initialize", "ping", *READING])
    | st.text(max_size=10),
    params=st.dictionaries(
        st.sampled_from(["name", "arguments", "uri", "_meta", "cursor", "protocolVersion"]), VALUES
    ),
    request_id=st.none() | st.integers() | st.text(max_size=5),
    era=st.sampled_from(ERAS),
)
async def test_any_request_is_answered(
    world: World, method: str, params: dict[str, Any], request_id: Any, era: str
) -> None:
    message = {"jsonrpc": "2.0", "method": method, "params": params}
    if request_id is not None:
        message["id"] = request_id
    content = json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass")
    response = await world.endpoint().send(content=content, headers={"MCP-Protocol-Version": era})
    assert response.status_code in (200, 202, 400, 404)
    if response.status_code == 202:
        assert response.content == b""
    elif "error" in response.json():
        assert response.json()["error"]["code"] != -32603


@pytest.mark.rule("C11")
@LENIENT
@given(
    uri=st.sampled_from([resource.uri for resource in RESOURCES])
    | st.text(max_size=40).map(lambda text: f"metacortex://memories/{text}")
    | st.text(max_size=40),
    name=st.sampled_from([prompt.name for prompt in PROMPTS]) | st.text(max_size=5),
    given_=st.dictionaries(
        st.sampled_from(["component", "symptom", "wrong", "right", "since"]) | KEYS,
        st.text(max_size=20),
        max_size=4,
    ),
)
async def test_any_address_and_any_arguments_of_a_prompt_are_answered(
    world: World, uri: str, name: str, given_: dict[str, str]
) -> None:
    for method, params in (
        ("resources/read", {"uri": uri}),
        ("prompts/get", {"name": name, "arguments": given_}),
    ):
        headers, content = framed(method, params, ERAS[0])
        body = content.encode("utf-8", "surrogatepass")
        message = (await world.endpoint().send(content=body, headers=headers)).json()
        assert "result" in message or message["error"]["code"] in (-32602, -32700)


@pytest.mark.rule("C11", "C30", "C7")
@LENIENT
@given(content=st.binary(max_size=200))
async def test_any_bytes_are_answered(world: World, content: bytes) -> None:
    response = await world.endpoint().send(content=content)
    assert response.status_code == 400
    assert response.headers["content-type"] == "application/json"
    assert response.json()["error"]["code"] in (-32700, -32600, -32602)


@pytest.mark.rule("C60", "C62", "C86")
@LENIENT
@given(text=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60))
async def test_any_text_comes_back_as_it_was_given(world: World, text: str) -> None:
    keeping: Endpoint = world.endpoint("keeping")
    outcome = await keeping.tool("remember_context", {"content": text, "topic": text})
    if not text.strip():
        assert outcome.failure[0] == "invalid_input"
        return
    item = outcome.success["item"]
    assert (item["content"], item["metadata"]["topic"]) == (text.strip(), text.strip())
    assert await keeping.item(item["id"]) == item
    assert await keeping.found(text, filter_topic=text) == [item["id"]]
