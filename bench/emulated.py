"""The settings of a server that keeps its memory in the Firestore emulator."""

import os
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from uuid import uuid4

from metacortex.commands.emulator import HOST, running_emulator
from metacortex.domain.errors import ConfigurationError, StoreUnusable


@asynccontextmanager
async def emulated() -> AsyncIterator[dict[str, str]]:
    """Run an emulator until the block ends and yield settings of a project of its own with the
    local model; nothing where there is no emulator, after a line that says why.
    """
    settings: dict[str, str] = {}
    async with AsyncExitStack() as running:
        try:
            emulator = await running.enter_async_context(running_emulator(os.environ))
        except (ConfigurationError, StoreUnusable) as error:
            print(f"Firestore is left out. {error}", file=sys.stderr)
        else:
            settings = {
                HOST: emulator.host,
                "GOOGLE_CLOUD_PROJECT": f"demo-bench-{uuid4().hex[:8]}",
                "METACORTEX_ENGINE": "firestore",
                "METACORTEX_EMBEDDER": "use",
            }
        yield settings
