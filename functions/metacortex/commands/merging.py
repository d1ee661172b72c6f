"""`merge-entities`: two names for the same thing."""

from typing import Annotated

import typer

from metacortex.commands.console import print_text
from metacortex.commands.invocation import TENANT, AsJson, Invocation, Tenant
from metacortex.commands.tool_calls import Result, call
from metacortex.domain.errors import InvalidInput

_ONE_OF_TWO = "Say INTO, which FROM is to stand for, or --undo; one of the two"


def merge_entities(
    context: typer.Context,
    name: Annotated[
        str, typer.Argument(metavar="FROM", help="The name or id that becomes an alias.")
    ],
    into: Annotated[
        str | None, typer.Argument(metavar="INTO", help="The name or id of what stays.")
    ] = None,
    undo: Annotated[
        bool, typer.Option("--undo", help="Without INTO: let FROM stand for itself again.")
    ] = False,
    namespace: Annotated[str | None, typer.Option(help="The namespace of both.")] = None,
    tenant: Tenant = TENANT,
    as_json: AsJson = False,
) -> None:
    """Say that two names stand for the same thing, or take that back."""
    given: dict[str, object] = {
        "from": name,
        "into": into,
        "undo": undo or None,
        "namespace": namespace,
    }
    invocation = Invocation.of(context, as_json=as_json)
    if (into is None) != undo:
        invocation.fail(InvalidInput(_ONE_OF_TWO))

    def show(result: Result) -> None:
        stands_for = result["entity"]["name"]
        print_text(f"'{name}' is {result['status']}, and stands for '{stands_for}'")

    invocation.run(call(invocation, tenant, "merge_entities", given, show))
