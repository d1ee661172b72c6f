"""`audit-contradictions`: which facts cannot both be true."""

from typing import Annotated

import typer

from metacortex.commands.console import note, print_text
from metacortex.commands.invocation import TENANT, AsJson, Invocation, Tenant
from metacortex.commands.tool_calls import Result, call


def audit_contradictions(
    context: typer.Context,
    as_of: Annotated[
        str | None, typer.Option(metavar="DATE", help="The moment to look at; now if absent.")
    ] = None,
    auto_resolve: Annotated[
        bool, typer.Option("--auto-resolve", help="Supersede the older or less certain of each.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Change and keep nothing; show what would be done.")
    ] = False,
    namespace: Annotated[str | None, typer.Option(help="Only this namespace.")] = None,
    entity: Annotated[str | None, typer.Option(help="Only facts about this subject.")] = None,
    tenant: Tenant = TENANT,
    as_json: AsJson = False,
) -> None:
    """Find facts that cannot both be true."""
    invocation = Invocation.of(context, as_json=as_json)
    given: dict[str, object] = {
        "as_of": as_of,
        "auto_resolve": auto_resolve or None,
        "dry_run": dry_run or None,
        "namespace": namespace,
        "entity": entity,
    }
    invocation.run(call(invocation, tenant, "audit_contradictions", given, _show))


def _show(result: Result) -> None:
    print_text(result["summary_markdown"])
    if resolved := result["auto_resolved"]:
        done = "would be resolved" if result.get("dry_run") else "resolved"
        note(f"{len(resolved)} {done}")
    if step := result.get("resolution_id"):
        note(f"To take it back: review_contradictions with action reopen and finding_ids {step}")
