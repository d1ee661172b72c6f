"""Places on loopback: a free port, a process that listens there, a server of HTTP in a thread."""

import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from tests.processes import START_SECONDS

HOST = "127.0.0.1"


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.socket() as listener:
        listener.bind((HOST, 0))
        return int(listener.getsockname()[1])


def takes_connections(process: "subprocess.Popen[bytes]", port: int) -> bool:
    """Wait until a process takes connections; False tells that it ended or took too long."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            socket.create_connection((HOST, port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return True
    return False


class QuietHandler(BaseHTTPRequestHandler):
    """Keeps its connections, and prints nothing."""

    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *arguments: object) -> None:
        """Print nothing."""


@contextmanager
def answering(handler: type[QuietHandler]) -> Iterator[str]:
    """Answer requests until the block ends, and yield the address."""
    with ThreadingHTTPServer((HOST, 0), handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://{HOST}:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
