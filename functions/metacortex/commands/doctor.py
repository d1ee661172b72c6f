"""`doctor`: looks at everything that a server needs, and says what to do."""

import typer

from metacortex.commands.console import print_json, print_text
from metacortex.commands.invocation import TENANT, AsJson, Invocation, Tenant


def doctor(context: typer.Context, tenant: Tenant = TENANT, as_json: AsJson = False) -> None:
    """Check configuration, files, store, model, disk and clock, and say what to do.

    Ends with status 1 if any check failed.
    """
    invocation = Invocation.of(context, as_json=as_json)
    invocation.run(_doctor(invocation, tenant))


async def _doctor(invocation: Invocation, tenant: str) -> None:
    from metacortex.commands.checks import examine
    from metacortex.verdict import Verdict

    failed = False
    async for check in examine(invocation.env, tenant):
        failed = failed or check.verdict is Verdict.FAIL
        if invocation.as_json:
            print_json(check.as_json())
        else:
            print_text(f"{check.verdict.value:<4}  {check.name}: {check.finding}")
    if failed:
        raise typer.Exit(1)
