"""`forget`: what is deleted for good."""

from typing import Annotated

import typer

from metacortex.commands.choices import one_of, words
from metacortex.commands.console import memories, note, print_text
from metacortex.commands.filters import WhereForgotten
from metacortex.commands.invocation import TENANT, AsJson, Invocation, Tenant
from metacortex.commands.tool_calls import Result, call
from metacortex.domain.details import Kind
from metacortex.domain.errors import InvalidInput

_ONE_OF_THREE = (
    "Say what to forget: the IDs of memories, or options such as --topic or --where, or --all:"
    " one of the three"
)


def forget(
    context: typer.Context,
    memory_ids: Annotated[
        list[str] | None, typer.Argument(metavar="ID", help="Memories that go at once.")
    ] = None,
    topic: Annotated[str | None, typer.Option(help="Those of this topic.")] = None,
    namespace: Annotated[str | None, typer.Option(help="Those of this namespace.")] = None,
    session: Annotated[str | None, typer.Option(help="Those of this conversation.")] = None,
    kind: Annotated[
        list[Kind] | None,
        typer.Option(
            parser=one_of(Kind),
            metavar="KIND",
            help=f"Those of this kind: {words(Kind)}; may be repeated.",
        ),
    ] = None,
    client: Annotated[str | None, typer.Option(help="Those that this client wrote.")] = None,
    where: WhereForgotten = None,
    everything: Annotated[bool, typer.Option("--all", help="All of the tenant.")] = False,
    confirmation: Annotated[
        str | None, typer.Option(help="What a preview with the same options has given.")
    ] = None,
    tenant: Tenant = TENANT,
    as_json: AsJson = False,
) -> None:
    """Delete memories for good: those named at once, others after a preview."""
    invocation = Invocation.of(context, as_json=as_json)
    filters: dict[str, object] = {
        "filter_topic": topic,
        "namespace": namespace,
        "session_id": session,
        "kind": kind or None,
        "client": client,
    }
    if [bool(memory_ids), bool(where) or any(filters.values()), everything].count(True) != 1:
        invocation.fail(InvalidInput(_ONE_OF_THREE))
    given = {
        **filters,
        "ids": memory_ids or None,
        "all": everything or None,
        "confirmation": confirmation,
    }
    invocation.run(call(invocation, tenant, "forget_context", given, _show, where))


def _show(result: Result) -> None:
    if "matching" not in result:
        note(f"Forgotten for good: {memories(result['forgotten'])}")
        return
    for memory_id in result["ids"]:
        print_text(memory_id)
    matching, shown = result["matching"], len(result["ids"])
    newest = f"; these are the ids of the newest {shown}" if shown < matching else ""
    note(f"This would forget {memories(matching)} for good{_facts_too(result)}{newest}")
    if "confirmation" in result:
        note("To do it, within five minutes, repeat this with --confirmation and:")
        print_text(result["confirmation"])


def _facts_too(result: Result) -> str:
    facts: int = result.get("facts", 0)
    if not facts:
        return ""
    drawn = "1 fact that was" if facts == 1 else f"{facts} facts that were"
    return f", and with that {drawn} drawn from it"
