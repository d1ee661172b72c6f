"""Servers that start at once: a process that has imported everything forks one for each order.

Store, services and door are the product's; only the embedder is the tests' own. Orders come as
lines: `start` is answered with the process id and the port of a new server, `kill ID` with the id
once that process is gone.
"""

import os
import signal
import socket
import sys
from typing import NoReturn

import uvicorn

# The product imports it at the first search.
import metacortex.adapters.sqlite.search  # noqa: F401
from metacortex.adapters.local.secrets import LibrarySecretScanner
from metacortex.bootstrap import TOOL_NAMES, build
from metacortex.commands.listening import Address, listen
from metacortex.config import Settings
from metacortex.serving import served
from metacortex.transport.app import App
from tests.fakes import FakeEmbedder


def main() -> None:
    """Carry out the orders of standard input until it ends, then end what still runs."""
    # Its library is loaded at the first scan.
    LibrarySecretScanner().scan("")
    running: set[int] = set()
    for line in sys.stdin:
        order, *ids = line.split()
        if order == "start":
            process_id, port = _started()
            running.add(process_id)
            print(process_id, port, flush=True)
        else:
            process_id = int(ids[0])
            running.remove(process_id)
            _kill(process_id)
            print(process_id, flush=True)
    for process_id in running:
        _kill(process_id)


def _started() -> tuple[int, int]:
    # Listening begins before the fork, so whoever connects early waits and is not refused.
    with listen(Address("127.0.0.1", 0)) as listener:
        process_id = os.fork()
        if process_id == 0:
            _serve(listener)
        return process_id, listener.getsockname()[1]


def _kill(process_id: int) -> None:
    os.kill(process_id, signal.SIGKILL)
    os.waitpid(process_id, 0)


def _serve(listener: socket.socket) -> NoReturn:
    try:
        settings = Settings.from_env(os.environ, TOOL_NAMES)
        program = build(settings, FakeEmbedder())
        behind_the_door = served(settings, program)
        app = App(lambda: behind_the_door)
        uvicorn.Server(uvicorn.Config(app, access_log=False, log_level="warning")).run([listener])
    finally:
        # A fork must never go on as the process that it was forked from.
        os._exit(0)


if __name__ == "__main__":
    main()
