"""One of several processes that share a Firestore emulator, run as a module with the name of a
project.

Orders come as lines of JSON, each a list of calls that are made at once: `["remember", TEXT]` or
`["deprecate", OLD, NEW]`. Each is answered with a line of their outcomes in order: whether the
memory was created and its id, or its new replacement, or the sentence of a refusal.
"""

import asyncio
import json
import sys

from metacortex.bootstrap import build_services
from metacortex.config import Settings
from metacortex.domain.client import whole_tenant
from metacortex.domain.errors import MetaCortexError
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import NewMemory
from metacortex.engine_settings import DEFAULT_COLLECTION, DEFAULT_DATABASE
from metacortex.engines import firestore_engine
from metacortex.service.memories import MemoryService
from tests.outside import outside_of

TENANT = "default"
ADMIN = whole_tenant("cli", TENANT, BranchState.ACTIVE)


async def main(project: str) -> None:
    """Carry out the orders of standard input until it ends."""
    outside = outside_of(firestore_engine(project, DEFAULT_DATABASE, DEFAULT_COLLECTION))
    memories = build_services(Settings.from_env({}, (), serving=False), outside).memories
    await outside.engine.open()
    print("ready", flush=True)
    while line := await asyncio.to_thread(sys.stdin.readline):
        outcomes = await asyncio.gather(*(_outcome(memories, *call) for call in json.loads(line)))
        print(json.dumps(outcomes), flush=True)
    await outside.engine.aclose()


async def _outcome(memories: MemoryService, verb: str, *texts: str) -> list[object] | str | None:
    try:
        if verb == "remember":
            remembered = await memories.remember(ADMIN, NewMemory(texts[0]))
            return [remembered.created, remembered.memory.id]
        return (await memories.deprecate(ADMIN, *texts)).memory.superseded_by
    except MetaCortexError as error:
        return error.sentence


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
