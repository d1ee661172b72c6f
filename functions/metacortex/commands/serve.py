"""`serve`: the HTTP server on this machine, from its first check to its clean end."""

import asyncio
import logging
import signal
import sys
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from metacortex.commands.choices import one_of, words
from metacortex.commands.invocation import Invocation, opened
from metacortex.commands.listening import Address, address, listen
from metacortex.commands.typed import typed
from metacortex.domain.errors import MetaCortexError, Unavailable
from metacortex.engine_settings import SqliteSettings

if TYPE_CHECKING:
    import uvicorn

    from metacortex.bootstrap import Program
    from metacortex.config import Settings
    from metacortex.transport.app import App

logger = logging.getLogger(__name__)

HOUR = 3_600
GRACE_SECONDS = 10
"""How long a request that is being served may go on after the server was told to stop."""
CANCELLED_SECONDS = 5


class ServedEngine(StrEnum):
    """Where a server may keep its memories: an engine, or the emulator of one."""

    SQLITE = "sqlite"
    FIRESTORE = "firestore"
    EMULATOR = "firestore-emulator"


def serve(
    context: typer.Context,
    host: Annotated[
        str | None, typer.Option(help="Address to listen on (HOST); 127.0.0.1 if not given.")
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(min=0, max=65_535, help="Port to listen on (PORT); 8080 if not given."),
    ] = None,
    engine: Annotated[
        ServedEngine | None,
        typer.Option(
            parser=one_of(ServedEngine),
            metavar="ENGINE",
            help=f"Where memories are kept (METACORTEX_ENGINE): {words(ServedEngine)}.",
        ),
    ] = None,
    print_connection: Annotated[
        bool,
        typer.Option(
            "--print-connection", help="Print how to connect, with tokens, to any output."
        ),
    ] = False,
) -> None:
    """Serve the memory over HTTP, and print how to connect.

    The first start makes an admin token and two client profiles, unless the environment names them.
    """
    invocation = Invocation.of(context)
    in_full = print_connection or sys.stdout.isatty()
    if engine is ServedEngine.EMULATOR:
        from metacortex.commands.local_cloud import serve_local_cloud

        invocation.run(serve_local_cloud(invocation.env, host, port, in_full=in_full))
        return
    if engine is not None:
        invocation = replace(invocation, env={**invocation.env, "METACORTEX_ENGINE": engine.value})
    invocation.run(_serve(invocation, host, port, in_full=in_full), serving=True)


async def _serve(
    invocation: Invocation, host: str | None, port: int | None, *, in_full: bool
) -> None:
    from metacortex.bootstrap import TOOL_NAMES, build
    from metacortex.commands.announcement import announce
    from metacortex.config import Settings
    from metacortex.credentials import make_missing
    from metacortex.serving import served
    from metacortex.transport.app import App

    # Before any token is made: a first start that fails should leave nothing behind.
    data_dir = Settings.from_env(invocation.env, TOOL_NAMES, serving=False).data_dir
    with listen(address(invocation.env, host, port)) as listener:
        env = make_missing(invocation.env, data_dir)
        settings = Settings.from_env(env, TOOL_NAMES)
        program = build(settings)
        behind_the_door = served(settings, program)
        async with opened(program), _beside(_purge_hourly(program)):
            await _warn_of_ids_in_both(program, env)
            await _warm(program, env)
            server = _server(App(lambda: behind_the_door))
            url = Address(*listener.getsockname()[:2]).url
            announce(settings, env, url, in_full=in_full)
            async with _beside(_index(settings, program, env)):
                await server.serve(sockets=[listener])
                await _ended(server)
    logger.info("Stopped")


async def _ended(server: "uvicorn.Server") -> None:
    """Wait for the calls that the server has cancelled, since they still use the store."""
    if server.server_state.tasks:
        await asyncio.wait(server.server_state.tasks, timeout=CANCELLED_SECONDS)


@asynccontextmanager
async def _beside(work: Coroutine[None, None, None]) -> AsyncIterator[None]:
    """Do some work while the block runs, and no longer."""
    working = asyncio.create_task(work)
    try:
        yield
    finally:
        working.cancel()
        with suppress(asyncio.CancelledError):
            await working


async def _warn_of_ids_in_both(program: "Program", env: Mapping[str, str]) -> None:
    for client_id in await program.services.clients.in_both():
        logger.warning(
            "Client '%s' is both in MCP_CLIENT_PROFILES_JSON and registered; the first counts."
            " Rename it there, or run: %s",
            client_id,
            typed(env, "clients", "remove", client_id),
        )


async def _purge_hourly(program: "Program") -> None:
    """Purge what has expired, now and every hour."""
    while True:
        try:
            await program.services.maintenance.purge()
        except MetaCortexError as error:
            logger.error("Expired events could not be purged: %s", error.sentence)
        await asyncio.sleep(HOUR)


async def _index(settings: "Settings", program: "Program", env: Mapping[str, str]) -> None:
    """Index the words of what an earlier version wrote, or say how: it takes no model, but over a
    network it reads and writes each memory once.
    """
    maintenance = program.services.maintenance
    try:
        if not (unindexed := await maintenance.unindexed()):
            return
        logger.warning("%d memories of an earlier version are not yet found by words", unindexed)
        if not isinstance(settings.engine, SqliteSettings):
            logger.warning("To index them, run: %s", typed(env, "reindex"))
            return
        async for _ in maintenance.reindex():
            pass
        logger.info("Their words are indexed")
    except MetaCortexError as error:
        logger.error("The words of earlier memories were not indexed: %s", error.sentence)


async def _warm(program: "Program", env: Mapping[str, str]) -> None:
    """Load the model before the first caller waits for it, and say what it cannot find."""
    logger.info("Loading the embedding model")
    try:
        await program.services.maintenance.warm()
    except Unavailable as error:
        logger.error(
            "%s; until then nothing can be remembered, and searches go by words", error.sentence
        )
    coverage = await program.services.maintenance.coverage()
    if coverage.uncovered:
        logger.warning("%s; run: %s", coverage.finding, typed(env, "reembed"))


def _server(app: "App") -> "uvicorn.Server":
    """Return a server that stops by itself, and only it, on Ctrl-C from now on."""
    import uvicorn

    config = uvicorn.Config(
        app,
        log_config=None,
        # It would write the tokens that stand in addresses.
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="off",
        ws="none",
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    server = uvicorn.Server(config)
    # Once it has stopped it raises the signal anew, for whoever handled it before. That this is the
    # server again leaves the rest of the program its time to close.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, server.handle_exit)
    return server
