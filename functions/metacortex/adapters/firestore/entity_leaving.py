"""Which entities go with the memories that mentioned them."""

from collections.abc import Iterable, Mapping

from metacortex.adapters.firestore.entity_lookup import count_mentions, find, merged_into
from metacortex.adapters.firestore.layout import Tenant
from metacortex.adapters.firestore.together import together
from metacortex.domain.lifecycle import BranchState


async def unmentioned(
    tenant: Tenant, entity_ids: Iterable[str], besides: Mapping[str, int]
) -> list[str]:
    """Return those of these entities that go, as `EntityStore` tells, once memories are gone of
    which so many mention each.
    """
    found = await find(tenant, entity_ids)
    loose = [each.id for each in found if not each.by_hand and each.merged_with is None]
    held = {each.merged_with for each in await merged_into(tenant, loose)}
    loose = [id_ for id_ in loose if id_ not in held]
    counts = await together(count_mentions(tenant, [id_], tuple(BranchState)) for id_ in loose)
    return [id_ for id_, count in zip(loose, counts, strict=True) if count <= besides[id_]]
