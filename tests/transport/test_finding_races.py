"""Two who decide on a finding at once: what the one has done is not undone by the other."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from metacortex.domain.knowledge.findings import Finding, FindingStatus, Revision
from metacortex.domain.knowledge.resolving import NO_ALIASES
from metacortex.domain.lifecycle import Change
from metacortex.knowledge_ports import FindingStore
from tests.auditing import audit, current, review, state_owners
from tests.endpoint import Endpoint
from tests.world import MakeWorld, World


@dataclass
class Overtaken:
    """A store of findings in which another client does something right before the first write, or
    before the first look at what is open.
    """

    store: FindingStore
    deeds: list[Callable[[], Awaitable[object]]]
    before_a_look: list[Callable[[], Awaitable[object]]] = field(default_factory=list)

    async def keep(
        self,
        tenant: str,
        revisions: Sequence[Revision],
        changes: Sequence[Change] = (),
        aliases: Mapping[str, Sequence[str]] = NO_ALIASES,
    ) -> None:
        if self.deeds:
            await self.deeds.pop()()
        await self.store.keep(tenant, revisions, changes, aliases)

    async def findings(
        self,
        tenant: str,
        namespaces: Sequence[str] | None,
        status: FindingStatus,
        limit: int | None = None,
    ) -> tuple[Finding, ...]:
        if self.before_a_look:
            await self.before_a_look.pop()()
        return await self.store.findings(tenant, namespaces, status, limit)

    async def named(self, tenant: str, ids: Sequence[str]) -> tuple[Finding, ...]:
        return await self.store.named(tenant, ids)


def overtaken(
    make_world: MakeWorld, world: World, deed: Callable[[], Awaitable[object]]
) -> Endpoint:
    """Return the endpoint of a program on the same engine that is overtaken by a deed."""
    findings = Overtaken(world.engine.findings, [deed])
    return make_world(engine=replace(world.engine, findings=findings), clock=world.clock).endpoint()


async def found_and_closed(admin: Endpoint) -> None:
    (found,) = (await audit(admin))["findings"]
    await review(admin, action="close", finding_ids=[found["id"]], reason="Both are meant.")


async def test_a_close_that_a_resolution_overtakes_is_refused_and_that_can_be_taken_back(
    make_world: MakeWorld, world: World
) -> None:
    admin = world.endpoint()
    older, _ = await state_owners(admin, "Ana", "Ben")
    (found,) = (await audit(admin))["findings"]
    slow = overtaken(make_world, world, lambda: audit(admin, auto_resolve=True))
    arguments = {"action": "close", "finding_ids": [found["id"]], "reason": "Both are meant."}
    outcome = await slow.tool("review_contradictions", arguments)
    assert outcome.failure[0] == "conflict"
    (resolved,) = await review(admin, status="resolved")
    await review(admin, action="reopen", finding_ids=[resolved["resolution_id"]])
    assert await current(admin, older) == ("active", None)


async def test_an_audit_opens_nothing_that_is_closed_meanwhile(
    make_world: MakeWorld, world: World
) -> None:
    admin = world.endpoint()
    await state_owners(admin, "Ana", "Ben")
    told = await audit(overtaken(make_world, world, lambda: found_and_closed(admin)))
    assert (told["contradiction_count"], told["dismissed"]) == (0, 1)
    (closed,) = await review(admin, status="closed")
    assert closed["reason"] == "Both are meant."


async def test_an_audit_resolves_nothing_that_is_closed_meanwhile(
    make_world: MakeWorld, world: World
) -> None:
    admin = world.endpoint()
    owners = await state_owners(admin, "Ana", "Ben")
    slow = overtaken(make_world, world, lambda: found_and_closed(admin))
    outcome = await slow.tool("audit_contradictions", {"auto_resolve": True})
    assert outcome.failure[0] == "conflict"
    assert [(await current(admin, owner))[0] for owner in owners] == ["active"] * 2
    assert len(await review(admin, status="closed")) == 1


async def test_an_audit_closes_nothing_about_facts_that_it_has_not_seen(
    make_world: MakeWorld, world: World
) -> None:
    admin = world.endpoint()

    async def found_later() -> None:
        world.clock.at += 1
        await state_owners(admin, "Ana", "Ben")
        await audit(admin)

    findings = Overtaken(world.engine.findings, [], [found_later])
    engine = replace(world.engine, findings=findings)
    await audit(make_world(engine=engine, clock=world.clock).endpoint())
    assert len(await review(admin, status="open")) == 1
