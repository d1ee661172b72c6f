"""Auditing facts over MCP, for tests of what is found and what becomes of it."""

from collections.abc import Sequence

from tests.endpoint import Endpoint, Json

DAY = 86_400_000


async def audit(endpoint: Endpoint, **arguments: object) -> Json:
    return (await endpoint.tool("audit_contradictions", arguments)).success


async def review(endpoint: Endpoint, **arguments: object) -> list[Json]:
    return list((await endpoint.tool("review_contradictions", arguments)).success["findings"])


async def state_owners(
    endpoint: Endpoint, *names: str, subject: str = "api", **more: object
) -> list[str]:
    """State owners that stand beside each other, and return the ids of the facts."""
    facts = [await endpoint.state(subject, "owner", name, singular=False, **more) for name in names]
    return [fact["id"] for fact in facts]


async def current(endpoint: Endpoint, id_: str) -> tuple[str, str | None]:
    """Return the state of a fact, and what superseded it."""
    told = (await endpoint.tool("fact_context", {"fact_id": id_})).success["fact"]
    return told["branch_state"], told.get("superseded_by")


def ids_of(findings: Sequence[Json]) -> list[str]:
    return [finding["id"] for finding in findings]
