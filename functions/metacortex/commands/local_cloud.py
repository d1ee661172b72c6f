"""`serve --engine firestore-emulator`: the function as the cloud runs it, with nobody's account.

The function runs in a process of its own under the functions framework, on the Firestore emulator
and a local embedding model. Both processes end with the command.
"""

import asyncio
import logging
import shlex
import signal
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from metacortex.bootstrap import TOOL_NAMES
from metacortex.commands.announcement import announce, shared_settings
from metacortex.commands.child_process import child_process, takes_connections
from metacortex.commands.console import note
from metacortex.commands.emulator import HOST, Emulator, running_emulator
from metacortex.commands.listening import Address, address, free
from metacortex.config import Settings
from metacortex.credentials import make_missing
from metacortex.domain.errors import ConfigurationError, Unavailable
from metacortex.function_settings import FUNCTION_NAME

logger = logging.getLogger(__name__)

DEFAULTS = {
    "METACORTEX_EMBEDDER": "use",
    # Firebase's tools never look in the cloud for a project whose name begins so.
    "GOOGLE_CLOUD_PROJECT": "demo-metacortex",
}
MAIN = Path(__file__).parents[2] / "main.py"
_OF_THE_FRAMEWORK = ("DEBUG", "FUNCTION_TARGET", "FUNCTION_SOURCE", "FUNCTION_SIGNATURE_TYPE")
"""Variables that the framework would read beside its options."""


async def serve_local_cloud(
    env: Mapping[str, str], host: str | None, port: int | None, *, in_full: bool
) -> None:
    """Serve until Ctrl-C, SIGTERM or the end of the terminal, and print how to connect.

    Raises:
        ConfigurationError, StoreUnusable: something that it needs is missing or does not start.
        Unavailable: the emulator or the function has ended by itself.
    """
    serving = asyncio.ensure_future(_serve(env, address(env, host, port), in_full=in_full))
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, _cancelling(serving))
    with suppress(asyncio.CancelledError):
        await serving
    logger.info("Stopped")


def _cancelling(task: "asyncio.Task[None]") -> Callable[[], None]:
    """Return what cancels a task at the first signal, and at a later one leaves it its time."""

    def cancel() -> None:
        if not task.cancelling():
            task.cancel()

    return cancel


async def _serve(given: Mapping[str, str], wanted: Address, *, in_full: bool) -> None:
    set_by_user = {name: value for name, value in given.items() if value.strip()}
    env = {**DEFAULTS, **set_by_user, "METACORTEX_ENGINE": "firestore"}
    # Before any token is made: a first start that fails should leave nothing behind.
    data_dir = Settings.from_env(env, TOOL_NAMES, serving=False).data_dir
    place = free(wanted)
    logger.info("Starting the Firestore emulator and the function")
    async with running_emulator(env) as emulator:
        env = make_missing({**env, HOST: emulator.host}, data_dir)
        settings = Settings.from_env(env, TOOL_NAMES)
        async with _function(env, place) as function:
            # Before the commands that are announced, which need what it says.
            _tell_of(emulator, {**env, "PORT": str(place.port)})
            announce(settings, env, place.url, in_full=in_full)
            await _until_one_ends(emulator, function)


@asynccontextmanager
async def _function(
    env: Mapping[str, str], place: Address
) -> AsyncIterator[asyncio.subprocess.Process]:
    if not MAIN.exists():
        raise ConfigurationError(
            [f"The function's '{MAIN}' is not there; run this from a clone, with scripts/serve"]
        )
    command = (
        *(sys.executable, "-m", "functions_framework", "--source", str(MAIN)),
        *("--target", FUNCTION_NAME, "--host", place.host, "--port", str(place.port)),
    )
    own = {name: value for name, value in env.items() if name not in _OF_THE_FRAMEWORK}
    async with child_process(command, own) as process:
        if not await takes_connections(process, place.host, place.port):
            raise Unavailable("The function did not start; the lines above say why")
        yield process


def _tell_of(emulator: Emulator, env: Mapping[str, str]) -> None:
    ours = "and ends with this server" if emulator.process else "which was running before"
    shared = [f"{name}={value}" for name, value in shared_settings(env).items()]
    shared.append(f"PORT={env['PORT']}")
    note(
        f"The memory lives as long as the Firestore emulator at {emulator.host}, {ours}: nothing"
        " of it is kept. Other commands see it in a terminal where you have run:\n"
        f"  {shlex.join(['export', *shared])}"
    )


async def _until_one_ends(emulator: Emulator, function: asyncio.subprocess.Process) -> None:
    ends = {
        asyncio.ensure_future(emulator.ended()): "The Firestore emulator",
        asyncio.ensure_future(_ended(function)): "The function",
    }
    try:
        done, _ = await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for end in ends:
            end.cancel()
    raise Unavailable(f"{ends[done.pop()]} ended by itself; start again")


async def _ended(process: asyncio.subprocess.Process) -> None:
    await process.wait()
