"""`reembed`, `reindex` and `reset`: what is done to the store as a whole."""

import asyncio
import sys
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Annotated

import typer

from metacortex.commands.console import memories, note, print_json
from metacortex.commands.invocation import TENANT, AsJson, Invocation, Tenant
from metacortex.domain.client import check_tenant
from metacortex.domain.errors import InvalidInput
from metacortex.domain.vector import EmbeddingSpace
from metacortex.engine_settings import FirestoreSettings, SqliteSettings

if TYPE_CHECKING:
    from metacortex.config import Settings

REPORTED_EVERY = 100


def reembed(context: typer.Context, as_json: AsJson = False) -> None:
    """Embed again, for all tenants, what was embedded by another model.

    It may be stopped and started again at any moment, beside a running server.
    """
    invocation = Invocation.of(context, as_json=as_json)
    invocation.run(_reembed(invocation))


def reindex(context: typer.Context, as_json: AsJson = False) -> None:
    """Index the words of what an earlier version wrote, for all tenants.

    It may be stopped and started again at any moment, beside a running server.
    """
    invocation = Invocation.of(context, as_json=as_json)
    invocation.run(_reindex(invocation))


def reset(
    context: typer.Context,
    confirm: Annotated[bool, typer.Option("--confirm", help="Do it, and not only say.")] = False,
    tenant: Tenant = TENANT,
    as_json: AsJson = False,
) -> None:
    """Delete all memories of a tenant for good; its events and clients stay."""
    invocation = Invocation.of(context, as_json=as_json)
    invocation.run(_reset(invocation, tenant, confirmed=confirm))


async def _reembed(invocation: Invocation) -> None:
    async with invocation.program() as program:
        maintenance = program.services.maintenance
        coverage = await maintenance.coverage()
        done = await _followed(maintenance.reembed(), coverage.uncovered)
    if invocation.as_json:
        print_json({"reembedded": done, "space": str(coverage.space)})
    else:
        note(_renewed(done, coverage.space))


async def _reindex(invocation: Invocation) -> None:
    async with invocation.program() as program:
        maintenance = program.services.maintenance
        done = await _followed(maintenance.reindex(), await maintenance.unindexed())
    if invocation.as_json:
        print_json({"reindexed": done})
    elif done:
        note(f"The words of {done} memories were indexed; now words find all")
    else:
        note("Nothing to do: words find all memories")


async def _followed(steps: AsyncIterator[int], total: int) -> int:
    """Report each step of so many, and return how far they came."""
    done = 0
    try:
        async for done in steps:
            _report(done, total)
    except asyncio.CancelledError:
        note(f"Stopped after {done} of {total}; start it again to go on")
        raise
    return done


def _renewed(done: int, space: EmbeddingSpace) -> str:
    if not done:
        return f"Nothing to do: all memories and names are embedded in {space}"
    return f"{done} memories and names were embedded again; all are in {space} now"


def _report(done: int, total: int) -> None:
    if sys.stderr.isatty():
        # Over the line before, on which the cursor stays.
        print(f"\r{done} of {total} ", end="", file=sys.stderr, flush=True)
    elif done % REPORTED_EVERY == 0:
        note(f"{done} of {total}")


async def _reset(invocation: Invocation, tenant: str, *, confirmed: bool) -> None:
    check_tenant(tenant)
    settings = invocation.settings()
    async with invocation.program(settings) as program:
        maintenance = program.services.maintenance
        if not confirmed:
            count = await maintenance.count(tenant)
            raise InvalidInput(
                f"This would delete {memories(count)} of tenant '{tenant}' in"
                f" {_place(settings)} for good; to do it, add --confirm"
            )
        deleted = await maintenance.reset(tenant)
    if invocation.as_json:
        print_json({"tenant": tenant, "deleted": deleted})
    else:
        note(f"Deleted for good: {memories(deleted)} of tenant '{tenant}'")


def _place(settings: "Settings") -> str:
    match settings.engine:
        case SqliteSettings():
            return f"'{settings.data_dir}'"
        case FirestoreSettings(_, database, _, None):
            return f"Firestore's database {database}"
        case FirestoreSettings(emulator=emulator):
            return f"the Firestore emulator at {emulator}"
