"""MetaCortex: a remote memory that any chat client can use, over MCP.

In process, without a server:

    async with metacortex.open("memories") as memory:
        await memory.remember("We use Ktor for shared networking.", topic="kmp-networking")
        matches = await memory.search("networking on Android")
"""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from os import PathLike
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metacortex.library import OpenMemory


def open(
    path: str | PathLike[str],
    tenant: str = "default",
    settings: Mapping[str, str] | None = None,
) -> "AbstractAsyncContextManager[OpenMemory]":
    """Open the memory in the data directory `path`, which is made if it is not there.

    A server and other processes may use it at the same time. `settings` are those of the server by
    their names in the environment; the environment itself is not read.

    Raises:
        ConfigurationError: a setting is wrong.
        StoreUnusable: the folder or its database cannot be used as it is.
        InvalidInput: no tenant can have this name.
    """
    from metacortex.library import open_memory

    return open_memory(path, tenant, settings)
