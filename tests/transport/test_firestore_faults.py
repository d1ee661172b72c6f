"""What a caller, the events and the log are told when Firestore fails."""

import logging
from collections.abc import AsyncIterator

import pytest
from grpc import StatusCode

from bench.firestore_relay import NEAREST, Fault, Relay
from tests.firestore_engines import a_project, opened
from tests.firestore_faults import Faults
from tests.world import MakeWorld, World

ATTEMPTS = 5
UNREACHED = "The memory store did not answer: it cannot be reached"


@pytest.fixture
async def world(make_world: MakeWorld, relay: Relay) -> AsyncIterator[World]:
    """A program whose memories and events are in Firestore, behind a relay."""
    async with opened(a_project()) as engine:
        yield make_world(engine=engine)


async def test_a_write_that_fails_leaves_an_event_that_says_so_and_nothing_else(
    world: World, faults: Faults
) -> None:
    faults.coming["Commit"].extend([Fault(StatusCode.PERMISSION_DENIED)])
    outcome = await world.endpoint().tool("remember_context", {"content": "The ferry is late."})
    code, sentence = outcome.failure
    assert (code, sentence.rpartition("; ")[2]) == ("unavailable", "nothing was saved")
    (event,) = await world.events()
    assert (event["status"], event["error"]) == (
        "error",
        {"name": "unavailable", "message": sentence, "status_code": 503},
    )
    assert await world.store.count("default") == 0
    assert await world.endpoint().save("The ferry is late.")


async def test_a_search_that_fails_leaves_an_event_and_the_next_one_works(
    world: World, faults: Faults
) -> None:
    item = await world.endpoint().save("The ferry is late.")
    faults.coming["RunQuery"].extend([Fault(StatusCode.UNAVAILABLE)] * 2 * ATTEMPTS)
    outcome = await world.endpoint().tool("search_context", {"query": "ferry"})
    assert outcome.failure == ("unavailable", UNREACHED)
    faults.end()
    assert await world.endpoint().found("ferry") == [item["id"]]
    statuses = [(event["tool_name"], event["status"]) for event in await world.events()]
    assert statuses == [
        ("remember_context", "success"),
        ("search_context", "error"),
        ("search_context", "success"),
    ]


async def test_an_event_that_cannot_be_stored_is_logged_and_changes_no_answer(
    world: World, faults: Faults, caplog: pytest.LogCaptureFixture
) -> None:
    item = await world.endpoint().save("The ferry is late.")
    await world.endpoint().item(item["id"])  # After it, use is not stored for a while.
    faults.coming["Commit"].extend([Fault(StatusCode.UNAVAILABLE)] * ATTEMPTS)
    assert await world.endpoint().item(item["id"]) == item
    (error,) = [each for each in caplog.records if each.levelno == logging.ERROR]
    assert error.getMessage().startswith(f"An event could not be stored: {UNREACHED}")
    assert len(await world.events()) == 2


async def test_a_call_whose_store_is_down_altogether_is_answered_and_logged(
    world: World, faults: Faults, caplog: pytest.LogCaptureFixture
) -> None:
    faults.every = Fault(StatusCode.UNAVAILABLE)
    outcome = await world.endpoint().tool("remember_context", {"content": "The ferry is late."})
    assert outcome.failure == ("unavailable", UNREACHED)
    assert [each.levelno for each in caplog.records if each.levelno >= logging.WARNING] == [
        logging.ERROR,
        logging.WARNING,
    ]
    assert "ferry" not in caplog.text


async def test_a_write_whose_answer_was_lost_is_one_memory_one_change_and_one_event(
    world: World, faults: Faults
) -> None:
    faults.lose_answers(1)
    written = await world.endpoint().remember("The ferry is late.")
    assert written["write_status"] == "created"
    assert len(await world.store.changes("default", written["item"]["id"])) == 1
    assert len(await world.events()) == 1
    repeated = await world.endpoint().remember("The ferry is late.")
    assert repeated == {"item": written["item"], "write_status": "duplicate"}


async def test_a_deprecation_whose_answer_was_lost_tells_of_the_state_before_it(
    world: World, faults: Faults
) -> None:
    endpoint = world.endpoint()
    old, new = [await endpoint.save(text) for text in ("The ferry is late.", "It sailed.")]
    faults.lose_answers(1)
    outcome = await endpoint.deprecate(old["id"], new["id"])
    assert outcome.success["previous_state"] == "active"
    assert len(await world.store.changes("default", old["id"])) == 2


async def test_what_cannot_be_told_of_one_new_name_is_told_of_the_others(
    world: World, faults: Faults
) -> None:
    admin = world.endpoint()
    await admin.state("auth_service", "is", "old")
    await admin.state("payment_ledger", "is", "old")
    given = {"subject_id": "AuthService", "predicate": "uses", "object_id": "PaymentLedger"}
    faults.coming[NEAREST].append(Fault(StatusCode.FAILED_PRECONDITION))
    proposed = (await admin.tool("upsert_fact", given)).success["proposals"]
    assert len(proposed) == 1
