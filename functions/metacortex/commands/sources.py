"""`export-sources`: memories as sources that a checker of citations reads."""

import json
from pathlib import Path
from typing import Annotated

import typer

from metacortex.commands.console import note, print_json
from metacortex.commands.given import AsOf
from metacortex.commands.invocation import TENANT, AsJson, Invocation, Tenant
from metacortex.commands.tool_calls import Result, call_as
from metacortex.domain.errors import InvalidInput

_ONE_OF_TWO = "Say what to export: --query, or --all; one of the two"


def export_sources(
    context: typer.Context,
    query: Annotated[
        str | None, typer.Option(help="What they are to tell about, in full words.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="All that holds, in place of a query.")
    ] = False,
    as_of: AsOf = None,
    proofs: Annotated[
        bool, typer.Option("--proofs", help="Add to each the proof that it is in the record.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option(help="The new file to write; else standard output.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Write over the file if it is there already.")
    ] = False,
    tenant: Tenant = TENANT,
    as_json: AsJson = False,
) -> None:
    """Write memories with their provenance and the root as one list of JSON, to cite from."""
    given: dict[str, object] = {
        "query": query,
        "all": everything or None,
        "as_of": as_of,
        "proofs": proofs or None,
    }
    invocation = Invocation.of(context, as_json=as_json)
    if (query is None) != everything:
        invocation.fail(InvalidInput(_ONE_OF_TWO))
    if output is not None and output.is_file() and not force:
        invocation.fail(
            InvalidInput(f"'{output}' is there already; name another, or write over it by --force")
        )
    invocation.run(_export(invocation, tenant, given, output))


async def _export(
    invocation: Invocation, tenant: str, given: dict[str, object], output: Path | None
) -> None:
    from metacortex.transport.mcp.tools.sources import WHOLE_EXPORT

    def show(result: Result) -> None:
        if output is None:
            print_json(result["sources"])
        tree = result["tree"]
        note(f"{len(result['sources'])} sources; root {tree['root']} of {tree['size']} leaves")
        if hint := result.get("hint"):
            note(hint)

    result = await call_as(invocation, tenant, WHOLE_EXPORT, given, show)
    if output is not None:
        _write(output, json.dumps(result["sources"], ensure_ascii=False, indent=2))


def _write(path: Path, text: str) -> None:
    try:
        # For this user alone, as the memory itself is.
        path.touch(mode=0o600)
        path.write_text(f"{text}\n", encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"'{path}' cannot be written ({error.strerror})") from error
