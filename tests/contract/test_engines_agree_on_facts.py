"""The same random statements on SQLite and on Firestore come to the same truth."""

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from metacortex.domain.dates.period import Period
from metacortex.domain.details import Kind
from metacortex.domain.knowledge.asked import AskedEntity, Mode, TimeTravel, Traversal
from metacortex.domain.knowledge.entity import entity_id
from metacortex.domain.knowledge.graph import Direction
from metacortex.domain.knowledge.new_fact import NewFact
from metacortex.domain.memory import NewMemory
from metacortex.domain.moment import Moment
from metacortex.domain.search import Filters, Search
from metacortex.service.upserted import WriteStatus
from tests.engine_calls import DAY, clients, places, tenants
from tests.engine_machine import EngineMachine, run_machine
from tests.engine_pair import Side
from tests.facts import overlapping
from tests.fakes import START

NAMES = ("Noor", "noor", "pump-2", "tea", "mate", "nobody")
SUBJECTS = ("Noor", "noor", "pump-2", "pump 2")
subjects = st.sampled_from(SUBJECTS)
moments = st.none() | st.integers(-3, 6).map(lambda day: Moment(START + day * DAY))
instants = moments.map(lambda at: at and Period(at.at, at.at + 1, at.precision))
filters = st.builds(Filters, kinds=st.just((Kind.FACT,)), valid_at=instants)
namespaces = st.sampled_from([None, None, ("default",), ("team", "default", "nowhere"), ()])


