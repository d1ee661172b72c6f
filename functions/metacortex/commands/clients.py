"""`clients`: who may come in, beside those that the environment names."""

import json
from collections.abc import Mapping
from typing import Annotated

import typer

from metacortex.commands.console import note, print_json, print_text
from metacortex.commands.invocation import TENANT, AsJson, Invocation, Tenant
from metacortex.domain.client import ClientProfile, Credential
from metacortex.domain.errors import ConfigurationError, InvalidInput
from metacortex.domain.json import JSON
from metacortex.problems import Problems
from metacortex.profiles import BROWSER_TOOLS, profile_as_json, profile_from_json

clients = typer.Typer(no_args_is_help=True, help="List, add, rotate and remove clients.")

ClientId = Annotated[str, typer.Argument(metavar="ID", help="The id, as it stands in its path.")]


@clients.command("list")
def list_clients(context: typer.Context, as_json: AsJson = False) -> None:
    """Show all clients of all tenants, with what they may do."""
    invocation = Invocation.of(context, as_json=as_json)
    invocation.run(_list(invocation))


@clients.command("add")
def add_client(
    context: typer.Context,
    client_id: ClientId,
    tools: Annotated[str, typer.Option(help="Its tools, with commas.")] = ",".join(BROWSER_TOOLS),
    states: Annotated[
        str | None, typer.Option(help="States that it may see, with commas; else the default one.")
    ] = None,
    write_states: Annotated[
        str | None,
        typer.Option(help="States that it may write, with commas; '' for none; else active,wip."),
    ] = None,
    origin: Annotated[
        list[str] | None, typer.Option(help="Origin of a browser to admit; may be repeated.")
    ] = None,
    namespace: Annotated[
        list[str] | None,
        typer.Option(help="Namespace to read; the first is written to; may be repeated."),
    ] = None,
    secrets: Annotated[
        str | None, typer.Option(help="What becomes of live secrets: redact, refuse or keep.")
    ] = None,
    tenant: Tenant = TENANT,
    as_json: AsJson = False,
) -> None:
    """Register a client, and show its token once."""
    entry: dict[str, JSON] = {
        "id": client_id,
        "allowedTools": _members(tools),
        "allowedFilterStates": _members(states),
        "allowedWriteStates": _members(write_states),
        "allowedOrigins": origin or None,
        "namespaces": namespace or None,
        "secrets": secrets,
        "tenant": tenant,
    }
    invocation = Invocation.of(context, as_json=as_json)
    invocation.run(_add(invocation, entry))


@clients.command("rotate")
def rotate_client(context: typer.Context, client_id: ClientId, as_json: AsJson = False) -> None:
    """Give a registered client a new token; the old one ends within 30 seconds."""
    invocation = Invocation.of(context, as_json=as_json)
    invocation.run(_rotate(invocation, client_id))


@clients.command("remove")
def remove_client(context: typer.Context, client_id: ClientId, as_json: AsJson = False) -> None:
    """Take a registered client away; its token ends within 30 seconds."""
    invocation = Invocation.of(context, as_json=as_json)
    invocation.run(_remove(invocation, client_id))


async def _list(invocation: Invocation) -> None:
    async with invocation.program() as program:
        service = program.services.clients
        found = [("configured", profile) for profile in service.configured.values()]
        found += [("registered", profile) for profile in await service.registered()]
    for source, profile in sorted(found, key=lambda entry: entry[1].id):
        told = profile_as_json(profile)
        if invocation.as_json:
            print_json({**told, "source": source})
        else:
            print_text(_told(told, source))
    if not found and not invocation.as_json:
        note("No clients; add one with: metacortex clients add ID")


async def _add(invocation: Invocation, entry: dict[str, JSON]) -> None:
    from metacortex.bootstrap import TOOL_NAMES
    from metacortex.credentials import new_token

    token = new_token()
    settings = invocation.settings()
    problems = Problems()
    profile = profile_from_json(
        {**entry, "token": token}, "client", settings.default_filter_state, TOOL_NAMES, problems
    )
    try:
        problems.raise_any()
    except ConfigurationError as error:
        raise InvalidInput(error.sentence) from None
    assert profile is not None
    async with invocation.program(settings) as program:
        await program.services.clients.add(profile)
    _show_token(invocation, profile, token)


async def _rotate(invocation: Invocation, client_id: str) -> None:
    from metacortex.credentials import new_token

    token = new_token()
    async with invocation.program() as program:
        profile = await program.services.clients.rotate(client_id, Credential.of(token))
    _show_token(invocation, profile, token)


async def _remove(invocation: Invocation, client_id: str) -> None:
    async with invocation.program() as program:
        await program.services.clients.remove(client_id)
    if invocation.as_json:
        print_json({"id": client_id, "removed": True})
    else:
        note(f"Client '{client_id}' is removed; its token ends within 30 seconds")


def _show_token(invocation: Invocation, profile: ClientProfile, token: str) -> None:
    path = f"/clients/{profile.id}/mcp"
    if invocation.as_json:
        print_json({"id": profile.id, "token": token, "path": path})
        return
    print_text(token)
    note(f"This is the token of '{profile.id}' for {path}, and it is not shown again.")


def _members(text: str | None) -> list[str] | None:
    return (
        None if text is None else [name for member in text.split(",") if (name := member.strip())]
    )


def _told(told: Mapping[str, JSON], source: str) -> str:
    parts = [f"{name}={json.dumps(value)}" for name, value in told.items() if name != "id"]
    return f"{told['id']}  ({source})  {'  '.join(parts)}"
