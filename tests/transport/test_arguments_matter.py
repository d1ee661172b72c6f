"""No argument that a tool advertises is without effect."""

import pytest

from tests.arguments import OF_MEMORIES, ByArgument, check_arguments
from tests.endpoint import Endpoint, Json

FURTHER: tuple[tuple[str, object, Json], ...] = (
    ("kind", ["episode"], {}),
    ("tags", ["none"], {}),
    ("tags_match", "all", {"tags": ["none"]}),
    ("session_id", "another", {}),
    ("min_importance", 0.9, {}),
    ("namespace", "team", {}),
    ("created_after", "2027", {}),
    ("created_before", "2026", {}),
    ("started_after", "2025", {}),
    ("started_before", "2025", {}),
    ("valid_at", "2025", {}),
    ("client", "nobody", {}),
)
"""A value for each of the further filters, and what it needs beside it."""


@pytest.mark.case("K02")
async def test_every_advertised_argument_changes_the_answer(admin: Endpoint) -> None:
    """A row for each argument: two calls that differ in nothing else must answer differently."""
    item = await admin.save("The relay is in rack C.", topic="racks")
    other = await admin.save("The relay is in rack C as well.", topic="other")
    third = await admin.save("The relay is in rack D.", topic="other")
    drafts = [await admin.save(f"A draft, number {n}.", draft=True) for n in range(3)]
    replaced = await admin.save("The relay was in rack A.", topic="other")
    merging = [
        (await admin.save(f"Rack {n} is full.", topic="merging", draft=True))["id"]
        for n in range(8)
    ]
    forgotten = [
        await admin.save(f"To be forgotten, {n}.", topic="forgotten", tags=["red"])
        for n in range(3)
    ]
    image = {"image_base64": "QUJD", "image_mime_type": "image/png"}
    by_argument: ByArgument = {
        ("remember_context", "content"): ({"content": "One."}, {"content": "Two."}),
        ("remember_context", "topic"): ({"content": "Three."}, {"content": "Three.", "topic": "t"}),
        ("remember_context", "draft"): ({"content": "Four."}, {"content": "Four.", "draft": True}),
        ("remember_context", "branch_state"): (
            {"content": "Five."},
            {"content": "Five.", "branch_state": "merged"},
        ),
        ("remember_context", "image_base64"): (
            {**image, "content": "Six."},
            {**image, "content": "Six.", "image_base64": "REVG"},
        ),
        ("remember_context", "image_mime_type"): (
            {**image, "content": "Seven."},
            {**image, "content": "Seven.", "image_mime_type": "image/gif"},
        ),
        ("remember_context", "artifact_refs"): (
            {"content": "Eight."},
            {"content": "Eight.", "artifact_refs": ["a"]},
        ),
        **{
            ("remember_context", name): (
                {**given, "content": f"With {name}."},
                {**given, "content": f"With {name}.", name: value},
            )
            for name, value, given in (
                ("kind", "episode", {}),
                ("tags", ["a"], {}),
                ("importance", 0.9, {}),
                ("session_id", "s", {}),
                ("title", "t", {"kind": "episode"}),
                ("valid_from", "2026-01", {}),
                ("valid_until", "2027-01", {}),
                ("namespace", "team", {}),
                ("supersedes", replaced["id"], {}),
                ("entities", ["Rack C"], {}),
            )
        },
        ("search_context", "query"): ({"query": "rack D"}, {"query": "well"}),
        ("search_context", "filter_topic"): (
            {"query": "relay"},
            {"query": "relay", "filter_topic": "racks"},
        ),
        ("search_context", "filter_state"): (
            {"query": "relay"},
            {"query": "relay", "filter_state": "wip"},
        ),
        ("search_context", "limit"): ({"query": "relay"}, {"query": "relay", "limit": 1}),
        ("search_context", "mode"): ({"query": "relay"}, {"query": "relay", "mode": "words"}),
        ("search_context", "min_score"): ({"query": "relay"}, {"query": "relay", "min_score": 1}),
        **{
            ("search_context", name): (
                {"query": "relay", **given},
                {"query": "relay", **given, name: value},
            )
            for name, value, given in FURTHER
        },
        ("search_context", "explain"): ({"query": "relay"}, {"query": "relay", "explain": True}),
        ("fetch_context", "document_id"): (
            {"document_id": item["id"]},
            {"document_id": other["id"]},
        ),
        ("deprecate_context", "document_id"): (
            {"document_id": item["id"], "superseding_document_id": third["id"]},
            {"document_id": other["id"], "superseding_document_id": third["id"]},
        ),
        ("deprecate_context", "superseding_document_id"): (
            {"document_id": item["id"], "superseding_document_id": third["id"]},
            {"document_id": item["id"], "superseding_document_id": other["id"]},
        ),
        ("compile_context", "query"): ({"query": "rack D"}, {"query": "well"}),
        **{
            ("compile_context", name): ({"query": "relay"}, {"query": "relay", name: value})
            for name, value in (
                ("max_tokens", 300),
                ("max_chars", 900),
                ("kinds", ["episode"]),
                ("topic", "racks"),
                ("session_id", "another"),
                ("include_superseded", True),
                ("format", "compact"),
                ("as_of", "2027"),
            )
        },
        ("search", "query"): ({"query": "rack D"}, {"query": "well"}),
        ("fetch", "id"): ({"id": item["id"]}, {"id": other["id"]}),
        ("promote_context", "document_id"): (
            {"document_id": drafts[0]["id"]},
            {"document_id": drafts[1]["id"]},
        ),
        ("promote_context", "branch_state"): (
            {"document_id": drafts[2]["id"]},
            {"document_id": drafts[2]["id"], "branch_state": "merged"},
        ),
        ("list_context", "filter_topic"): ({}, {"filter_topic": "racks"}),
        ("list_context", "filter_state"): ({}, {"filter_state": "wip"}),
        ("list_context", "limit"): ({}, {"limit": 1}),
        ("list_context", "cursor"): ({}, {"cursor": await _second_page(admin)}),
        **{
            ("list_context", name): (given, {**given, name: value})
            for name, value, given in FURTHER
        },
        ("consolidate_context", "topic"): ({"topic": "racks"}, {"topic": "merging"}),
        ("consolidate_context", "ids"): ({"ids": merging[:2]}, {"ids": merging[:3]}),
        **{
            ("consolidate_context", name): (
                {"ids": merging[n : n + 2], **given},
                {"ids": merging[n : n + 2], **given, name: value},
            )
            for name, n, value, given in (
                ("content", 0, "Merged.", {}),
                ("title", 2, "t", {"content": "Merged."}),
                ("branch_state", 4, "merged", {"content": "Merged."}),
                ("preview", 6, True, {"content": "Merged."}),
            )
        },
        ("forget_context", "ids"): (
            {"ids": [forgotten[0]["id"]]},
            {"ids": [forgotten[1]["id"]]},
        ),
        **{
            ("forget_context", name): (given, {**given, name: value})
            for name, value, given in (
                ("filter_topic", "racks", {"filter_state": "active"}),
                ("filter_state", "wip", {"namespace": "default"}),
                ("kind", ["episode"], {"namespace": "default"}),
                ("tags", ["nowhere"], {"namespace": "default"}),
                ("tags_match", "all", {"tags": ["red", "green"]}),
                ("session_id", "nowhere", {"namespace": "default"}),
                ("min_importance", 0.9, {"namespace": "default"}),
                ("namespace", "team", {"filter_state": "active"}),
                ("created_after", "2030", {"namespace": "default"}),
                ("created_before", "2020", {"namespace": "default"}),
                ("started_after", "2025", {"namespace": "default"}),
                ("started_before", "2025", {"namespace": "default"}),
                ("client", "nobody", {"namespace": "default"}),
                ("all", True, {}),
                ("confirmation", await _confirmation(admin), {"filter_topic": "forgotten"}),
            )
        },
    }
    await check_arguments(admin, by_argument, OF_MEMORIES)


async def _confirmation(admin: Endpoint) -> str:
    previewed = await admin.tool("forget_context", {"filter_topic": "forgotten"})
    return str(previewed.success["confirmation"])


async def _second_page(admin: Endpoint) -> str:
    return str((await admin.tool("list_context", {"limit": 3})).success["next_cursor"])