class Facts(EngineMachine):
    """Calls that write facts, end them and tell of them, each made on both engines."""

    @rule(
        client_id=clients,
        subject=subjects,
        predicate=st.sampled_from(["drinks", "drinks", "likes"]),
        value=st.sampled_from(["tea", "mate", "espresso"]),
        entity=st.booleans(),
        singular=st.sampled_from([True, True, False]),
        start=moments,
        end=moments,
        source=st.just(None) | places,
        later=st.sampled_from([1, DAY]),
    )
    def state(
        self,
        client_id: str,
        subject: str,
        predicate: str,
        value: str,
        entity: bool,
        singular: bool,
        start: Moment | None,
        end: Moment | None,
        source: int | None,
        later: int,
    ) -> None:
        # Ids differ, so no two facts may stand equal in all else.
        self.pair.clock.at += later
        principal = self.pair.principal(client_id)

        async def call(side: Side) -> object:
            new = NewFact(
                subject,
                predicate,
                value=None if entity else value,
                entity=value if entity else None,
                singular=singular,
                valid_from=start,
                valid_until=end,
                source_episode_id=None if source is None else side.id_at(source),
            )
            upserted = await side.services.facts.upsert(principal, new)
            if upserted.status is WriteStatus.CREATED:
                side.ids.append(upserted.fact.id)
            return upserted

        self.same(call)

    @rule(client_id=clients, place=places)
    def tell(self, client_id: str, place: int) -> None:
        principal = self.pair.principal(client_id)
        self.same(lambda side: side.services.facts.context(principal, side.id_at(place)))

    @rule(client_id=clients, old=places, new=places)
    def deprecate(self, client_id: str, old: int, new: int) -> None:
        self.pair.clock.at += 1
        principal = self.pair.principal(client_id)
        self.same(
            lambda side: side.services.memories.deprecate(
                principal, side.id_at(old), side.id_at(new)
            )
        )

    @rule(client_id=clients, replaced=places)
    def correct(self, client_id: str, replaced: int) -> None:
        self.pair.clock.at += 1
        principal = self.pair.principal(client_id)

        async def call(side: Side) -> object:
            note = NewMemory("Noor drinks water.", supersedes=(side.id_at(replaced),))
            remembered = await side.services.memories.remember(principal, note)
            if remembered.created:
                side.ids.append(remembered.memory.id)
            return remembered.memory

        self.same(call)

    @rule(client_id=clients, name=subjects, into=subjects, undone=st.booleans())
    def merge(self, client_id: str, name: str, into: str, undone: bool) -> None:
        self.pair.clock.at += 1
        principal = self.pair.principal(client_id)

        async def call(side: Side) -> object:
            if undone:
                return await side.services.merging.undo(principal, name, None)
            return await side.services.merging.merge(principal, name, into, None)

        self.same(call)

    @rule(client_id=clients, chosen=st.lists(places, min_size=1, max_size=3))
    def forget(self, client_id: str, chosen: list[int]) -> None:
        principal = self.pair.principal(client_id)
        self.same(
            lambda side: side.services.forgetting.forget(principal, [*map(side.id_at, chosen)])
        )

    @rule(client_id=clients, asked=filters)
    def search(self, client_id: str, asked: Filters) -> None:
        principal, question = self.pair.principal(client_id), Search("Noor drinks tea", asked)
        self.same(lambda side: side.services.searches.search(principal, question))

    @rule(tenant=tenants, among=namespaces, limit=st.sampled_from([1, 3, 100]))
    def list_newest(self, tenant: str, among: tuple[str, ...] | None, limit: int) -> None:
        self.same(lambda side: side.engine.facts.facts(tenant, among, limit))

    @rule(
        tenant=tenants,
        among=namespaces,
        names=st.lists(st.sampled_from(["Noor", "tea", "mate", "nobody"]), max_size=3),
    )
    def list_about(self, tenant: str, among: tuple[str, ...] | None, names: list[str]) -> None:
        ids = [entity_id("default", name) for name in names]

        async def call(side: Side) -> object:
            found = await side.engine.facts.facts_about(tenant, among, ids)
            # They are ordered by their ids, which differ.
            return sorted(map(side.shown, found)), len(
                overlapping(each for each in found if each.details.singular)
            )

        self.same(call)

    @rule(tenant=tenants, chosen=st.lists(places, max_size=4, unique=True))
    def look_into(self, tenant: str, chosen: list[int]) -> None:
        async def call(side: Side) -> object:
            ids = [*map(side.id_at, chosen)]
            changes = await side.engine.facts.changes_of(tenant, ids)
            return [changes[id_] for id_ in ids]

        self.same(call)

    @rule(
        client_id=clients,
        name=st.sampled_from(NAMES),
        hops=st.integers(0, 3),
        at=instants,
        past=st.booleans(),
    )
    def view(self, client_id: str, name: str, hops: int, at: Period | None, past: bool) -> None:
        principal = self.pair.principal(client_id)
        asked = AskedEntity(name, hops, at, past)

        async def call(side: Side) -> object:
            seen = await side.services.knowledge.entity(principal, asked)
            facts = (seen.active, seen.history or (), seen.near.facts)
            steps = [(step.entity_id, step.hops) for step in seen.near.steps]
            # Facts of one moment are ordered by their ids, which differ.
            return seen.entity, [sorted(map(side.shown, each)) for each in facts], steps

        self.same(call)

    @rule(
        client_id=clients,
        names=st.lists(st.sampled_from(NAMES), min_size=2, max_size=2),
        direction=st.sampled_from(Direction),
        at=instants,
    )
    def walk(
        self, client_id: str, names: list[str], direction: Direction, at: Period | None
    ) -> None:
        principal = self.pair.principal(client_id)
        asked = Traversal(names[0], Mode.PATH, names[1], direction=direction, as_of=at)

        async def call(side: Side) -> object:
            found = await side.services.knowledge.traverse(principal, asked)
            return [(step.entity_id, step.hops) for step in found.steps], found.incomplete

        self.same(call)

    @rule(client_id=clients, at=instants, known=instants, later=instants)
    def travel(
        self, client_id: str, at: Period | None, known: Period | None, later: Period | None
    ) -> None:
        principal = self.pair.principal(client_id)
        asked = TimeTravel(at, known, later)

        async def call(side: Side) -> object:
            told = await side.services.snapshots.at(principal, asked)
            moments = [each.held for each in (told, told.later) if each]
            # Those of one moment are ordered by their ids, which differ.
            return [
                [sorted(map(side.shown, part)) for part in (held.facts, held.episodes)]
                for held in moments
            ]

        self.same(call)

    @precondition(lambda self: self.pair.count > 6)
    @rule(tenant=tenants)
    def reset(self, tenant: str) -> None:
        self.same(lambda side: side.services.maintenance.reset(tenant))


async def test_both_engines_place_facts_alike(firestore_emulator: str) -> None:
    await run_machine(Facts)
