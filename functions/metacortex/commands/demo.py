"""`demo`: a story of several sessions, in a memory that is gone afterwards or kept apart."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from metacortex.commands.console import note, print_json, print_text
from metacortex.commands.invocation import TENANT, AsJson, Invocation, opened
from metacortex.commands.story import (
    BEFORE_THE_MIGRATION,
    BUDGET,
    MIGRATED,
    QUESTION,
    STORY,
    TOLD_ON,
    Session,
)
from metacortex.commands.tool_calls import Result, called
from metacortex.commands.typed import typed
from metacortex.domain.client import Principal
from metacortex.domain.errors import InvalidInput
from metacortex.domain.json import JSON
from metacortex.domain.moment import Milliseconds

if TYPE_CHECKING:
    from metacortex.service.services import Services


@dataclass(slots=True)
class StoryClock:
    """A clock that stands at the day that is told of."""

    at: Milliseconds = 0

    def now(self) -> Milliseconds:
        """Return that day."""
        return self.at

    def turn_to(self, day: str) -> None:
        """Go to noon of a day."""
        noon = datetime.fromisoformat(f"{day}T12:00:00+00:00")
        self.at = int(noon.timestamp() * 1000)


@dataclass(frozen=True, slots=True)
class Telling:
    """Who tells the story, to which program."""

    services: "Services"
    principal: Principal

    async def ask(self, tool: str, **arguments: object) -> dict[str, Any]:
        """Call a tool and return its result.

        Raises:
            Exit: it failed, and why is said.
        """
        outcome = await called(self.services, self.principal, tool, arguments)
        if outcome.failed:
            note(outcome.text)
            raise typer.Exit(1)
        return outcome.structured


def demo(
    context: typer.Context,
    keep: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="A new folder to keep that memory in; else it is gone."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Tell a story of five sessions to a memory of its own, and ask about it."""
    invocation = Invocation.of(context, as_json=as_json)
    invocation.run(_demo(invocation, keep), keeping=keep is not None)


async def _demo(invocation: Invocation, keep: Path | None) -> None:
    from metacortex.bootstrap import build_apart

    clock, settings = StoryClock(), invocation.settings()
    if keep is not None:
        check_new(keep)
    program = build_apart(settings, keep, clock)
    async with opened(program):
        telling = Telling(program.services, invocation.principal(settings, TENANT))
        sessions: dict[str, dict[str, Any]] = {}
        for session in STORY:
            clock.turn_to(session.day)
            sessions[session.day] = await _told(telling, session, sessions)
        clock.turn_to(TOLD_ON)
        answered = await _asked(telling)
    result = {"sessions": [*sessions.values()], **answered}
    if invocation.as_json:
        print_json(result)
        return
    for line in _lines(result, "gone when this ends" if keep is None else f"kept in '{keep}'"):
        print_text(line)
    if keep is not None:
        note(f"Ask it: {typed({'METACORTEX_DATA_DIR': str(keep)}, 'search', QUESTION)}")


def check_new(folder: Path) -> None:
    """Check that a folder is not there yet: the story is not to be mixed with anything.

    Raises:
        InvalidInput: it is.
    """
    if folder.exists():
        raise InvalidInput(f"'{folder}' is there already; --keep takes a folder that is not")


async def _told(
    telling: Telling, session: Session, earlier: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """Record what a session came to; return it with what it took the place of."""
    recorded = await telling.ask("record_episode", session_id=session.day, **session.episode)
    episode_id = recorded["item"]["id"]
    if session.replaces is not None:
        await telling.ask(
            "deprecate_context",
            document_id=earlier[session.replaces]["episode_id"],
            superseding_document_id=episode_id,
        )
    written = [
        await telling.ask(
            "upsert_fact",
            source_episode_id=episode_id,
            valid_from=session.day,
            **fact,
        )
        for fact in session.facts
    ]
    return {
        "day": session.day,
        "episode_id": episode_id,
        "title": session.episode["title"],
        "facts": [each["fact"] for each in written],
        "superseded": [id_ for each in written for id_ in each["superseded"]],
    }


async def _asked(telling: Telling) -> dict[str, JSON]:
    stats = await telling.ask("memory_stats")
    then = await telling.ask(
        "time_travel", as_of=BEFORE_THE_MIGRATION, compare_to=TOLD_ON, entity=MIGRATED
    )
    compiled = await telling.ask("compile_context", query=QUESTION, max_tokens=BUDGET)
    audit = await telling.ask("audit_contradictions", dry_run=True)
    checked = await telling.ask("verify_integrity")
    return {
        "counts": stats["kinds"],
        "then": then,
        "audit": audit,
        "checked": checked,
        "question": QUESTION,
        "compiled": compiled,
    }


def _lines(result: Result, becomes: str) -> Iterator[str]:
    yield f"{len(result['sessions'])} sessions, told to a memory that is {becomes}."
    fact_by_id: dict[str, Mapping[str, Any]] = {}
    for session in result["sessions"]:
        yield f"\n{session['day']}  {session['title']}"
        ended = [_sentence(fact_by_id[id_]) for id_ in session["superseded"]]
        for fact in session["facts"]:
            fact_by_id[fact["id"]] = fact
            yield f"            {_sentence(fact)}"
        yield from (f"            no more: {sentence}" for sentence in ended)
    counts, past = result["counts"], sum(len(each["superseded"]) for each in result["sessions"])
    yield f"\nKept: {counts['episode']} episodes and {counts['fact']} facts, {past} of them past."
    then = result["then"]
    yield f"\nWhat was true of {MIGRATED} on {BEFORE_THE_MIGRATION}, and what it became:"
    for fact in then["active_facts"]:
        yield f"            {_sentence(fact)}"
    for each in then["diff"]["changed"]:
        after = each["after"]
        yield f"            since {after['valid_from']}: {_sentence(after)}"
    compiled = result["compiled"]
    yield (
        f"\nAsked on {TOLD_ON}: {result['question']}\nCompiled into {compiled['used']} of "
        f"{compiled['max_tokens']} tokens:\n"
    )
    yield compiled["context"]
    yield f"\n{result['audit']['summary_markdown']}"
    checked = result["checked"]
    yield (
        f"\nChecked {checked['memories']} memories and {checked['changes']} changes by their "
        "digests. "
        f"{checked['conclusion']}\nMerkle root of {checked['tree']['size']} leaves: "
        f"{checked['tree']['root']}"
    )


def _sentence(fact: Mapping[str, Any]) -> str:
    return f"{fact['subject']} {fact['predicate']} {fact['object']}"
