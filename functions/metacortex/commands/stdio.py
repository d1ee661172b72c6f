"""`stdio`: the same tools over standard input and output, for clients that start their servers."""

from typing import Annotated

import typer

from metacortex.commands.invocation import Invocation, opened
from metacortex.domain.client import ADMIN_ID
from metacortex.domain.errors import NotFound


def stdio(
    context: typer.Context,
    client: Annotated[
        str, typer.Option(help=f"Whose tools to serve; '{ADMIN_ID}' is the admin.")
    ] = ADMIN_ID,
) -> None:
    """Serve the tools of one client over standard input and output."""
    invocation = Invocation.of(context)
    invocation.run(_stdio(invocation, client), serving=True)


async def _stdio(invocation: Invocation, client_id: str) -> None:
    from metacortex.bootstrap import TOOL_NAMES, build
    from metacortex.config import ADMIN_TOKEN, Settings
    from metacortex.credentials import new_token
    from metacortex.serving import served
    from metacortex.transport import address

    env = invocation.complete_env()
    if not env.get(ADMIN_TOKEN, "").strip():
        # Nobody needs a token here, but the settings of the admin are read only with one.
        env[ADMIN_TOKEN] = new_token()
    settings = Settings.from_env(env, TOOL_NAMES)
    program = build(settings)
    async with opened(program):
        clients = program.services.clients
        profile = clients.admin if client_id == ADMIN_ID else await clients.find(client_id)
        if profile is None:
            raise NotFound(f"client '{client_id}' is not known; see: metacortex clients list")
        endpoint = served(settings, program).mcp
        address.present.set(settings.public_url or "")
        await endpoint.serve_stdio(program.services, profile.principal)
