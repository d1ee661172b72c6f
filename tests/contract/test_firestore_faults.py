"""The Firestore adapter when Firestore fails: one clear answer, nothing half written, and the next
call works.
"""

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias

import pytest
from grpc import StatusCode

from bench.firestore_relay import Fault, Relay
from metacortex import knowledge_ports, ports
from metacortex.adapters.firestore import connection
from metacortex.adapters.firestore.windows import TOGETHER
from metacortex.domain.errors import Unavailable
from metacortex.engines import Engine
from tests.firestore_engines import a_project, held, opened
from tests.firestore_faults import Faults
from tests.firestore_operations import OPERATIONS, READING, WRITING, prepare
from tests.samples import TENANT, a_memory, a_vector, add

DOUBT = "; it may have been saved, whole or not at all; try again: nothing is saved twice"
REFUSED = "; nothing was saved"
REASONS = {
    StatusCode.UNAVAILABLE: ("it cannot be reached", DOUBT),
    StatusCode.DEADLINE_EXCEEDED: ("it took too long", DOUBT),
    StatusCode.INTERNAL: ("it failed", DOUBT),
    StatusCode.UNKNOWN: ("it failed", DOUBT),
    StatusCode.CANCELLED: ("it failed", DOUBT),
    StatusCode.RESOURCE_EXHAUSTED: (
        "its quota is used up; look at the quotas of the project",
        REFUSED,
    ),
    StatusCode.ABORTED: ("others kept changing the same memory; try again", REFUSED),
    StatusCode.INVALID_ARGUMENT: ("it refused the request", REFUSED),
    StatusCode.PERMISSION_DENIED: (
        "it refused the identity that the program runs under; grant it roles/datastore.user",
        REFUSED,
    ),
    StatusCode.UNAUTHENTICATED: (
        "it does not know the identity that the program runs under",
        REFUSED,
    ),
    StatusCode.FAILED_PRECONDITION: (
        "it lacks an index, or is not in native mode; run scripts/preflight",
        REFUSED,
    ),
    StatusCode.NOT_FOUND: (
        "the database is not there; check FIRESTORE_DATABASE and the project",
        REFUSED,
    ),
}
PASSING = {
    "Commit": StatusCode.ABORTED,
    "BatchGetDocuments": StatusCode.UNAVAILABLE,
    "RunQuery": StatusCode.RESOURCE_EXHAUSTED,
    "RunAggregationQuery": StatusCode.DEADLINE_EXCEEDED,
}
DEADLINE = 2.0
DONE_AGAIN = [name for name in WRITING if name != "use.add"]
"""What finds its own traces."""
GARBAGE = (b"\xff\xff\xff\xff garbage",)


Contents: TypeAlias = list[tuple[str, str]]
Outcome: TypeAlias = tuple[object, Contents]
Outcomes: TypeAlias = Callable[[str], Awaitable[Outcome]]


@pytest.fixture(scope="session")
def well(firestore_emulator: str) -> Outcomes:
    """What each operation returns and leaves where nothing fails, found out once."""
    known: dict[str, Outcome] = {}

    async def outcome(name: str) -> Outcome:
        if name not in known:
            project = a_project()
            async with opened(project) as engine:
                await prepare(engine)
                known[name] = await OPERATIONS[name](engine), await contents(project)
        return known[name]

    return outcome


@dataclass(frozen=True)
class Tried:
    """A prepared engine behind the relay, the faults to come and what it should come to."""

    engine: Engine
    faults: Faults
    project: str
    well: Outcomes

    async def held(self) -> Contents:
        """Return all that the project holds."""
        self.faults.end()
        return await contents(self.project)

    async def assert_done_well(self, name: str) -> None:
        """Hold that an operation, under the faults to come, does what it does without any."""
        returned = await OPERATIONS[name](self.engine)
        assert (returned, await self.held()) == await self.well(name)


@pytest.fixture
async def tried(relay: Relay, faults: Faults, well: Outcomes) -> AsyncIterator[Tried]:
    project = a_project()
    async with opened(project) as engine:
        await prepare(engine)
        yield Tried(engine, faults, project, well)


async def contents(project: str) -> Contents:
    return sorted((path, repr(fields)) for path, fields in (await held(project)).items())


def methods(port: type) -> set[str]:
    return {name for name, _ in inspect.getmembers(port, inspect.isfunction) if name[0] != "_"}


def test_every_method_of_the_ports_is_tried() -> None:
    named = methods(ports.MemoryStore)
    named |= {f"facts.{name}" for name in methods(knowledge_ports.FactStore)}
    named |= {f"entities.{name}" for name in methods(knowledge_ports.EntityStore)}
    named |= {f"names.{name}" for name in methods(knowledge_ports.NameIndex)}
    named |= {f"findings.{name}" for name in methods(knowledge_ports.FindingStore)}
    named |= {f"integrity.{name}" for name in methods(knowledge_ports.IntegrityStore)}
    named |= {f"events.{name}" for name in methods(ports.EventLog)}
    named |= {f"use.{name}" for name in methods(ports.UseLog)}
    named |= {f"registry.{name}" for name in methods(ports.ClientRegistry)}
    assert named == {name.partition(" ")[0] for name in OPERATIONS}


@pytest.mark.parametrize("name", OPERATIONS)
async def test_whatever_firestore_refuses_with_is_told_and_changes_nothing(
    tried: Tried, name: str
) -> None:
    told: dict[StatusCode, str] = {}
    for code in REASONS:
        tried.faults.every = Fault(code)
        with pytest.raises(Unavailable) as raised:
            await OPERATIONS[name](tried.engine)
        told[code] = raised.value.sentence
    assert told == {
        code: f"The memory store did not answer: {reason}{outcome if name in WRITING else ''}"
        for code, (reason, outcome) in REASONS.items()
    }
    tried.faults.end()
    await tried.assert_done_well(name)


