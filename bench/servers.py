"""Server processes under measurement: started, asked and weighed from outside."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from metacortex.function_settings import FUNCTION_NAME

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
        """Return user and system time so far, of the process and all that it started (Linux)."""
        return sum(_cpu_ticks(pid) for pid in _family(self.process.pid)) / _TICKS

    def resident_mb(self) -> float:
        """Return the resident set."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _family(pid: int) -> Iterator[int]:
    yield pid
    for started in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in started.read_text().split():
            yield from _family(int(child))


def _cpu_ticks(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def bare_command(port: int) -> list[str]:
    """Return the command of the yardstick."""
    return _uvicorn("bench.bare:app", port)


def product_command(port: int) -> list[str]:
    """Return the command that serves the ASGI app of the product, as a function host does."""
    return _uvicorn("main:app", port)


def bare_function_command(port: int) -> list[str]:
    """Return the command of the yardstick behind the functions framework."""
    return _functions_framework(ROOT / "bench" / "bare_function.py", "bare", port)


def function_command(port: int) -> list[str]:
    """Return the command that serves the function, as the local cloud starts it."""
    return _functions_framework(ROOT / "functions" / "main.py", FUNCTION_NAME, port)


def slow_embeddings_command(port: int) -> list[str]:
    """Return the command of the embedding endpoint that takes its time."""
    return _uvicorn("bench.slow_embeddings:app", port)


def _functions_framework(source: Path, target: str, port: int) -> list[str]:
    where = ["--host", "127.0.0.1", "--port", str(port)]
    named = ["--source", str(source), "--target", target]
    return [sys.executable, "-m", "functions_framework", *named, *where]


def _uvicorn(app: str, port: int) -> list[str]:
    quiet = ["--no-access-log", "--log-level", "error"]
    return [sys.executable, "-m", "uvicorn", "--port", str(port), *quiet, app]


@contextmanager
def serving(
    command: Callable[[int], list[str]],
    data_dir: str | None = None,
    settings: Mapping[str, str] | None = None,
) -> Iterator[Server]:
    """Run a server until the block ends. What it logs is shown where the block fails."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as log:
        env = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT / "functions"), str(ROOT)]),
            "MCP_ADMIN_TOKEN": TOKEN,
            "METACORTEX_DATA_DIR": data_dir or folder,
            "METACORTEX_ENGINE": "sqlite",
            **(settings or {}),
        }
        started = time.perf_counter()
        process = subprocess.Popen(command(port), env=env, stdout=log, stderr=log)
        try:
            yield Server(process, f"http://127.0.0.1:{port}/mcp", started)
        except BaseException:
            log.seek(0)
            print(log.read()[-4_000:].decode(errors="replace"), file=sys.stderr)
            raise
        finally:
            process.terminate()
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
    return _answered(server, httpx.Request("POST", server.url, headers=headers, content=body))


def first_page(server: Server, url: str) -> float:
    """Return the seconds from process start until `url` is answered."""
    return _answered(server, httpx.Request("GET", url))


def _answered(server: Server, request: httpx.Request) -> float:
    with httpx.Client(timeout=30) as client:
        while True:
            try:
                client.send(request).raise_for_status()
            except httpx.ConnectError:
                if server.process.poll() is not None:
                    raise
                time.sleep(0.005)
            else:
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
