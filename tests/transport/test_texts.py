"""Texts: every character is kept, and every limit told."""

import json
from typing import Any

import pytest

from tests.endpoint import Endpoint, framed
from tests.world import World


@pytest.mark.rule("C60", "C62", "C76", "C86")
@pytest.mark.case("K08")
async def test_what_is_written_can_be_read_and_found_at_once(admin: Endpoint) -> None:
    text = "Schlüssel für Tor 4:\n\n\t→ bei Frau Ümit, täglich ab 07:15"
    item = await admin.save(f" \n\u3000{text}\u00a0 ", topic="gates")
    (match,) = await admin.search("Tor 4 Schlüssel")
    assert (await admin.item(item["id"]))["content"] == text
    assert (match["id"], match["content_preview"]) == (item["id"], " ".join(text.split()))


@pytest.mark.rule("C60", "C62")
@pytest.mark.case("K17")
@pytest.mark.parametrize("escaped", [True, False])
async def test_every_script_comes_back_from_escapes_and_from_raw_text(
    admin: Endpoint, escaped: bool
) -> None:
    text = (
        "🧠👩‍👩‍👧 漢字かな 한글 עברית \u202eRTL\u202c é e\u0301 \u200b\u2028x \U0001d518 ไทย"
        " before\x00after \x1b[31m \x07 \x7f \r\n\t  two <script>alert('x')</script> \\ \" &amp; {}"
    )
    params = {"name": "remember_context", "arguments": {"content": text, "topic": "sujet-日本語"}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    content = json.dumps(message, ensure_ascii=escaped).encode()
    response = await admin.send(content=content)
    item = response.json()["result"]["structuredContent"]["item"]
    assert (item["content"], item["metadata"]["topic"]) == (text, "sujet-日本語")
    assert await admin.item(item["id"]) == item


@pytest.mark.rule("C61", "C30")
@pytest.mark.case("K17")
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("remember_context", {"content": "half \ud83d pair"}),
        ("remember_context", {"content": "x", "topic": "half \ud83d"}),
        ("remember_context", {"content": "x", "artifact_refs": ["\udc00"]}),
        ("search_context", {"query": "half \ud83d"}),
        ("fetch_context", {"document_id": "\ud83d"}),
    ],
)
async def test_half_a_surrogate_pair_is_refused_and_disturbs_nobody(
    world: World, admin: Endpoint, era: str, name: str, arguments: dict[str, Any]
) -> None:
    headers, raw = framed("tools/call", {"name": name, "arguments": arguments}, era)
    escaped = json.dumps(json.loads(raw))
    assert "\\ud" in escaped
    for content in (escaped.encode(), raw.encode(errors="surrogatepass")):
        response = await admin.send(content=content, headers=headers)
        assert (response.status_code, response.json()["error"]["code"]) == (400, -32700)
    assert await world.store.count("default") == 0
    assert (await admin.save("Toast 🍺 at 18:00"))["content"] == "Toast 🍺 at 18:00"


@pytest.mark.rule("C60", "C76")
async def test_a_long_text_comes_back_whole_and_is_found_by_its_end(admin: Endpoint) -> None:
    text = "The migration of the ledger continued. " * 5_000 + "The code word is heliotrope."
    item = await admin.save(text)
    assert (await admin.item(item["id"]))["content"] == text
    assert await admin.found("heliotrope") == [item["id"]]


@pytest.mark.rule("C62a")
@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (
            {"content": "ä" * 350_001},
            "too_large",
            "content is too long; ingest long texts as documents",
        ),
        (
            {"content": "x" * 699_000, "artifact_refs": ["r" * 1_001]},
            "too_large",
            "content is too long; ingest long texts as documents",
        ),
        (
            {"content": "x", "topic": "t" * 201},
            "invalid_input",
            "topic must be at most 200 characters",
        ),
        (
            {"content": "x", "artifact_refs": [str(number) for number in range(101)]},
            "invalid_input",
            "artifact_refs must hold at most 100 references",
        ),
        (
            {"content": "x", "artifact_refs": ["r" * 2_049]},
            "invalid_input",
            "artifact_refs must be at most 2048 characters each",
        ),
        (
            {"topic": "t" * 201, "draft": True, "branch_state": "wip"},
            "invalid_input",
            "topic must be at most 200 characters",
        ),
    ],
)
async def test_what_passes_a_limit_is_refused(
    world: World, arguments: dict[str, Any], code: str, sentence: str
) -> None:
    outcome = await world.endpoint().tool("remember_context", arguments)
    assert outcome.failure == (code, sentence)
    assert await world.store.count("default") == 0


@pytest.mark.rule("C62a", "C62")
async def test_what_is_just_within_every_limit_is_stored_whole(admin: Endpoint) -> None:
    refs = [f"{number:03}" + "🧠" * 2_045 for number in range(50)]
    topic = "\U0001d518" * 200
    content = "x" * (700_000 - sum(len(ref.encode()) for ref in refs))
    item = await admin.save(content, topic=topic, artifact_refs=refs)
    assert await admin.item(item["id"]) == item
    assert item["content"] == content
    assert (item["metadata"]["topic"], item["metadata"]["artifact_refs"]) == (topic, refs)
