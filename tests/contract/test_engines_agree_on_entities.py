"""The same random texts, merges and forgettings on SQLite and Firestore leave the same entities."""

from hypothesis import strategies as st
from hypothesis.stateful import rule

from metacortex.domain.details import Kind
from metacortex.domain.knowledge.entity import EntityType
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import Labels, NewMemory
from tests.engine_calls import clients, places
from tests.engine_machine import EngineMachine, run_machine
from tests.engine_pair import Side

NAMES = ("Cal", "cal", "Calico", "Cal-9", "the Calico", "QXRT", "pay_ledger", "PayLedger")
names = st.sampled_from(NAMES)
texts = st.lists(
    st.sampled_from([*NAMES, "scale", "met", "Cal's", "x.PayLedger"]), min_size=1, max_size=6
).map(" ".join)


class Entities(EngineMachine):
    """Calls that bring names in, merge them and tell of them, each made on both engines."""

    @rule(
        client_id=clients,
        text=texts,
        given=st.lists(names, max_size=2).map(tuple),
        state=st.sampled_from([BranchState.ACTIVE, BranchState.WIP]),
        kind=st.sampled_from([Kind.NOTE, Kind.EPISODE]),
    )
    def remember(
        self, client_id: str, text: str, given: tuple[str, ...], state: BranchState, kind: Kind
    ) -> None:
        self.pair.clock.at += 1
        principal = self.pair.principal(client_id)

        title = "Met" if kind is Kind.EPISODE else None

        async def call(side: Side) -> object:
            new = NewMemory(
                text, branch_state=state, labels=Labels(kind=kind, title=title, entities=given)
            )
            remembered = await side.services.memories.remember(principal, new)
            if remembered.created:
                side.ids.append(remembered.memory.id)
            return remembered.memory.entities, remembered.proposals

        self.same(call)

    @rule(client_id=clients, name=names, into=names)
    def merge(self, client_id: str, name: str, into: str) -> None:
        self.pair.clock.at += 1
        principal = self.pair.principal(client_id)
        self.same(lambda side: side.services.merging.merge(principal, name, into, None))

    @rule(client_id=clients, name=names)
    def undo(self, client_id: str, name: str) -> None:
        self.pair.clock.at += 1
        principal = self.pair.principal(client_id)
        self.same(lambda side: side.services.merging.undo(principal, name, None))

    @rule(client_id=clients, name=names, type_=st.none() | st.sampled_from(EntityType))
    def search(self, client_id: str, name: str, type_: EntityType | None) -> None:
        principal = self.pair.principal(client_id)
        self.same(lambda side: side.services.proposing.search(principal, name, type_, None, 5))

    @rule(client_id=clients, name=names)
    def call(self, client_id: str, name: str) -> None:
        principal = self.pair.principal(client_id)
        namespaces = principal.readable_namespaces
        self.same(lambda side: side.services.entities.called(principal, namespaces, name))

    @rule(client_id=clients, text=texts)
    def read(self, client_id: str, text: str) -> None:
        principal = self.pair.principal(client_id)
        namespaces = principal.readable_namespaces
        self.same(lambda side: side.services.entities.named_in(principal, namespaces, text))

    @rule(client_id=clients, one=places, other=places)
    def deprecate(self, client_id: str, one: int, other: int) -> None:
        self.pair.clock.at += 1
        principal = self.pair.principal(client_id)
        self.same(
            lambda side: side.services.memories.deprecate(
                principal, side.id_at(one), side.id_at(other)
            )
        )

    @rule(client_id=clients, chosen=st.lists(places, min_size=1, max_size=3))
    def forget(self, client_id: str, chosen: list[int]) -> None:
        principal = self.pair.principal(client_id)
        self.same(
            lambda side: side.services.forgetting.forget(principal, [*map(side.id_at, chosen)])
        )


async def test_both_engines_leave_the_same_entities(firestore_emulator: str) -> None:
    await run_machine(Entities)
