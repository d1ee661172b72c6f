"""Calls that name the ids of what is not the caller's, and what is said to them."""

from tests.endpoint import Json

NOT_FOUND = ("not_found", "Document not found")
NO_REPLACEMENT = ("not_found", "Superseding document not found")
NOTHING_TO_REPLACE = ("not_found", "Superseded document not found")
NOT_ALL = (
    "forbidden",
    "One root covers all namespaces of the tenant, and this client may not read them all; use one"
    " whose namespaces are *",
)

ID_ARGUMENTS: dict[str, dict[str, tuple[str, str]]] = {
    "remember_context": {"supersedes": NOTHING_TO_REPLACE},
    "search_context": {},
    "fetch_context": {"document_id": NOT_FOUND},
    "deprecate_context": {
        "document_id": NOT_FOUND,
        "superseding_document_id": NO_REPLACEMENT,
    },
    "compile_context": {},
    "search": {},
    "fetch": {"id": NOT_FOUND},
    "promote_context": {"document_id": NOT_FOUND},
    "memory_stats": {},
    "list_context": {},
    "consolidate_context": {"ids": ("not_found", "Document not found: number 2 of ids")},
    "forget_context": {"ids": ("not_found", "Document not found: number 2 of ids")},
    "record_episode": {},
    "upsert_fact": {"source_episode_id": ("not_found", "Source episode not found")},
    "fact_context": {"fact_id": ("not_found", "Fact not found")},
    "query_entity": {},
    "search_entities": {},
    "merge_entities": {},
    "traverse_graph": {},
    "time_travel": {},
    "audit_contradictions": {},
    "review_contradictions": {},
    "verify_integrity": {"memory_id": NOT_ALL},
    "export_sources": {},
}
"""What is said of a foreign id, for each argument of each tool that takes an id: a new tool without
its rows fails.
"""

USUAL: dict[str, Json] = {
    "remember_context": {"content": "x"},
    "search_context": {"query": "x"},
    "fetch_context": {"document_id": "x"},
    "deprecate_context": {"document_id": "x", "superseding_document_id": "y"},
    "compile_context": {"query": "x"},
    "search": {"query": "x"},
    "fetch": {"id": "x"},
    "promote_context": {"document_id": "x"},
    "memory_stats": {},
    "list_context": {},
    "consolidate_context": {"content": "x", "ids": ["x", "y"]},
    "forget_context": {"ids": ["x"]},
    "record_episode": {"title": "x", "content": "x"},
    "upsert_fact": {"subject_id": "x", "predicate": "is", "object_value": "y"},
    "fact_context": {"fact_id": "x"},
    "query_entity": {"entity": "x"},
    "search_entities": {"query": "x"},
    "merge_entities": {"from": "x", "into": "y"},
    "traverse_graph": {"entity": "x"},
    "time_travel": {"as_of": "now"},
    "audit_contradictions": {},
    "review_contradictions": {},
    "verify_integrity": {},
    "export_sources": {"all": True},
}
"""Arguments with which each tool can be called."""


def names_a_memory(argument: str) -> bool:
    """Whether an argument of this name takes the id of a memory."""
    return argument in ("id", "ids", "supersedes", "fact_id", "memory_id") or argument.endswith(
        ("document_id", "episode_id")
    )


def calls_with(foreign: str, own: str) -> list[tuple[str, Json, tuple[str, str]]]:
    """Return each call that names a foreign id in one place and an own one in the others."""
    return [
        (tool, USUAL[tool] | dict.fromkeys(places, own) | {place: given}, failure)
        for tool, places in ID_ARGUMENTS.items()
        for place, failure in places.items()
        for given in ([own, foreign] if place == "ids" else foreign,)
    ]
