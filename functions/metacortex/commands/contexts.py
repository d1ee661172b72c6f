"""`compile`: what answers a question best, as one text under a budget."""

from typing import Annotated

import typer

from metacortex.commands.choices import one_of, words
from metacortex.commands.console import note, print_json, print_text
from metacortex.commands.given import AsOf
from metacortex.commands.invocation import TENANT, AsJson, Invocation, Tenant
from metacortex.commands.tool_calls import Result, call
from metacortex.domain.bundles.bundle import DEFAULT_MAX_TOKENS, Format
from metacortex.domain.details import Kind


def compile_context(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="What to tell about, in full words.")],
    max_tokens: Annotated[
        int | None, typer.Option(help=f"How many tokens at most; else {DEFAULT_MAX_TOKENS}.")
    ] = None,
    max_chars: Annotated[
        int | None, typer.Option(help="How many characters at most, in place of tokens.")
    ] = None,
    topic: Annotated[str | None, typer.Option(help="Only this topic.")] = None,
    kind: Annotated[
        list[Kind] | None,
        typer.Option(
            parser=one_of(Kind), metavar="KIND", help=f"Only these: {words(Kind)}; may be repeated."
        ),
    ] = None,
    session: Annotated[str | None, typer.Option(help="Only this conversation.")] = None,
    as_of: AsOf = None,
    superseded: Annotated[
        bool, typer.Option("--superseded", help="Add what newer memories replaced.")
    ] = False,
    form: Annotated[
        Format | None,
        typer.Option(
            "--format",
            parser=one_of(Format),
            metavar="FORMAT",
            help=f"How it is written: {words(Format)}.",
        ),
    ] = None,
    tenant: Tenant = TENANT,
    as_json: AsJson = False,
) -> None:
    """Answer a question with what is remembered, as one text under a budget."""
    given = {
        "query": query,
        "max_tokens": max_tokens,
        "max_chars": max_chars,
        "topic": topic,
        "kinds": kind or None,
        "session_id": session,
        "include_superseded": superseded or None,
        "as_of": as_of,
        "format": form.value if form else None,
    }
    invocation = Invocation.of(context, as_json=as_json)
    invocation.run(call(invocation, tenant, "compile_context", given, _show))


def _show(result: Result) -> None:
    if "items" in result:
        print_json(result["items"])
    else:
        print_text(result["context"])
    budget = result.get("max_tokens") or result.get("max_chars")
    note(f"{result['used']} of {budget} by {result['counter']}")
