"""The same random calls on SQLite and on Firestore give the same answers."""

import json
from collections.abc import Awaitable
from dataclasses import fields, replace

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from metacortex.domain.client import ClientProfile, Credential, whole_tenant
from metacortex.domain.consolidation import Consolidation
from metacortex.domain.errors import NotFound
from metacortex.domain.event import EventFilter
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.listing import Listing
from metacortex.domain.memory import NewMemory
from metacortex.domain.search import Filters, Search
from metacortex.domain.stats import MemoryStats
from metacortex.domain.vector import EmbeddingSpace
from metacortex.service.rejections import Rejection
from metacortex.service.resemblances import CANDIDATES
from metacortex.transport.errors import error_for_event
from tests.engine_calls import (
    DAY,
    OTHER_SPACE,
    clients,
    event_filters,
    listings,
    new_memories,
    places,
    profiles,
    searches,
    states,
    tenants,
    texts,
    topics,
    vectors,
    verbs,
)
from tests.engine_machine import EngineMachine, run_machine
from tests.engine_pair import Side
from tests.fakes import BAG_OF_WORDS
from tests.samples import a_vector, an_embedding


class Calls(EngineMachine):
    """Calls of the services and the stores, each made on both engines."""

    @rule(
        client_id=clients,
        new=new_memories,
        replaced=st.just(None) | places,
        later=st.sampled_from([1, 1, 400_000, 900_001]),
    )
    def remember(self, client_id: str, new: NewMemory, replaced: int | None, later: int) -> None:
        # Ids differ, so no two memories may stand equal in all else.
        self.pair.clock.at += later
        principal, few = self.pair.principal(client_id), self.pair.count <= CANDIDATES

        async def call(side: Side) -> object:
            supersedes = () if replaced is None else (side.id_at(replaced),)
            remembered = await side.services.memories.remember(
                principal, replace(new, supersedes=supersedes)
            )
            if remembered.created:
                side.ids.append(remembered.memory.id)
            # Of equally near ones any may be compared, so it counts where all of them are.
            return remembered if few else replace(remembered, similar=())

        self.same(call)

    @rule(client_id=clients, search=searches)
    def search(self, client_id: str, search: Search) -> None:
        principal = self.pair.principal(client_id)
        self.same(lambda side: side.services.searches.search(principal, search))

    @rule(client_id=clients, listing=listings)
    def list_all(self, client_id: str, listing: Listing) -> None:
        principal = self.pair.principal(client_id)

        async def call(side: Side) -> object:
            listings, token = side.services.listings, None
            pages: list[object] = []
            while not pages or token:
                cursor = await listings.cursor(principal, token)
                listed = await listings.list(principal, listing, cursor)
                pages.append(listed.memories)
                token = listed.next_cursor
            return pages

        self.same(call)

    @rule(client_id=clients, place=places)
    def fetch(self, client_id: str, place: int) -> None:
        principal = self.pair.principal(client_id)
        self.same(lambda side: side.services.memories.fetch(principal, side.id_at(place)))

    @rule(client_id=clients, old=places, new=places)
    def deprecate(self, client_id: str, old: int, new: int) -> None:
        principal = self.pair.principal(client_id)
        self.same(
            lambda side: side.services.memories.deprecate(
                principal, side.id_at(old), side.id_at(new)
            )
        )

    @rule(client_id=clients, place=places, state=states)
    def promote(self, client_id: str, place: int, state: BranchState) -> None:
        principal = self.pair.principal(client_id)
        self.same(lambda side: side.services.memories.promote(principal, side.id_at(place), state))

    @precondition(lambda self: self.pair.count > 2)
    @rule(
        client_id=clients,
        count=st.sampled_from([0, 2, 2, 3]),
        stranger=st.just(None) | places,
        content=st.none() | texts,
    )
    def consolidate(
        self, client_id: str, count: int, stranger: int | None, content: str | None
    ) -> None:
        self.pair.clock.at += 1
        principal = self.pair.principal(client_id)

        async def call(side: Side) -> object:
            cursor = await side.services.listings.cursor(principal, None)
            listed = await side.services.listings.list(principal, Listing(), cursor)
            ids = [memory.id for memory in listed.memories[:count]]
            ids += [] if stranger is None else [side.id_at(stranger)]
            asked = Consolidation(tuple(ids), "ports", content)
            done = await side.services.consolidation.consolidate(principal, asked)
            if done.remembered is not None and done.remembered.created:
                side.ids.append(done.remembered.memory.id)
            return done

        self.same(call)

    @rule(client_id=clients, chosen=st.lists(places, max_size=3))
    def forget(self, client_id: str, chosen: list[int]) -> None:
        principal = self.pair.principal(client_id)
        self.same(
            lambda side: side.services.forgetting.forget(principal, [*map(side.id_at, chosen)])
        )

    @rule(
        client_id=clients,
        asked=st.builds(
            Filters, topic=topics, branch_state=st.none() | states, client=st.none() | clients
        ),
    )
    def forget_previewed(self, client_id: str, asked: Filters) -> None:
        principal = self.pair.principal(client_id)

        async def call(side: Side) -> object:
            forgetting = side.services.forgetting
            previewed = await forgetting.preview(principal, asked, self.pair.clock.now())
            forgotten = 0
            if previewed.confirmation is not None:
                preview = await forgetting.confirmed(principal, previewed.confirmation)
                forgotten = await forgetting.forget_previewed(principal, asked, preview)
            return previewed.count, previewed.ids, forgotten

        self.same(call)

    @rule(tenant=tenants, place=places)
    def look_into(self, tenant: str, place: int) -> None:
        self.same(lambda side: side.engine.store.changes(tenant, side.id_at(place)))
        self.same(lambda side: side.services.maintenance.count(tenant))
        self.same(_spaces)

    @rule(client_id=clients)
    def count(self, client_id: str) -> None:
        principal = self.pair.principal(client_id)

        async def call(side: Side) -> object:
            counted = await side.services.stats.count(principal)
            return sorted(map(side.shown, counted.most_used)), {
                each.name: _in_order(getattr(counted.stats, each.name))
                for each in fields(MemoryStats)
                # Which texts and vectors take how much is an engine's own.
                if each.name not in ("text_bytes", "vector_bytes")
            }

        self.same(call)

    @rule(space=st.sampled_from([BAG_OF_WORDS, OTHER_SPACE]))
    def list_outside(self, space: EmbeddingSpace) -> None:
        async def call(side: Side) -> object:
            found = await side.engine.store.outside(space, ("", ""), 1_000)
            # They are ordered by their ids, which differ.
            return sorted(side.shown(each) for each in found)

        self.same(call)

    @rule(tenant=tenants, place=places, parts=st.lists(vectors, min_size=1, max_size=3))
    def move_to_another_space(
        self, tenant: str, place: int, parts: list[tuple[float, float, float]]
    ) -> None:
        rest = [0.0] * (OTHER_SPACE.dimension - 3)
        embedding = an_embedding(*(a_vector(*part, *rest) for part in parts), space=OTHER_SPACE)
        self.same(
            lambda side: side.engine.store.replace_embedding(tenant, side.id_at(place), embedding)
        )

    @rule()
    def reembed(self) -> None:
        async def call(side: Side) -> object:
            return [done async for done in side.services.maintenance.reembed()]

        self.same(call)

    @rule(later=st.sampled_from([1, 900_000, 91 * DAY]))
    def purge(self, later: int) -> None:
        self.pair.clock.at += later
        self.same(lambda side: side.services.maintenance.purge())

    @precondition(lambda self: self.pair.count > 4)
    @rule(tenant=tenants)
    def reset(self, tenant: str) -> None:
        self.same(lambda side: side.services.maintenance.reset(tenant))

    @rule(
        tenant=tenants,
        client_id=clients,
        tool=st.sampled_from(["fetch_context", "search_context"]),
        fails=st.booleans(),
    )
    def leave_an_event(self, tenant: str, client_id: str, tool: str, fails: bool) -> None:
        async def call(side: Side) -> object:
            observed = side.services.activity.open(tool)
            observed.shown = tuple(side.ids[:6])
            observed.request = {"query_preview": "ferry", "limit": None, "filters": {"topic": "x"}}
            if fails:
                observed.error = error_for_event(NotFound("Document not found"))
            await side.services.activity.close(tenant, client_id, observed)
            return None

        self.same(call)

    @rule(tenant=tenants, client_id=clients)
    def turn_away(self, tenant: str, client_id: str) -> None:
        rejection = Rejection(tenant, client_id, "GET", "/mcp", 401, "token")
        self.same(lambda side: side.services.activity.reject(rejection, 3))

    @rule(tenant=tenants, where=event_filters, limit=st.sampled_from([1, 3, 100]))
    def list_events(self, tenant: str, where: EventFilter, limit: int) -> None:
        async def call(side: Side) -> object:
            found = await side.services.activity.list(tenant, where, limit)
            # No store promises an order of keys.
            return [json.dumps(event.as_json(), sort_keys=True) for event in found]

        self.same(call)

    @rule(
        client_id=profiles,
        verb=verbs,
        token=st.sampled_from("xy"),
    )
    def keep_clients(self, client_id: str, verb: str, token: str) -> None:
        credential = Credential.of(token * 20)
        profile = ClientProfile(whole_tenant(client_id, "acme", BranchState.WIP), credential)

        def call(side: Side) -> Awaitable[object]:
            if verb == "add":
                return side.services.clients.add(profile)
            if verb == "rotate":
                return side.services.clients.rotate(client_id, credential)
            return side.services.clients.remove(client_id)

        self.same(call)
        self.same(lambda side: side.engine.registry.list())
        self.same(lambda side: side.engine.registry.get(client_id))


def _in_order(counts: object) -> object:
    return sorted(map(str, counts.items())) if isinstance(counts, dict) else counts


async def _spaces(side: Side) -> object:
    spaces = await side.engine.store.spaces()
    return sorted(f"{space}: {count}" for space, count in spaces.items())


async def test_both_engines_give_the_same_answers(firestore_emulator: str) -> None:
    await run_machine(Calls)