@pytest.mark.parametrize("name", OPERATIONS)
async def test_an_answer_that_cannot_be_read_is_no_answer(tried: Tried, name: str) -> None:
    before = await tried.held()
    tried.faults.every = Fault(StatusCode.OK, messages=GARBAGE)
    with pytest.raises(Unavailable, match="it failed"):
        await OPERATIONS[name](tried.engine)
    assert await tried.held() == before


@pytest.mark.parametrize("name", OPERATIONS)
async def test_a_fault_that_passes_is_not_noticed(tried: Tried, name: str) -> None:
    for method, code in PASSING.items():
        tried.faults.coming[method].append(Fault(code))
    await tried.assert_done_well(name)


@pytest.mark.parametrize("name", DONE_AGAIN)
async def test_a_commit_whose_answer_is_lost_is_found_again(tried: Tried, name: str) -> None:
    tried.faults.lose_answers(2)
    await tried.assert_done_well(name)


@pytest.mark.parametrize("name", DONE_AGAIN)
async def test_where_every_answer_is_lost_a_repeated_call_completes_what_was_begun(
    tried: Tried, name: str
) -> None:
    tried.faults.lose_answers(50)
    with suppress(Unavailable):
        await OPERATIONS[name](tried.engine)
    tried.faults.end()
    await OPERATIONS[name](tried.engine)
    assert await tried.held() == (await tried.well(name))[1]


async def test_uses_whose_answer_is_lost_are_not_counted_twice(tried: Tried) -> None:
    tried.faults.lose_answers(2)
    with pytest.raises(Unavailable, match="it may have been saved"):
        await OPERATIONS["use.add"](tried.engine)
    assert await tried.held() == (await tried.well("use.add"))[1]


@pytest.mark.parametrize("name", READING)
async def test_half_an_answer_is_asked_for_anew(tried: Tried, name: str) -> None:
    for method in PASSING:
        half = Fault(StatusCode.UNAVAILABLE, arrived=True, answered=1)
        tried.faults.coming[method].append(half)
    await tried.assert_done_well(name)


@pytest.mark.parametrize("name", OPERATIONS)
async def test_a_call_that_is_given_up_leaves_nothing_behind(tried: Tried, name: str) -> None:
    before = await tried.held()
    tried.faults.seen.clear()
    tried.faults.gate = asyncio.Event()
    call = asyncio.ensure_future(OPERATIONS[name](tried.engine))
    await tried.faults.seen.wait()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert await tried.held() == before
    await tried.assert_done_well(name)


@pytest.mark.parametrize("name", ["find", "add"])
async def test_a_call_that_is_not_answered_ends_at_its_deadline(
    relay: Relay, faults: Faults, well: Outcomes, name: str
) -> None:
    project = a_project()
    async with opened(project, deadline=DEADLINE) as engine:
        await prepare(engine)
        before = await contents(project)
        faults.gate = asyncio.Event()
        with pytest.raises(Unavailable, match="it took too long"):
            await OPERATIONS[name](engine)
        faults.end()
        assert await contents(project) == before
        assert (await OPERATIONS[name](engine), await contents(project)) == await well(name)


@pytest.mark.parametrize("name", ["events.record", "use.add"])
async def test_what_no_answer_depends_on_has_a_short_deadline_of_its_own(
    relay: Relay, faults: Faults, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(connection, "BRIEFLY", 0.05)
    async with opened(a_project(), deadline=600) as engine:
        await prepare(engine)
        faults.gate = asyncio.Event()
        with pytest.raises(Unavailable, match="it took too long"):
            await OPERATIONS[name](engine)


async def test_a_call_that_is_given_up_takes_no_other_down(relay: Relay, faults: Faults) -> None:
    """The client is replaced while a longer call still waits for an answer on the old one."""
    windows = [a_vector()] * (TOGETHER + 1)
    async with opened(a_project(), deadline=DEADLINE) as engine:
        await prepare(engine)
        faults.gate = asyncio.Event()
        longer = asyncio.ensure_future(add(engine.store, a_memory("long"), *windows))
        with pytest.raises(Unavailable, match="it took too long"):
            await engine.store.get(TENANT, "m1")
        faults.gate.set()
        assert await longer == a_memory("long")
        assert await engine.store.get(TENANT, "long") == a_memory("long")


@pytest.mark.parametrize("name", ["add", "supersede"])
async def test_a_memory_that_others_change_without_end_is_given_up(tried: Tried, name: str) -> None:
    before = await tried.held()
    refused = Fault(StatusCode.FAILED_PRECONDITION)
    tried.faults.coming["Commit"].extend([refused] * 100)
    with pytest.raises(Unavailable, match="others kept changing the same memory; nothing was"):
        await OPERATIONS[name](tried.engine)
    assert await tried.held() == before


async def test_a_merge_that_another_was_faster_with_is_not_done(tried: Tried) -> None:
    before = await tried.held()
    tried.faults.coming["Commit"].append(Fault(StatusCode.FAILED_PRECONDITION))
    assert await OPERATIONS["entities.merge"](tried.engine) is False
    assert await tried.held() == before


@pytest.mark.parametrize("name", ["registry.replace", "registry.remove"])
async def test_a_client_that_another_removes_meanwhile_is_not_there(
    tried: Tried, name: str
) -> None:
    tried.faults.coming["Commit"].append(Fault(StatusCode.NOT_FOUND))
    assert await OPERATIONS[name](tried.engine) is False
