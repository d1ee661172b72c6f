"""`verify-integrity`: whether what is stored is what was written."""

from typing import Annotated

import typer

from metacortex.commands.console import memories, note, print_text
from metacortex.commands.invocation import TENANT, AsJson, Invocation, Tenant
from metacortex.commands.tool_calls import Result, call


def verify_integrity(
    context: typer.Context,
    root: Annotated[
        str | None, typer.Option(help="A root that was kept elsewhere, to compare with.")
    ] = None,
    size: Annotated[
        int | None, typer.Option(help="How many leaves its tree had; else that is found out.")
    ] = None,
    tenant: Tenant = TENANT,
    as_json: AsJson = False,
) -> None:
    """Check everything against its digest, and print the root; status 1 if it does not hold."""
    invocation = Invocation.of(context, as_json=as_json)
    invocation.run(_verify(invocation, tenant, {"root": root, "size": size}))


async def _verify(invocation: Invocation, tenant: str, given: dict[str, object]) -> None:
    result = await call(invocation, tenant, "verify_integrity", given, _show)
    if not result["verified"]:
        raise typer.Exit(1)


def _show(result: Result) -> None:
    tree = result["tree"]
    print_text(f"{tree['root']}  {tree['size']}")
    for altered in result["altered"]:
        print_text(f"altered  {altered['id']}  {', '.join(altered['checks'])}")
    if missing := result.get("missing_leaves"):
        print_text(f"missing  {missing} of {tree['size'] + missing} leaves")
    if result.get("more"):
        note("More was altered than is named")
    note(f"{memories(result['memories'])} and {result['changes']} changes were checked")
    if rootless := result["rootless"]:
        note(f"{rootless} of them were written by an earlier version, and the root tells nothing")
    if (size := result.get("matched_size")) is not None:
        note(f"The first {size} leaves have the given root")
    note(result["conclusion"])
