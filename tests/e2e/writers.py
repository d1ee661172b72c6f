"""One of several processes that write to one file."""

import asyncio
import json
from pathlib import Path

from metacortex.bootstrap import build_services
from metacortex.config import Settings
from metacortex.domain.client import whole_tenant
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import NewMemory
from metacortex.engines import sqlite_engine
from tests.outside import outside_of
from tests.samples import CACHE_MB


async def write(path: Path, process: int) -> None:
    """Write fifty notes of this process's own and, ten times, one that all processes write.

    Prints for each whether it was created, and its id.
    """
    outside = outside_of(sqlite_engine(path, CACHE_MB))
    memories = build_services(Settings.from_env({}, (), serving=False), outside).memories
    principal = whole_tenant("cli", "default", BranchState.ACTIVE)
    own = [NewMemory(f"Note {number} of process {process}.") for number in range(50)]
    remembered = await asyncio.gather(
        *(
            memories.remember(principal, new)
            for new in [*own, *[NewMemory("The note of all.")] * 10]
        )
    )
    print(json.dumps([[each.created, each.memory.id] for each in remembered]))
    await outside.engine.aclose()
