"""Server processes under measurement: started, asked and weighed from outside."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

TOKEN = "bench-token-0123456789"
ROOT = Path(__file__).parent.parent
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Server:
    """One running server and the MCP path on which it answers."""

    process: subprocess.Popen[bytes]
    url: str
    started: float

    def cpu_seconds(self) -> float:
        """Return user and system time so far, of the process itself (Linux)."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def resident_mb(self) -> float:
        """Return the resident set."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def bare_command(port: int) -> list[str]:
    """Return the command of the yardstick."""
    return _uvicorn("bare:app", port)


def product_command(port: int) -> list[str]:
    """Return the command that serves the ASGI app of the product, as a function host does."""
    return _uvicorn("main:app", port)


def _uvicorn(app: str, port: int) -> list[str]:
    quiet = ["--no-access-log", "--log-level", "error"]
    return [sys.executable, "-m", "uvicorn", "--port", str(port), *quiet, app]


@contextmanager
def serving(command: Callable[[int], list[str]], data_dir: str | None = None) -> Iterator[Server]:
    """Run a server until the block ends."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        env = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT / "bench"), str(ROOT / "functions")]),
            "MCP_ADMIN_TOKEN": TOKEN,
            "METACORTEX_DATA_DIR": data_dir or folder,
        }
        started = time.perf_counter()
        process = subprocess.Popen(command(port), env=env, stdout=subprocess.DEVNULL)
        try:
            yield Server(process, f"http://127.0.0.1:{port}/mcp", started)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=30)


HEADERS = {
    "Authorization": f"Bearer {TOKEN}",
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
}
STATELESS = "2026-07-28"


def message(method: str, params: dict[str, Any], era: str) -> tuple[dict[str, str], bytes]:
    """Return the headers and the body of one request in `era`."""
    headers = {**HEADERS, "MCP-Protocol-Version": era}
    if era == STATELESS:
        headers |= {
            "Mcp-Method": method,
            **({"Mcp-Name": params["name"]} if "name" in params else {}),
        }
        meta = {
            "io.modelcontextprotocol/protocolVersion": era,
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        params = {**params, "_meta": meta}
    return headers, json.dumps(
        {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    ).encode()


def first_answer(server: Server, era: str) -> float:
    """Return the seconds from process start to the first answered `tools/list`."""
    headers, body = message("tools/list", {}, era)
    with httpx.Client(timeout=5) as client:
        while True:
            try:
                client.post(server.url, headers=headers, content=body).raise_for_status()
            except httpx.TransportError:
                time.sleep(0.005)
                continue
            return time.perf_counter() - server.started


def call(
    client: httpx.Client, url: str, name: str, arguments: dict[str, Any], era: str
) -> dict[str, Any]:
    """Make one tool call and return its result."""
    headers, body = message("tools/call", {"name": name, "arguments": arguments}, era)
    answer = client.post(url, headers=headers, content=body)
    result = answer.json()["result"]
    assert not result.get("isError"), result
    return dict(result)
