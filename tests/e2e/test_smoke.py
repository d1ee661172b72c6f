"""The smoke client against a real server: it passes where all is well, and says what is not."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command_line import CommandLine, Ended
from tests.server_processes import serving

pytestmark = pytest.mark.e2e

ADMIN = "admin-token-0123456789"
BROWSER_TOOLS = ["remember_context", "search_context", "fetch_context"]
PROFILES = [
    {"id": "web", "token": "web-token-0123456789", "allowedTools": BROWSER_TOOLS},
    {"id": "reader", "token": "reader-token-0123456789", "allowedTools": ["search_context"]},
    {
        "id": "silent",
        "token": "silent-token-0123456789",
        "allowedTools": BROWSER_TOOLS,
        "allowedWriteStates": [],
    },
]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server with these profiles."""
    folder = tmp_path_factory.mktemp("served")
    env = {"MCP_ADMIN_TOKEN": ADMIN, "MCP_CLIENT_PROFILES_JSON": json.dumps(PROFILES)}
    with serving(folder / "memory", **env) as server:
        yield server.url


@pytest.fixture
def command_line(tmp_path: Path) -> CommandLine:
    """The command line of another machine."""
    return CommandLine(tmp_path / "none")


def smoke(command_line: CommandLine, url: str, client: str | None, mode: str) -> Ended:
    """Run the smoke client against a client's endpoint or the admin's."""
    path = f"/clients/{client}/mcp" if client else "/mcp"
    token = f"{client}-token-0123456789" if client else ADMIN
    return command_line("smoke", "--url", url + path, "--token", token, "--mode", mode, "--json")


@pytest.mark.parametrize(
    ("client", "mode", "steps"),
    [
        (None, "admin-read-write", 7),
        ("web", "browser-read-write", 4),
        ("reader", "search-only", 2),
        (None, "search-only", 2),
    ],
)
def test_a_server_that_works_passes(
    command_line: CommandLine, url: str, client: str | None, mode: str, steps: int
) -> None:
    ended = smoke(command_line, url, client, mode)
    told = ended.json()
    assert (ended.status, told["ok"], len(told["steps"])) == (0, True, steps)


@pytest.mark.parametrize(
    ("client", "mode", "sentence"),
    [
        ("web", "admin-read-write", "tools/list lacks deprecate_context"),
        (None, "browser-read-write", "tools/list offers deprecate_context"),
        ("reader", "browser-read-write", "tools/list lacks remember_context, fetch_context"),
        ("silent", "browser-read-write", "remember_context answers: branch_state 'active' is not"),
        ("nobody", "search-only", "The server answers 404"),
    ],
)
def test_a_server_that_does_not_do_it_fails_and_says_why(
    command_line: CommandLine, url: str, client: str | None, mode: str, sentence: str
) -> None:
    ended = smoke(command_line, url, client, mode)
    assert ended.status == 1
    assert ended.json()["error"]["message"].startswith(sentence)


@pytest.mark.parametrize(
    ("address", "token", "sentence"),
    [
        ("{url}/mcp", "wrong-token-0123456789", "The server answers 401 Unauthorized; check"),
        ("{url}/mcp", "tökën", "The token must be printable ASCII text"),
        ("{url}/mcp", "a\nb", "The token must be printable ASCII text"),
        ("http://127.0.0.1:1/mcp", ADMIN, "The server was not reached (ConnectError)"),
        ("ftp://127.0.0.1/mcp", ADMIN, "The address must be an http or https URL"),
        ("nonsense", ADMIN, "The address must be an http or https URL"),
        ("http://[::1/mcp", ADMIN, "The address must be an http or https URL"),
    ],
)
def test_a_server_that_cannot_be_reached_so_fails_and_says_why(
    command_line: CommandLine, url: str, address: str, token: str, sentence: str
) -> None:
    ended = command_line("smoke", "--url", address.format(url=url), "--token", token)
    assert (ended.status, ended.out) == (1, "")
    assert ended.err.startswith(sentence)
    assert token not in ended.err


def test_settings_stand_in_for_the_options(command_line: CommandLine, url: str) -> None:
    ended = command_line(
        "smoke", MCP_BASE_URL=f"{url}/mcp", MCP_ADMIN_TOKEN=ADMIN, MCP_SMOKE_MODE="search-only"
    )
    assert ended.status == 0
    assert ended.out.splitlines()[-1] == "All is well"


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ([], "--url"),
        (["--url", "http://127.0.0.1:1/mcp"], "--token"),
        (["--url", "http://127.0.0.1:1/mcp", "--token", "x", "--mode", "all"], "--mode"),
    ],
)
def test_what_is_missing_is_wrong_usage(
    command_line: CommandLine, arguments: list[str], named: str
) -> None:
    ended = command_line("smoke", *arguments)
    assert ended.status == 2
    assert named in ended.err
