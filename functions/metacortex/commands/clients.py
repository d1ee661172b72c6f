"""`clients`: who may come in and do what, beside those that the environment names."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated
from urllib.parse import quote

import typer

from metacortex.commands.connection import claude_code
from metacortex.commands.console import note, print_json, print_text
from metacortex.commands.invocation import TENANT, AsJson, Invocation, Tenant
from metacortex.commands.listening import address
from metacortex.commands.typed import typed
from metacortex.domain.client import ClientProfile, Credential
from metacortex.domain.errors import ConfigurationError, InvalidInput
from metacortex.domain.json import JSON
from metacortex.domain.text import check_unicode
from metacortex.problems import Problems
from metacortex.profiles import BROWSER_TOOLS, profile_as_json, profile_from_json

if TYPE_CHECKING:
    from metacortex.config import Settings

clients = typer.Typer(no_args_is_help=True, help="List, add, change, rotate and remove clients.")

_HEADING = ("ID", "SOURCE", "TENANT", "SEES", "WRITES", "TOOLS")

ClientId = Annotated[str, typer.Argument(metavar="ID", help="The id, as it stands in its path.")]


States = Annotated[
    str | None, typer.Option(help="States that it may see, with commas; else the default one.")
]
WriteStates = Annotated[
    str | None,
    typer.Option(help="States that it may write, with commas; '' for none; else active,wip."),
]
Origins = Annotated[
    list[str] | None, typer.Option(help="Origin of a browser to admit; may be repeated.")
]
Namespaces = Annotated[
    list[str] | None,
    typer.Option(help="Namespace to read; the first is written to; may be repeated."),
]
Secrets = Annotated[
    str | None, typer.Option(help="What becomes of live secrets: redact, refuse or keep.")
]
Timezone = Annotated[
    str | None,
    typer.Option(help="The zone that its dates are read in, such as Europe/Berlin; else UTC."),
]


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
    states: States = None,
    write_states: WriteStates = None,
    origin: Origins = None,
    namespace: Namespaces = None,
    secrets: Secrets = None,
    may_replace: Annotated[
        bool, typer.Option("--may-replace", help="Its writes may name a memory that they replace.")
    ] = False,
    timezone: Timezone = None,
    tenant: Tenant = TENANT,
    as_json: AsJson = False,
) -> None:
    """Register a client, and show its token once."""
    permissions = _permissions(
        tools=tools,
        states=states,
        write_states=write_states,
        origin=origin,
        namespace=namespace,
        secrets=secrets,
        may_replace=may_replace,
        timezone=timezone,
    )
    invocation = Invocation.of(context, as_json=as_json)
    invocation.run(_add(invocation, {"id": client_id, "tenant": tenant, **permissions}))


@clients.command("update")
def update_client(
    context: typer.Context,
    client_id: ClientId,
    tools: Annotated[str | None, typer.Option(help="Its tools, with commas.")] = None,
    states: States = None,
    write_states: WriteStates = None,
    origin: Origins = None,
    namespace: Namespaces = None,
    secrets: Secrets = None,
    may_replace: Annotated[
        bool | None,
        typer.Option(
            "--may-replace/--may-not-replace",
            help="Whether its writes may name a memory that they replace.",
        ),
    ] = None,
    timezone: Timezone = None,
    as_json: AsJson = False,
) -> None:
    """Change what a registered client may do; what is not named stays, its token too."""
    changes = _permissions(
        tools=tools,
        states=states,
        write_states=write_states,
        origin=origin,
        namespace=namespace,
        secrets=secrets,
        may_replace=may_replace,
        timezone=timezone,
    )
    invocation = Invocation.of(context, as_json=as_json)
    invocation.run(_update(invocation, client_id, changes))


@clients.command("rotate")
def rotate_client(context: typer.Context, client_id: ClientId, as_json: AsJson = False) -> None:
    """Give a registered client a new token, which replaces the old one within 30 seconds."""
    invocation = Invocation.of(context, as_json=as_json)
    invocation.run(_rotate(invocation, client_id))


@clients.command("remove")
def remove_client(context: typer.Context, client_id: ClientId, as_json: AsJson = False) -> None:
    """Take a registered client away; its token ends within 30 seconds."""
    invocation = Invocation.of(context, as_json=as_json)
    invocation.run(_remove(invocation, client_id))


def _permissions(
    *,
    tools: str | None,
    states: str | None,
    write_states: str | None,
    origin: list[str] | None,
    namespace: list[str] | None,
    secrets: str | None,
    may_replace: bool | None,
    timezone: str | None,
) -> dict[str, JSON]:
    """Return what is given of these, by the keys of a profile."""
    given: dict[str, JSON] = {
        "allowedTools": _members(tools),
        "allowedFilterStates": _members(states),
        "allowedWriteStates": _members(write_states),
        "allowedOrigins": origin or None,
        "namespaces": namespace or None,
        "secrets": secrets,
        "mayReplace": may_replace,
        "timezone": timezone,
    }
    return {key: value for key, value in given.items() if value is not None}


async def _list(invocation: Invocation) -> None:
    async with invocation.program() as program:
        service = program.services.clients
        found = [("configured", profile) for profile in service.configured.values()]
        found += [("registered", profile) for profile in await service.registered()]
    found.sort(key=lambda entry: entry[1].id)
    if invocation.as_json:
        for source, profile in found:
            print_json({**profile_as_json(profile), "source": source})
    elif found:
        for line in _table([_HEADING, *(_row(source, profile) for source, profile in found)]):
            print_text(line)
        note("--json also shows origins, namespaces, zones, secrets and who may replace")
    else:
        note(f"No clients; add one with: {typed(invocation.env, 'clients', 'add')} ID")


async def _add(invocation: Invocation, entry: dict[str, JSON]) -> None:
    from metacortex.credentials import new_token

    check_unicode("id", str(entry["id"]))
    token = new_token()
    settings = invocation.settings()
    url = _base_url(invocation, settings)
    profile = _profile_of({**entry, "token": token}, settings)
    async with invocation.program(settings) as program:
        await program.services.clients.add(profile)
    _show_token(invocation, profile, token, url)


async def _update(invocation: Invocation, client_id: str, changes: dict[str, JSON]) -> None:
    from metacortex.credentials import new_token

    if not changes:
        raise InvalidInput("Nothing to change; name what is to be otherwise, such as --tools")
    settings = invocation.settings()
    async with invocation.program(settings) as program:
        before = await program.services.clients.named(client_id)
        # Its own token is not known here; it is kept below.
        entry = {**profile_as_json(before), **changes, "token": new_token()}
        profile = replace(_profile_of(entry, settings), credential=before.credential)
        await program.services.clients.update(before, profile)
    if invocation.as_json:
        print_json(profile_as_json(profile))
    else:
        note(f"Client '{client_id}' is changed; that is in force within 30 seconds")


def _profile_of(entry: dict[str, JSON], settings: "Settings") -> ClientProfile:
    """Return the profile that an entry describes.

    Raises:
        InvalidInput: it describes none, and why.
    """
    from metacortex.bootstrap import TOOL_NAMES

    problems = Problems()
    profile = profile_from_json(
        entry, "client", settings.default_filter_state, TOOL_NAMES, problems
    )
    try:
        problems.raise_any()
    except ConfigurationError as error:
        raise InvalidInput(error.sentence) from None
    assert profile is not None
    return profile


async def _rotate(invocation: Invocation, client_id: str) -> None:
    from metacortex.credentials import new_token

    token = new_token()
    settings = invocation.settings()
    url = _base_url(invocation, settings)
    async with invocation.program(settings) as program:
        profile = await program.services.clients.rotate(client_id, Credential.of(token))
    if not invocation.as_json:
        note("The new token replaces the old one within 30 seconds; until then it may be refused")
    _show_token(invocation, profile, token, url)


async def _remove(invocation: Invocation, client_id: str) -> None:
    async with invocation.program() as program:
        await program.services.clients.remove(client_id)
    if invocation.as_json:
        print_json({"id": client_id, "removed": True})
    else:
        note(f"Client '{client_id}' is removed; its token ends within 30 seconds")


def _base_url(invocation: Invocation, settings: "Settings") -> str:
    """Return the address that a server with these settings is reached at."""
    return settings.public_url or address(invocation.env, None, None).url


def _show_token(invocation: Invocation, profile: ClientProfile, token: str, url: str) -> None:
    path = f"/clients/{profile.id}/mcp"
    if invocation.as_json:
        print_json({"id": profile.id, "token": token, "path": path})
        return
    endpoint = f"{url}/clients/{quote(profile.id, safe='')}/mcp"
    print_text(token)
    note(f"This is the token of '{profile.id}' for {path}, and it is not shown again.")
    note(f"Its endpoint, if the server listens there: {endpoint}")
    note("Where it listens elsewhere, set PORT or PUBLIC_URL here as for the server")
    # Who takes the token into a variable or a file may keep what else is said in a log.
    pasted = token if sys.stdout.isatty() else "TOKEN"
    note(f"Claude Code: {claude_code(endpoint, pasted)}")


def _members(text: str | None) -> list[str] | None:
    return (
        None if text is None else [name for member in text.split(",") if (name := member.strip())]
    )


def _row(source: str, profile: ClientProfile) -> tuple[str, ...]:
    principal = profile.principal
    return (
        *(profile.id, source, principal.tenant),
        ",".join(principal.filter_states),
        ",".join(sorted(principal.write_states)) or "-",
        ",".join(sorted(principal.tools)),
    )


def _table(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip()
