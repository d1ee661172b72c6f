"""A process of ours that lives no longer than the command that started it."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import IO

START_SECONDS = 60
END_SECONDS = 20
"""How long a process may take to end by itself once it is told to."""
_PAUSE = 0.05


@asynccontextmanager
async def child_process(
    command: Sequence[str], env: Mapping[str, str], output: IO[bytes] | None = None
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run a command until the block ends. All that it prints goes to `output`, else where our own
    goes.
    """
    process = await asyncio.create_subprocess_exec(
        *command,
        env=env,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        # Ctrl-C in a terminal reaches us alone, who end our processes in their order.
        start_new_session=True,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
            try:
                await asyncio.wait_for(process.wait(), END_SECONDS)
            except TimeoutError:
                process.kill()
                await process.wait()
        # What it had started itself may have outlived it.
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


async def takes_connections(process: asyncio.subprocess.Process, host: str, port: int) -> bool:
    """Wait until a process takes connections; False tells that it ended or took too long."""
    ending = asyncio.ensure_future(process.wait())
    try:
        async with asyncio.timeout(START_SECONDS):
            while not await listens(host, port):
                if ending.done():
                    return False
                await asyncio.sleep(_PAUSE)
    except TimeoutError:
        return False
    finally:
        ending.cancel()
    return True


async def listens(host: str, port: int) -> bool:
    """Whether something takes connections there."""
    try:
        _, writer = await asyncio.open_connection(host, port)
    except OSError:
        return False
    writer.close()
    return True
