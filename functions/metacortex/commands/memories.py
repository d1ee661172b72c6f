"""`remember`, `search`, `list`, `fetch`, `deprecate` and `promote`: tools from the command line.

They are called as a client calls them, so what is valid, what is said and what is recorded is the
same.
"""

from functools import partial
from typing import Annotated

import typer

from metacortex.commands.choices import one_of, words
from metacortex.commands.console import note, print_text
from metacortex.commands.filters import WhereListed, WhereSearched
from metacortex.commands.given import text_given
from metacortex.commands.invocation import TENANT, AsJson, Invocation, Tenant
from metacortex.commands.tool_calls import Result, call
from metacortex.commands.written import note_beside
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.listing import MOST_LISTED

State = Annotated[
    BranchState | None,
    typer.Option(
        parser=one_of(BranchState), metavar="STATE", help=f"Lifecycle state: {words(BranchState)}."
    ),
]


def remember(
    context: typer.Context,
    text: Annotated[str, typer.Argument(help="What to keep; - reads it from standard input.")],
    topic: Annotated[str | None, typer.Option(help="Subject label; else 'general'.")] = None,
    draft: Annotated[bool, typer.Option("--draft", help="Keep it as a rough note (wip).")] = False,
    state: State = None,
    ref: Annotated[
        list[str] | None, typer.Option(help="Link to a real asset; may be repeated.")
    ] = None,
    supersedes: Annotated[
        str | None, typer.Option(metavar="ID", help="The memory that it replaces.")
    ] = None,
    tenant: Tenant = TENANT,
    as_json: AsJson = False,
) -> None:
    """Keep a text."""
    given: dict[str, object] = {
        "topic": topic,
        "draft": True if draft else None,
        "branch_state": state.value if state else None,
        "artifact_refs": ref or None,
        "supersedes": supersedes,
    }
    invocation = Invocation.of(context, as_json=as_json)
    invocation.run(_remember(invocation, tenant, text, given))


def search(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="What to look for, in full words.")],
    topic: Annotated[str | None, typer.Option(help="Only this topic.")] = None,
    state: State = None,
    limit: Annotated[int | None, typer.Option(help="How many to show at most, 1 to 20.")] = None,
    where: WhereSearched = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say of each why it stands where it does.")
    ] = False,
    tenant: Tenant = TENANT,
    as_json: AsJson = False,
) -> None:
    """Find memories by what they mean and by the words they hold."""
    filter_state = state.value if state else None
    given = {
        "query": query,
        "filter_topic": topic,
        "filter_state": filter_state,
        "limit": limit,
        "explain": explain or None,
    }
    invocation = Invocation.of(context, as_json=as_json)
    invocation.run(call(invocation, tenant, "search_context", given, _show_matches, where))


def list_memories(
    context: typer.Context,
    topic: Annotated[str | None, typer.Option(help="Only this topic.")] = None,
    state: State = None,
    limit: Annotated[
        int | None, typer.Option(help=f"How many to show at most, 1 to {MOST_LISTED}.")
    ] = None,
    where: WhereListed = None,
    cursor: Annotated[
        str | None, typer.Option(help="Go on where a list with the same options has ended.")
    ] = None,
    tenant: Tenant = TENANT,
    as_json: AsJson = False,
) -> None:
    """List memories, newest first."""
    filter_state = state.value if state else None
    given = {
        "filter_topic": topic,
        "filter_state": filter_state,
        "limit": limit,
        "cursor": cursor,
    }
    invocation = Invocation.of(context, as_json=as_json)
    show = partial(_show_list, continued=cursor is not None)
    invocation.run(call(invocation, tenant, "list_context", given, show, where))


def fetch(
    context: typer.Context,
    memory_id: Annotated[str, typer.Argument(metavar="ID", help="The id of the memory.")],
    tenant: Tenant = TENANT,
    as_json: AsJson = False,
) -> None:
    """Show one memory whole."""
    invocation = Invocation.of(context, as_json=as_json)
    given = {"document_id": memory_id}
    invocation.run(call(invocation, tenant, "fetch_context", given, _show_item))


