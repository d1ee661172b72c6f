"""`consolidate`: one memory takes the place of several."""

from typing import Annotated

import typer

from metacortex.commands.console import note, print_text
from metacortex.commands.given import text_given
from metacortex.commands.invocation import TENANT, AsJson, Invocation, Tenant
from metacortex.commands.memories import State
from metacortex.commands.tool_calls import Result, call
from metacortex.domain.errors import InvalidInput

_NEEDS_ANY = "Give the IDs of the memories to merge, or --topic for the drafts of a topic"
_NEEDS_IDS = "--content needs the IDs of the memories that it was made from"
_READY = (
    "To merge them, repeat this with their IDs and with --content: one text that says what all do"
)


def consolidate(
    context: typer.Context,
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="ID...", help="The memories to merge, 2 to 50.")
    ] = None,
    topic: Annotated[
        str | None,
        typer.Option(help="Without IDs: merge its drafts; with IDs: the topic of the merged one."),
    ] = None,
    content: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="The merged text; - reads it from standard input."),
    ] = None,
    title: Annotated[str | None, typer.Option(help="Its name, which makes it an episode.")] = None,
    state: State = None,
    preview: Annotated[
        bool, typer.Option("--preview", help="Change nothing, and show what would be merged.")
    ] = False,
    tenant: Tenant = TENANT,
    as_json: AsJson = False,
) -> None:
    """Let one memory take the place of several; without a text, show what can be merged."""
    given: dict[str, object] = {
        "topic": topic,
        "ids": ids or None,
        "title": title,
        "branch_state": state.value if state else None,
        "preview": preview or None,
    }
    invocation = Invocation.of(context, as_json=as_json)
    if not ids and content is not None:
        invocation.fail(InvalidInput(_NEEDS_IDS))
    if not ids and not topic:
        invocation.fail(InvalidInput(_NEEDS_ANY))
    invocation.run(_consolidate(invocation, tenant, content, given))


async def _consolidate(
    invocation: Invocation, tenant: str, content: str | None, given: dict[str, object]
) -> None:
    if content is not None:
        given["content"] = text_given(content)
    await call(invocation, tenant, "consolidate_context", given, _show)


def _show(result: Result) -> None:
    if item := result.get("item"):
        print_text(item["id"])
        note(f"It stands for {len(result['source_ids'])} memories")
    for source in result.get("sources", ()):
        print_text(f"{source['id']}  {source['metadata']['topic']}")
        print_text(f"       {source['content']}")
    if hint := result.get("hint"):
        note(_READY if len(result.get("sources", ())) > 1 else hint)
    if left_out := result.get("left_out"):
        note(f"Left out: {', '.join(left_out)}")
