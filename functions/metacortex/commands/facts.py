"""`upsert-fact`: a statement with the time in which it is true."""

from typing import Annotated

import typer

from metacortex.commands.console import note, print_text
from metacortex.commands.given import NamespaceToWrite, ValidFrom, ValidUntil, number_or_word
from metacortex.commands.invocation import TENANT, AsJson, Invocation, Tenant
from metacortex.commands.tool_calls import Result, call
from metacortex.commands.written import note_beside

_STATUSES = {
    "created": "Kept",
    "duplicate": "Already kept",
    "closed": "Already kept, and ends now as was told",
}


def upsert_fact(
    context: typer.Context,
    subject: Annotated[str, typer.Argument(help="What it is about: its name, or its id.")],
    predicate: Annotated[
        str, typer.Argument(help="What of it is told, such as signing_algorithm.")
    ],
    object_: Annotated[str, typer.Argument(metavar="OBJECT", help="The value, such as Ed25519.")],
    entity: Annotated[
        bool, typer.Option("--entity", help="OBJECT is the name or id of an entity, and no value.")
    ] = False,
    beside: Annotated[
        bool, typer.Option("--beside", help="It stands beside other values, and ends none of them.")
    ] = False,
    category: Annotated[str | None, typer.Option(help="A label for the sort of fact.")] = None,
    importance: Annotated[
        str | None, typer.Option(help="How much it matters, 0 to 1, vital or supplementary.")
    ] = None,
    confidence: Annotated[
        str | None, typer.Option(help="How sure it is, 0 to 1, low, medium or high.")
    ] = None,
    valid_from: ValidFrom = None,
    valid_until: ValidUntil = None,
    source: Annotated[
        str | None, typer.Option(metavar="ID", help="The memory that it was learned from.")
    ] = None,
    namespace: NamespaceToWrite = None,
    tenant: Tenant = TENANT,
    as_json: AsJson = False,
) -> None:
    """State a fact, which ends the one that it replaces."""
    given: dict[str, object] = {
        "subject_id": subject,
        "predicate": predicate,
        "object_id" if entity else "object_value": object_,
        "singular": False if beside else None,
        "category": category,
        "importance": number_or_word(importance),
        "confidence": number_or_word(confidence),
        "valid_from": valid_from,
        "valid_until": valid_until,
        "source_episode_id": source,
        "namespace": namespace,
    }
    invocation = Invocation.of(context, as_json=as_json)
    invocation.run(call(invocation, tenant, "upsert_fact", given, _show))


def _show(result: Result) -> None:
    fact = result["fact"]
    print_text(fact["id"])
    note(
        f"{_STATUSES[result['write_status']]}: {fact['subject']} {fact['predicate']}"
        f" {fact['object']}"
    )
    for ended in result["superseded"]:
        note(f"It ends {ended}")
    note_beside(result)
