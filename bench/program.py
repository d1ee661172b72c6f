"""The whole program on the embedded engine, in process, with a store of its own."""

import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from metacortex.bootstrap import TOOL_NAMES, Program, build
from metacortex.config import Settings


@asynccontextmanager
async def running(env: Mapping[str, str] | None = None) -> AsyncIterator[Program]:
    """Give the program on an empty store in a file, which goes when the block ends."""
    with tempfile.TemporaryDirectory() as folder:
        there = {**(env or {}), "METACORTEX_DATA_DIR": folder}
        program = build(Settings.from_env(there, TOOL_NAMES, serving=False))
        try:
            yield program
        finally:
            await program.aclose()
