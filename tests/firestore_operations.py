"""Every operation of the ports of an engine, on a store that holds a little of everything."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace

from metacortex.domain.client import ClientProfile, Credential, whole_tenant
from metacortex.domain.event import Event, EventFilter, EventStatus, EventType
from metacortex.domain.forgetting import Forgetting
from metacortex.domain.identity import Fingerprint
from metacortex.domain.json import JSON
from metacortex.domain.knowledge.contradictions import ContradictionKind, Severity
from metacortex.domain.knowledge.entity import Entity, EntityType, entity_id
from metacortex.domain.knowledge.fact import Fact
from metacortex.domain.knowledge.findings import (
    Finding,
    FindingStatus,
    Revision,
    closed,
    resolved,
)
from metacortex.domain.knowledge.merging import merger
from metacortex.domain.lifecycle import BranchState, Change, ChangeKind, Standing
from metacortex.domain.listing import Place
from metacortex.domain.moment import Moment
from metacortex.domain.stats import Reach
from metacortex.domain.use import Use
from metacortex.domain.vector import EmbeddingSpace
from metacortex.engines import Engine
from tests.facts import DAY, a_fact
from tests.questions import a_question
from tests.samples import (
    NOW,
    SPACE,
    TENANT,
    a_change,
    a_filter,
    a_memory,
    a_vector,
    add,
    an_embedding,
)

Operation = Callable[[Engine], Awaitable[object]]

WINDOWS = (a_vector(1, 0, 0), a_vector(0, 1, 0), a_vector(0, 0, 1))
OTHER_SPACE = EmbeddingSpace("other", 3)
EVERYTHING = Reach(None, tuple(BranchState))
NEW = a_memory("new", topic="ports")


def an_entity(name: str) -> Entity:
    """Return an entity that nothing else is called by."""
    return Entity(entity_id("default", name), "default", name, EntityType.NAME, NOW)


CAL, CALICO = an_entity("Cal"), an_entity("Calico")
IDS = [CAL.id, CALICO.id]


def an_event(event_id: str, at: int = NOW) -> Event:
    """Return the event of a call that went well."""
    body: dict[str, JSON] = {"tool_name": "fetch_context", "request": {"document_id": "m1"}}
    return Event(event_id, EventType.TOOL_CALL, at, "claude-web", EventStatus.SUCCESS, 5, body)


def a_profile(client_id: str) -> ClientProfile:
    """Return a profile of the tenant of the samples."""
    principal = whole_tenant(client_id, TENANT, BranchState.ACTIVE)
    return ClientProfile(principal, Credential.of(f"the token of {client_id}"), ())


FINDING = Finding(
    *("con_1", "default", "noor", ContradictionKind.NUMBER, Severity.HIGH, "m1", "known"),
    *(NOW, NOW, "cli"),
)


async def prepare(engine: Engine) -> None:
    """Store what the operations work on."""
    for n in range(1, 5):
        await add(engine.store, a_memory(f"m{n}", created_at=NOW - n), *WINDOWS)
    await add(engine.store, a_memory("draft", branch_state=BranchState.WIP), *WINDOWS)
    await write_fact(engine, a_fact("known"))
    await engine.entities.put(TENANT, [CAL, CALICO], an_embedding(*WINDOWS[:2]))
    await engine.findings.keep(TENANT, [Revision(None, FINDING)])
    await engine.events.record(TENANT, an_event("e1"))
    await engine.events.record(TENANT, an_event("e2", NOW + 1))
    await engine.use.add(TENANT, {"m1": Use(1, NOW), "m2": Use(3, NOW)})
    await engine.registry.add(a_profile("known"))


def _add(engine: Engine, *superseding: str) -> Awaitable[object]:
    own = Fingerprint("digest of new", NOW)
    return engine.store.add(TENANT, NEW, an_embedding(*WINDOWS), a_change(NEW), own, superseding)


def write_fact(engine: Engine, fact: Fact) -> Awaitable[object]:
    """Write a fact of a few windows."""
    return engine.facts.add_fact(TENANT, fact.memory, an_embedding(*WINDOWS), "claude-web")


def _resolve(engine: Engine) -> Awaitable[object]:
    known = a_fact("known").memory.standing
    gone = Standing(BranchState.DEPRECATED, "m1", Moment(NOW))
    change = Change(ChangeKind.SUPERSEDED, "known", known, gone, NOW + 1, "cli", cause=FINDING.id)
    finding = resolved(FINDING, "step", "cli", NOW + 1)
    return engine.findings.keep(TENANT, [Revision(FINDING, finding)], [change])


def _merge(engine: Engine) -> Awaitable[object]:
    change = merger(CAL, CALICO, "cli", NOW)
    assert change is not None
    return engine.entities.merge(TENANT, change)


async def _drained(pages: AsyncIterator[object]) -> list[object]:
    return [page async for page in pages]


async def _marks(engine: Engine) -> bool:
    """Take a mark, which is another each time."""
    return await engine.store.mark(TENANT) > 0


READING: dict[str, Operation] = {
    "find_written": lambda engine: engine.store.find_written(
        TENANT, Fingerprint("digest of m1", NOW), BranchState.ACTIVE
    ),
    "get": lambda engine: engine.store.get(TENANT, "m1"),
    "find": lambda engine: engine.store.find(
        TENANT, a_question(a_vector(1, 2, 3), "content m2"), a_filter(), 3
    ),
    "list": lambda engine: engine.store.list(TENANT, a_filter(), Place(NOW, "m0"), 2),
    "nearest": lambda engine: engine.store.nearest(
        TENANT, an_embedding(a_vector(1, 2, 3)), a_filter(), 5
    ),
    "changes": lambda engine: engine.store.changes(TENANT, "m1"),
    "spaces": lambda engine: engine.store.spaces(),
    "outside": lambda engine: engine.store.outside(OTHER_SPACE, ("", ""), 10),
    "count_unindexed": lambda engine: engine.store.count_unindexed(),
    "unindexed": lambda engine: engine.store.unindexed(("", ""), 10),
    "stats": lambda engine: engine.store.stats(TENANT, EVERYTHING),
    "mark": _marks,
    "is_forgotten": lambda engine: engine.store.is_forgotten(TENANT, "m1", "mac"),
    "count": lambda engine: engine.store.count(TENANT),
    "facts.facts_about": lambda engine: engine.facts.facts_about(TENANT, None, ["noor"]),
    "facts.timeline": lambda engine: engine.facts.timeline(TENANT, "default", ["noor"], "drinks"),
    "facts.drawn_from": lambda engine: engine.facts.drawn_from(TENANT, ["m1"]),
    "facts.facts": lambda engine: engine.facts.facts(TENANT, ["default"], 10),
    "facts.episodes": lambda engine: engine.facts.episodes(TENANT, ["default"], 10),
    "facts.changes_of": lambda engine: engine.facts.changes_of(TENANT, ["known", "m1"]),
    "entities.find": lambda engine: engine.entities.find(TENANT, IDS),
    "entities.named": lambda engine: engine.entities.named(TENANT, None, "cal"),
    "entities.beginning": lambda engine: engine.entities.beginning(TENANT, None, ["cal"]),
    "entities.resembling": lambda engine: engine.entities.resembling(TENANT, None, "calico"),
    "names.near": lambda engine: engine.names.near(TENANT, None, SPACE, WINDOWS[0], 3),
    "names.outside": lambda engine: engine.names.outside(OTHER_SPACE, ("", ""), 3),
    "names.count_outside": lambda engine: engine.names.count_outside(OTHER_SPACE),
    "entities.merged_into": lambda engine: engine.entities.merged_into(TENANT, IDS),
    "entities.merged": lambda engine: engine.entities.merged(TENANT),
    "entities.mentions": lambda engine: engine.entities.mentions(
        TENANT, {"both": IDS}, [*BranchState]
    ),
    "entities.mentioning": lambda engine: engine.entities.mentioning(TENANT, IDS, a_filter(), 5),
    "findings.findings": lambda engine: engine.findings.findings(
        TENANT, None, FindingStatus.OPEN, 10
    ),
    "findings.named": lambda engine: engine.findings.named(TENANT, [FINDING.id]),
    "events.list": lambda engine: engine.events.list(TENANT, EventFilter(), 10),
    "use.most_used": lambda engine: engine.use.most_used(TENANT, EVERYTHING, 10),
    "registry.get": lambda engine: engine.registry.get("known"),
    "registry.list": lambda engine: engine.registry.list(),
    "integrity.entries": lambda engine: _drained(engine.integrity.entries(TENANT)),
    "integrity.kept": lambda engine: _drained(engine.integrity.kept(TENANT)),
    "integrity.examine": lambda engine: engine.integrity.examine(TENANT, "m1"),
}
WRITING: dict[str, Operation] = {
    "add": _add,
    "add superseding": lambda engine: _add(engine, "m1", "m2"),
    "supersede": lambda engine: engine.store.supersede(TENANT, "m1", "m2", "cli", NOW + 1),
    "promote": lambda engine: engine.store.promote(
        TENANT, "draft", BranchState.ACTIVE, "cli", NOW + 1
    ),
    "forget": lambda engine: engine.store.forget(
        TENANT, ["m1", "m2"], Forgetting(b"key", "cli", NOW + 1)
    ),
    "forget a fact": lambda engine: engine.store.forget(
        TENANT, ["known"], Forgetting(b"key", "cli", NOW + 1)
    ),
    "facts.add_fact": lambda engine: write_fact(engine, a_fact("new", "tea", NOW + 1)),
    "facts.add_fact that ends one": lambda engine: write_fact(
        engine, a_fact("new", end=NOW + DAY, at=NOW + 1)
    ),
    "facts.add_fact of another timeline": lambda engine: write_fact(
        engine, a_fact("new", namespace="team")
    ),
    "replace_embedding": lambda engine: engine.store.replace_embedding(
        TENANT, "m1", an_embedding(*WINDOWS[:2], space=OTHER_SPACE)
    ),
    "replace_terms": lambda engine: engine.store.replace_terms(TENANT, "m1"),
    "secret": lambda engine: engine.store.secret(b"offered"),
    "purge": lambda engine: engine.store.purge(NOW + 1),
    "reset": lambda engine: engine.store.reset(TENANT),
    "entities.put": lambda engine: engine.entities.put(
        TENANT, [replace(CAL, created_at=NOW + 1), an_entity("Ledger")]
    ),
    "entities.put with vectors": lambda engine: engine.entities.put(
        TENANT, [an_entity("Ledger")], an_embedding(WINDOWS[0])
    ),
    "names.replace": lambda engine: engine.names.replace(TENANT, IDS[:1], an_embedding(WINDOWS[1])),
    "entities.link": lambda engine: engine.entities.link(TENANT, "m1", IDS),
    "entities.drop": lambda engine: engine.entities.drop(TENANT, IDS),
    "entities.merge": _merge,
    "findings.keep": lambda engine: engine.findings.keep(
        TENANT, [Revision(None, replace(FINDING, id="con_2"))]
    ),
    "findings.keep that closes": lambda engine: engine.findings.keep(
        TENANT, [Revision(FINDING, closed(FINDING, "Both are meant.", "cli", NOW + 1))]
    ),
    "findings.keep that resolves": _resolve,
    "events.record": lambda engine: engine.events.record(TENANT, an_event("e3", NOW + 2)),
    "events.purge": lambda engine: engine.events.purge(an_event("e1").expires_at),
    "use.add": lambda engine: engine.use.add(TENANT, {"m1": Use(2, NOW)}),
    "registry.add": lambda engine: engine.registry.add(a_profile("new")),
    "registry.replace": lambda engine: engine.registry.replace(
        a_profile("known"), a_profile("known")
    ),
    "registry.remove": lambda engine: engine.registry.remove("known"),
}
OPERATIONS = READING | WRITING
