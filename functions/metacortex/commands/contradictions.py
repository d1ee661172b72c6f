"""`audit-contradictions` and `review-contradictions`: which facts cannot both be true, and what
became of that.
"""

from enum import StrEnum
from typing import Annotated

import typer

from metacortex.commands.choices import one_of, words
from metacortex.commands.console import note, print_text
from metacortex.commands.invocation import TENANT, AsJson, Invocation, Tenant
from metacortex.commands.tool_calls import Result, call
from metacortex.domain.knowledge.findings import FindingStatus


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


class Action(StrEnum):
    """What can be done with findings that are named."""

    CLOSE = "close"
    REOPEN = "reopen"


def review_contradictions(
    context: typer.Context,
    finding_ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ID", help="Findings to close or reopen; a resolution for its whole step."
        ),
    ] = None,
    action: Annotated[
        Action | None,
        typer.Option(
            parser=one_of(Action),
            metavar="ACTION",
            help=f"What to do with these: {words(Action)}; else they are listed.",
        ),
    ] = None,
    reason: Annotated[str | None, typer.Option(help="To close: why nothing is to be done.")] = None,
    status: Annotated[
        FindingStatus | None,
        typer.Option(
            parser=one_of(FindingStatus),
            metavar="STATUS",
            help=f"To list: {words(FindingStatus)}; else open.",
        ),
    ] = None,
    namespace: Annotated[str | None, typer.Option(help="To list: only this namespace.")] = None,
    limit: Annotated[int | None, typer.Option(help="To list: at most so many.")] = None,
    tenant: Tenant = TENANT,
    as_json: AsJson = False,
) -> None:
    """List the contradictions that audits have found, close some or open them again."""
    given: dict[str, object] = {
        "action": action.value if action else None,
        "finding_ids": finding_ids or None,
        "reason": reason,
        "status": status.value if status else None,
        "namespace": namespace,
        "limit": limit,
    }
    invocation = Invocation.of(context, as_json=as_json)
    invocation.run(call(invocation, tenant, "review_contradictions", given, _show_reviewed))


def _show_reviewed(result: Result) -> None:
    for finding in result["findings"]:
        print_text(
            f"{finding['id']}  {finding['status']}  {finding['severity']}  {finding['kind']}"
        )
        for fact in finding["facts"]:
            said = f"{fact['subject']} {fact['predicate']} {fact['object']}"
            print_text(f"       {fact['id']}  {said}")
        if reason := finding.get("reason"):
            print_text(f"       closed: {reason}")
    if not result["findings"]:
        note("No findings")


def _show(result: Result) -> None:
    print_text(result["summary_markdown"])
    if resolved := result["auto_resolved"]:
        done = "would be resolved" if result.get("dry_run") else "resolved"
        note(f"{len(resolved)} {done}")
    if step := result.get("resolution_id"):
        note(f"To take it back: metacortex review-contradictions {step} --action reopen")
