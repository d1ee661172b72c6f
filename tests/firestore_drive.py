"""Everything that can be asked of a store, in every combination of filters, to see what is sent."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from itertools import product
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from metacortex.adapters.firestore.documents import LARGEST_TEXTS
from metacortex.adapters.firestore.whole import FEW
from metacortex.adapters.local.secrets import LibrarySecretScanner
from metacortex.domain.client import ClientProfile, Credential, whole_tenant
from metacortex.domain.errors import NotFound
from metacortex.domain.event import EventFilter
from metacortex.domain.forgetting import Forgetting
from metacortex.domain.identity import Fingerprint
from metacortex.domain.knowledge.entity import Entity, EntityType, entity_id
from metacortex.domain.knowledge.merging import merger
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.listing import Place
from metacortex.domain.memory import Memory, TokenCount
from metacortex.domain.moment import Moment
from metacortex.domain.ranking import EACH_LEG
from metacortex.domain.search import MemoryFilter
from metacortex.domain.stats import Reach
from metacortex.domain.vector import EmbeddingSpace
from metacortex.engines import Engine
from metacortex.service.activity import Activity
from metacortex.service.rejections import Rejection
from metacortex.service.use import UseCounter
from metacortex.transport.errors import error_for_event
from tests.facts import a_fact
from tests.fakes import FixedClock
from tests.questions import a_question
from tests.samples import NOW, SPACE, TENANT, a_memory, a_vector, add, an_embedding

T = TypeVar("T")

TEXT = "sample"
LONG = "long " * 400
NUMBERS = " ".join(map(str, range(LARGEST_TEXTS // 5)))
"""More than a document holds unless it is compressed."""
ENDS = NOW + 10
OTHER_SPACE = EmbeddingSpace("other", 3)
TWO_WINDOWS = (a_vector(), a_vector(0.0, 1.0, 0.0))
FAR_WINDOWS = (a_vector(0.0, 1.0, 0.0), a_vector(0.0, 0.0, 1.0))
NEEDED = frozenset({"namespaces", "branch_state", "valid_at"})
"""The parts that every filter has."""
PUSHED = {"namespaces", "branch_state", "valid_at", "topic"}
MANY_WINDOWS = (a_vector(),) * (FEW + EACH_LEG)
"""More than is read whole, or than the nearest that a search first asks for."""


@dataclass
class Watched:
    """A port whose methods are noted as they are called."""

    port: Any
    called: set[str] = field(default_factory=set)

    def __getattr__(self, name: str) -> Any:
        self.called.add(name)
        return getattr(self.port, name)


@dataclass(frozen=True)
class Driven:
    """The ports of an engine, of which every method has been called."""

    store: Watched
    facts: Watched
    entities: Watched
    names: Watched
    events: Watched
    use: Watched
    registry: Watched
    integrity: Watched


async def drive(engine: Engine) -> Driven:
    """Use everything that an engine offers."""
    driven = Driven(
        Watched(engine.store),
        Watched(engine.facts),
        Watched(engine.entities),
        Watched(engine.names),
        Watched(engine.events),
        Watched(engine.use),
        Watched(engine.registry),
        Watched(engine.integrity),
    )
    await _write(driven.store)
    await _search(driven.store)
    await _list(driven.store)
    await _look_up(driven.store)
    await _use_facts(driven.facts)
    await _name(driven.entities, driven.names)
    await _forget(driven.store)
    await _examine(driven.integrity)
    await _use_events(driven.events, driven.use)
    await _use_registry(driven.registry)
    await driven.store.purge(NOW)
    await driven.store.reset(TENANT)
    return driven


def combinations_of(kind: type[T], varied: Collection[str] | None = None) -> Iterator[T]:
    """Yield a filter for each combination of its parts being there or, where they may be, not; with
    `varied`, of these parts only.
    """
    hints = get_type_hints(kind)
    names = [each.name for each in fields(kind)]  # type: ignore[arg-type]
    names = [name for name in names if varied is None or name in varied]
    for values in product(*(_options(hints[name]) for name in names)):
        yield kind(**dict(zip(names, values, strict=True)))


def _options(hint: Any) -> list[Any]:
    parts = get_args(hint) if isinstance(hint, UnionType) else (hint,)
    return [None if part is NoneType else _value(part) for part in parts]


def _value(hint: Any) -> Any:
    if get_origin(hint) is tuple:
        return (_value(get_args(hint)[0]),)
    if issubclass(hint, Enum):
        return next(iter(hint))
    return {str: TEXT, int: NOW, float: 0.5, bool: True}[hint]


async def _write(store: Any) -> None:
    for n in range(3):
        await add(store, _findable(f"m{n}"), *TWO_WINDOWS)
    await add(store, _findable("described", content="a picture", retrieval_text=LONG))
    await add(store, _findable("longer", content=LONG, retrieval_text=f"{LONG}{LONG}"))
    await add(store, _findable("longest", content=NUMBERS), *MANY_WINDOWS)
    # Its best window is none of the nearest, so a search by meaning alone reads on.
    await add(store, _findable("far"), *FAR_WINDOWS)
    # An equal write is looked up.
    await add(store, _findable("m9"), fingerprint=Fingerprint("digest of m1", since=NOW))
    await store.supersede(TENANT, "m0", "m1", "claude-web", NOW)
    await add(store, a_memory("draft", branch_state=BranchState.WIP), *TWO_WINDOWS)
    await store.promote(TENANT, "draft", BranchState.ACTIVE, "claude-web", NOW)
    await store.replace_embedding(TENANT, "m1", an_embedding(*TWO_WINDOWS))
    await store.replace_terms(TENANT, "m1")


def _findable(memory_id: str, **varied: Any) -> Memory:
    """Return a memory that passes every filter until it ends."""
    shown = {"namespace": TEXT, "topic": TEXT, "session_id": TEXT}
    shown |= {"branch_state": next(iter(BranchState))}
    counted = TokenCount(5, "o200k_base")
    return a_memory(memory_id, valid_until=Moment(ENDS), token_count=counted, **(shown | varied))


async def _search(store: Any) -> None:
    for where in _searched():
        # Many windows make a search read on; what has ended makes it read everything.
        for at in (NOW, ENDS):
            for text in (None, "long content"):
                question = a_question(a_vector(), text)
                await store.find(TENANT, question, replace(where, valid_at=at), 1)
        await store.nearest(TENANT, an_embedding(), where, 1)


def _searched() -> Iterator[MemoryFilter]:
    """Yield each combination of what is pushed, and the widest with each other part beside it:
    those decide how much is read, but not by which queries.
    """
    pushed = [*combinations_of(MemoryFilter, PUSHED)]
    yield from pushed
    for name in {each.name for each in fields(MemoryFilter)} - PUSHED:
        yield replace(pushed[-1], **{name: _options(get_type_hints(MemoryFilter)[name])[0]})


async def _list(store: Any) -> None:
    ordered = PUSHED | {"session_id", "created_from", "created_until"}
    for where in combinations_of(MemoryFilter, ordered):
        for after in (None, Place(ENDS, "m1")):
            await store.list(TENANT, where, after, 1)


async def _name(entities: Any, index: Any) -> None:
    ids = [entity_id(TEXT, name) for name in ("Cal", "Calico")]
    named = [
        Entity(id_, TEXT, name, EntityType.NAME, NOW)
        for id_, name in zip(ids, ("Cal", "Calico"), strict=True)
    ]
    await entities.put(TENANT, named[:1], an_embedding())
    await entities.put(TENANT, named)
    await entities.drop(TENANT, ids[1:])
    await entities.put(TENANT, named)
    await entities.find(TENANT, ids)
    await entities.link(TENANT, "m1", ids)
    change = merger(named[0], named[1], "cli", NOW)
    assert change is not None
    assert await entities.merge(TENANT, change)
    await entities.merged_into(TENANT, ids)
    await entities.merged(TENANT)
    for parts in (NEEDED, NEEDED | {"kinds"}):
        for where in combinations_of(MemoryFilter, parts):
            await entities.mentioning(TENANT, ids, where, 1)
    for reach in combinations_of(Reach):
        await entities.beginning(TENANT, reach.namespaces, ["cal"])
        await entities.named(TENANT, reach.namespaces, "cal")
        await entities.resembling(TENANT, reach.namespaces, "cal")
        await index.near(TENANT, reach.namespaces, SPACE, a_vector(), 1)
        for states in (reach.states, tuple(BranchState)):
            await entities.mentions(TENANT, {"all": ids}, states)
    await index.count_outside(SPACE)
    await index.outside(SPACE, ("", ""), 1)
    await index.replace(TENANT, ids[1:], an_embedding())


async def _forget(store: Any) -> None:
    how = Forgetting(b"key", "cli", NOW)
    assert await store.mark(TENANT) > 0
    await store.forget(TENANT, ["m1", "longest"], replace(how, mark=0))
    await store.forget(TENANT, ["m1", "longest", "fact"], how)
    await store.is_forgotten(TENANT, "m1", "")


async def _look_up(store: Any) -> None:
    await store.secret(b"secret")
    await store.find_written(TENANT, Fingerprint("digest of m1", NOW), BranchState.ACTIVE)
    await store.get(TENANT, "m1")
    await store.changes(TENANT, "m0")
    await store.count(TENANT)
    await store.secret(b"secret")
    for reach in combinations_of(Reach):
        await store.stats(TENANT, reach)
    await store.spaces()
    await store.count_unindexed()
    for after in (("", ""), (TENANT, "m1")):
        await store.outside(OTHER_SPACE, after, 10)
        await store.unindexed(after, 10)


async def _use_facts(facts: Any) -> None:
    for fact in (a_fact("fact"), a_fact("next", TEXT, at=NOW + 1)):
        for aliases in ((), ("nora",)):
            embedding = an_embedding(*TWO_WINDOWS)
            await facts.add_fact(TENANT, fact.memory, embedding, "claude-web", aliases)
    for reach in combinations_of(Reach):
        for states in (reach.states, tuple(BranchState)):
            await facts.facts_about(TENANT, reach.namespaces, ["noor"], states, 1)
    await facts.timeline(TENANT, "default", ["noor", "nora"], "drinks")
    await facts.drawn_from(TENANT, ["m1"])
    for namespaces in (None, ("default", TEXT)):
        await facts.facts(TENANT, namespaces, 10)
        await facts.episodes(TENANT, namespaces, 10)
    await facts.changes_of(TENANT, ["fact", "next"])


async def _examine(integrity: Any) -> None:
    for pages in (integrity.entries(TENANT), integrity.kept(TENANT)):
        assert [page async for page in pages]
    await integrity.examine(TENANT, "m0")


async def _use_events(events: Any, use: Any) -> None:
    clock = FixedClock(NOW)
    activity = Activity(events, UseCounter(use, clock), LibrarySecretScanner(), clock)
    for error in (None, error_for_event(NotFound("There is none"))):
        call = activity.open("fetch_context")
        call.request, call.response, call.error = {"document_id": "m1"}, {"found": True}, error
        call.shown = ("m1",)
        await activity.close(TENANT, "claude-web", call)
    await activity.reject(Rejection(TENANT, "claude-web", "GET", "/mcp", 405, "method"), 1)
    await activity.aclose()
    for where in combinations_of(EventFilter):
        await events.list(TENANT, where, 10)
    await events.purge(NOW)
    for reach in combinations_of(Reach):
        await use.most_used(TENANT, reach, 10)


async def _use_registry(registry: Any) -> None:
    principal = whole_tenant(TEXT, TENANT, BranchState.ACTIVE)
    profile = ClientProfile(principal, Credential.of("a token of a client"), ())
    await registry.add(profile)
    await registry.replace(profile, profile)
    await registry.get(TEXT)
    await registry.list()
    await registry.remove(TEXT)
