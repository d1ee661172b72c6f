"""Reading findings, by their status and by their ids."""

from collections.abc import Sequence

from google.cloud.firestore_v1.base_query import FieldFilter

from metacortex.adapters.firestore.layout import Tenant
from metacortex.adapters.firestore.lookup import pieces
from metacortex.adapters.firestore.queries import is_indexed
from metacortex.adapters.firestore.together import together
from metacortex.domain.knowledge.findings import Finding, FindingStatus, read_finding


async def of_status(
    tenant: Tenant, namespaces: Sequence[str] | None, status: FindingStatus, limit: int | None
) -> tuple[Finding, ...]:
    """Return findings as `FindingStore.findings` tells.

    All of the status are read: they are few, and to order them by an index takes one of its own.
    """
    found = await _where(tenant, FieldFilter("status", "==", status.value))
    some = [each for each in found if namespaces is None or each.namespace in namespaces]
    return tuple(sorted(some, key=lambda each: (-each.changed_at, each.id))[:limit])


async def named(tenant: Tenant, ids: Sequence[str]) -> tuple[Finding, ...]:
    """Return findings as `FindingStore.named` tells."""
    asked = [id_ for id_ in dict.fromkeys(ids) if is_indexed(id_)]
    answers = await together(
        _where(tenant, FieldFilter(name, "in", piece))
        for piece in pieces(asked)
        for name in ("id", "resolution_id")
    )
    found = {each.id: each for some in answers for each in some}
    return tuple(found[id_] for id_ in sorted(found))


async def _where(tenant: Tenant, where: FieldFilter) -> list[Finding]:
    query = tenant.findings.where(filter=where)
    return [read_finding(snapshot.to_dict() or {}) async for snapshot in query.stream(retry=None)]
