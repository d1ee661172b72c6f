"""`smoke`: shows that a running server does its work."""

from typing import Annotated

import typer

from metacortex.commands.choices import words
from metacortex.commands.console import print_json, print_text
from metacortex.commands.invocation import AsJson, Invocation
from metacortex.config import ADMIN_TOKEN
from metacortex.smoke_mode import Mode


def smoke(
    context: typer.Context,
    url: Annotated[str | None, typer.Option(help="The endpoint (MCP_BASE_URL).")] = None,
    token: Annotated[str | None, typer.Option(help=f"Its token ({ADMIN_TOKEN}).")] = None,
    mode: Annotated[
        str | None, typer.Option(help=f"{words(Mode)} (MCP_SMOKE_MODE); else the first.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Use a running server as a real MCP client does, and fail when any call is an error.

    What it remembers stays in the memory, under the topic metacortex-smoke; search-only writes
    nothing.
    """
    invocation = Invocation.of(context, as_json=as_json)
    address = _given(invocation, url, "--url", "MCP_BASE_URL")
    secret = _given(invocation, token, "--token", ADMIN_TOKEN)
    wanted = mode or invocation.env.get("MCP_SMOKE_MODE", "").strip() or Mode.ADMIN
    if wanted not in tuple(Mode):
        raise typer.BadParameter(f"must be one of {words(Mode)}", param_hint="--mode")
    invocation.run(_smoke(invocation, address, secret, Mode(wanted)))


async def _smoke(invocation: Invocation, url: str, token: str, mode: Mode) -> None:
    from metacortex.smoke import smoke as visit

    steps: list[str] = []

    def tell(step: str) -> None:
        steps.append(step)
        if not invocation.as_json:
            print_text(step)

    await visit(url, token, mode, tell)
    if invocation.as_json:
        print_json({"ok": True, "mode": mode.value, "steps": steps})
    else:
        print_text("All is well")


def _given(invocation: Invocation, option: str | None, name: str, setting: str) -> str:
    value = (option or invocation.env.get(setting, "")).strip()
    if not value:
        raise typer.BadParameter(f"is required, or set {setting}", param_hint=name)
    return value
