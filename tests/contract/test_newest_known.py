"""The newest facts and episodes, as `FactStore` lists them."""

from collections.abc import Sequence

from metacortex.domain.details import EpisodeDetails, Kind
from metacortex.domain.lifecycle import BranchState
from metacortex.engines import Engine
from tests.facts import CLIENT, a_fact
from tests.samples import NOW, TENANT, a_memory, add, an_embedding


async def test_the_newest_episodes_are_listed_in_whatever_state(engine: Engine) -> None:
    for n, namespace in enumerate(("default", "team", "default")):
        state = BranchState.DEPRECATED if n == 2 else BranchState.ACTIVE
        episode = a_memory(
            f"e{n}",
            kind=Kind.EPISODE,
            details=EpisodeDetails(f"Night {n}"),
            created_at=NOW + n,
            namespace=namespace,
            branch_state=state,
        )
        await add(engine.store, episode)
    await engine.facts.add_fact(TENANT, a_fact().memory, an_embedding(), CLIENT)
    await add(engine.store, a_memory("note", created_at=NOW + 9))

    async def listed(
        namespaces: Sequence[str] | None, limit: int, tenant: str = TENANT
    ) -> list[str]:
        return [each.id for each in await engine.facts.episodes(tenant, namespaces, limit)]

    assert await listed(None, 9) == ["e2", "e1", "e0"]
    assert await listed(None, 2) == ["e2", "e1"]
    assert await listed(["default"], 9) == ["e2", "e0"]
    assert await listed(["nowhere"], 9) == await listed(None, 9, "other") == []
    assert (await engine.facts.episodes(TENANT, None, 9))[0] == await engine.store.get(TENANT, "e2")