def deprecate(
    context: typer.Context,
    memory_id: Annotated[str, typer.Argument(metavar="ID", help="The id of the obsolete memory.")],
    by: Annotated[str, typer.Option(metavar="ID", help="The id of the memory that replaces it.")],
    tenant: Tenant = TENANT,
    as_json: AsJson = False,
) -> None:
    """Take a memory out of active search and name its replacement."""
    invocation = Invocation.of(context, as_json=as_json)
    given = {"document_id": memory_id, "superseding_document_id": by}
    invocation.run(call(invocation, tenant, "deprecate_context", given, _show_deprecated))


def promote(
    context: typer.Context,
    memory_id: Annotated[str, typer.Argument(metavar="ID", help="The id of the draft.")],
    merged: Annotated[
        bool, typer.Option("--merged", help="Another memory has taken it up; else it is active.")
    ] = False,
    tenant: Tenant = TENANT,
    as_json: AsJson = False,
) -> None:
    """Move a draft on to active, where normal searches find it."""
    invocation = Invocation.of(context, as_json=as_json)
    state = BranchState.MERGED if merged else BranchState.ACTIVE
    given = {"document_id": memory_id, "branch_state": state.value}
    invocation.run(call(invocation, tenant, "promote_context", given, _show_promoted))


async def _remember(
    invocation: Invocation, tenant: str, text: str, given: dict[str, object]
) -> None:
    given["content"] = text_given(text)
    await call(invocation, tenant, "remember_context", given, show_remembered)


def show_remembered(result: Result) -> None:
    """Print what a write came to."""
    item = result["item"]
    print_text(item["id"])
    status = "Kept" if result["write_status"] == "created" else "Already kept"
    note(f"{status} under topic '{item['metadata']['topic']}'")
    for replaced in result.get("superseded", ()):
        note(f"It replaces {replaced}")
    note_beside(result)


def _show_matches(result: Result) -> None:
    for match in result["matches"]:
        print_text(f"{match['score']:.3f}  {match['id']}  {_label(match, result)}")
        print_text(f"       {match['summary']}")
        if "explanation" in match:
            print_text(f"       {_explanation_line(match['explanation'])}")
    if not result["matches"]:
        note(f"Nothing found in state {result['applied_filters']['filter_state']}")
        note(result["hint"])


def _show_list(result: Result, *, continued: bool) -> None:
    state = result["applied_filters"]["filter_state"]
    for item in result["items"]:
        time = item["metadata"]["created_at"]
        print_text(f"{time}  {item['id']}  {_label(item, result)}")
        print_text(f"       {item['summary']}")
    if cursor := result.get("next_cursor"):
        note(f"More follows: add --cursor {cursor}")
    elif not result["items"]:
        note(f"Nothing {'more ' if continued else ''}in state {state}")


def _label(found: Result, result: Result) -> str:
    """Return the topic of a memory, its state where a result holds more than one, and its title if
    it has one.
    """
    names = ["topic", "branch_state", "title"]
    if "filter_states" not in result["applied_filters"]:
        names.remove("branch_state")
    return "  ".join(found["metadata"][name] for name in names if name in found["metadata"])


def _explanation_line(explanation: Result) -> str:
    parts = [f"{explanation['relevance']:.3f} by itself"]
    if words := explanation.get("words"):
        parts.append(f"words {words['share']:.3f} ({', '.join(words['terms']) or 'none'})")
    if meaning := explanation.get("meaning"):
        parts.append(f"nearness {meaning['nearness']:.3f}")
        parts.append(f"outstanding {meaning['outstanding']:.3f}")
    parts.append(f"neighbours {explanation['neighbours']:+.3f}")
    parts += [f"{name} {explanation[name]:+.1%}" for name in ("importance", "recency")]
    return ", ".join(parts)


def _show_item(result: Result) -> None:
    item = result["item"]
    for name, value in item["metadata"].items():
        note(f"{name}: {', '.join(value) if isinstance(value, list) else value}")
    print_text(item["content"])


def _show_deprecated(result: Result) -> None:
    item = result["item"]
    print_text(f"{item['id']} is superseded by {item['superseded_by']}")


def _show_promoted(result: Result) -> None:
    item = result["item"]
    print_text(f"{item['id']} is {item['branch_state']}")
