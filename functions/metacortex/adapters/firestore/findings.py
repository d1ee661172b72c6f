"""Findings in Firestore: a document each, under its id."""

from collections.abc import Mapping, Sequence

from metacortex.adapters.firestore.tenants import Tenants
from metacortex.domain.knowledge.findings import Finding, FindingStatus, Revision
from metacortex.domain.knowledge.resolving import NO_ALIASES
from metacortex.domain.lifecycle import Change


class FirestoreFindingStore:
    """The `FindingStore` of one database."""

    def __init__(self, tenants: Tenants) -> None:
        self._tenants = tenants

    async def keep(
        self,
        tenant: str,
        revisions: Sequence[Revision],
        changes: Sequence[Change] = (),
        aliases: Mapping[str, Sequence[str]] = NO_ALIASES,
    ) -> None:
        from metacortex.adapters.firestore.finding_writes import keep

        moved = await self._tenants.write(
            tenant, lambda place: keep(place, revisions, changes, aliases)
        )
        await self._tenants.move_left(tenant, moved)

    async def findings(
        self,
        tenant: str,
        namespaces: Sequence[str] | None,
        status: FindingStatus,
        limit: int | None = None,
    ) -> tuple[Finding, ...]:
        from metacortex.adapters.firestore.finding_lookup import of_status

        return await self._tenants.read(
            tenant, lambda place: of_status(place, namespaces, status, limit)
        )

    async def named(self, tenant: str, ids: Sequence[str]) -> tuple[Finding, ...]:
        from metacortex.adapters.firestore.finding_lookup import named

        return await self._tenants.read(tenant, lambda place: named(place, ids))
