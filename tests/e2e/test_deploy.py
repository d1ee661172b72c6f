"""scripts/deploy and scripts/rollback against the function itself, on the Firestore emulator.

Only Google's control plane is a stand-in: what is looked at after a deployment is really there.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from deploy import release, rollback
from metacortex.domain.json import JSON
from tests.function_processes import function_serving
from tests.google_cloud import (
    ADMIN_TOKEN,
    BROWSER_TOKEN,
    PROFILES,
    PROJECT,
    SETTINGS,
    Cloud,
    answered,
)
from tests.google_web import GoogleWeb

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def url(firestore_emulator: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the function."""
    tokens = {name: SETTINGS[name] for name in ("MCP_ADMIN_TOKEN", "MCP_CLIENT_PROFILES_JSON")}
    folder = tmp_path_factory.mktemp("deployed")
    with function_serving(folder, firestore_emulator, PROJECT, **tokens) as server:
        yield server.url


@pytest.fixture
def cloud(tmp_path: Path, web: GoogleWeb, firestore_emulator: str, url: str) -> Cloud:
    """A project whose function is the one that runs here, and whose Firestore is the emulator."""
    firestore = f"http://{firestore_emulator}/v1"
    made = Cloud(tmp_path, url, replace(web.addresses, firestore=firestore))
    # The account that the emulator lets see everything.
    made.answer("auth print-access-token", "owner")
    return made


def test_a_deployment_ends_with_checks_and_the_lines_that_connect_clients(
    cloud: Cloud, url: str
) -> None:
    assert release.main([], cloud.outside()) == 0, cloud.output
    checks = [line for line in cloud.told if line.startswith("ok")][-7:]
    assert [check.split(":")[0].removeprefix("ok    ") for check in checks] == [
        *("health", "no token", "browser", "admin smoke", "browser smoke", "memory", "event")
    ]
    lines = cloud.told[-1]
    assert f"claude mcp add --transport http metacortex {url}/mcp" in lines
    assert f"{url}/clients/claude-web/mcp?auth_token={BROWSER_TOKEN}" in lines
    # Nothing on this machine can stand in for the function.
    assert "Claude Desktop" not in lines


def test_tokens_are_shown_in_the_connection_lines_alone(cloud: Cloud) -> None:
    release.main([], cloud.outside())
    seen = "\n".join(cloud.told[:-1]) + json.dumps(cloud.lines)
    assert [token for token in (ADMIN_TOKEN, BROWSER_TOKEN) if token in seen] == []


def test_a_rollback_is_looked_at_in_the_same_way(cloud: Cloud) -> None:
    listed: list[JSON] = [
        {
            "metadata": {"name": f"metacortexmcp-{n}", "creationTimestamp": f"2026-11-0{n}"},
            "status": {"conditions": [{"type": "Ready", "status": "True"}]},
        }
        for n in (1, 2)
    ]
    traffic: JSON = [{"revisionName": "metacortexmcp-2", "percent": 100}]
    cloud.answer("run revisions list", answered(listed))
    cloud.answer("run services describe", answered({"status": {"traffic": traffic}}))
    cloud.answer("run services update-traffic", answered({}))
    assert rollback.main([], cloud.outside()) == 0, cloud.output
    assert "All requests to metacortexmcp-1" in cloud.told
    assert "ok    event: the admin's last call is in Firestore" in cloud.told


def test_a_function_that_does_not_know_the_token_is_told_and_connects_nobody(cloud: Cloud) -> None:
    other = "mcx_Qw7Er2Ty9Ui4Op1As6Df3Gh8Jk5Zx0"
    cloud.settings(MCP_CLIENT_PROFILES_JSON=json.dumps(PROFILES).replace(BROWSER_TOKEN, other))
    assert release.main(["--skip-tests"], cloud.outside()) == 1
    assert cloud.told[-3].startswith("fail  browser smoke: The server answers 401 Unauthorized;")
    assert cloud.told[-1].startswith("ok    event")


def test_what_went_to_another_database_is_told(cloud: Cloud) -> None:
    cloud.settings(FIRESTORE_DATABASE="elsewhere")
    assert release.main(["--skip-tests"], cloud.outside()) == 1
    memory, event = cloud.told[-2:]
    assert memory.startswith("fail  memory: tenants/default/memory_vectors/")
    assert event.startswith("fail  event: the smoke test left none in Firestore;")
