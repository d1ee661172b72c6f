"""Writes that bring in names."""

from tests.endpoint import Endpoint, Json


async def stated(endpoint: Endpoint, subject: str, **arguments: object) -> Json:
    """State who owns a thing, and return the whole result."""
    given = {"subject_id": subject, "predicate": "owned_by", "object_value": "Ana", **arguments}
    return (await endpoint.tool("upsert_fact", given)).success


async def happened(endpoint: Endpoint, *names: str, **arguments: object) -> Json:
    """Record that these things moved, and return the whole result."""
    given = {"title": "A move", "content": "It moved.", "entities": list(names), **arguments}
    return (await endpoint.tool("record_episode", given)).success


def told(answer: Json) -> list[tuple[str, bool]]:
    """Return what an answer proposes, and whether it was merged."""
    return [(each["name"], each["merged"]) for each in answer.get("proposals", [])]
