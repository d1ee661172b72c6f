"""The function as the Firebase command line finds it, and in its emulator suite."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml  # type: ignore[import-untyped]

from tests.e2e.notes import SESSIONS
from tests.e2e.tool_calls import call
from tests.firebase_suite import firebase_suite
from tests.processes import ROOT, START_SECONDS, variables
from tests.world import ADMIN_TOKEN, environment, token_of

pytestmark = pytest.mark.e2e

DISCOVERY = """
from firebase_functions.private import serving
print(serving.functions_as_yaml(serving.get_functions()))
"""
SERVED_SECRETS = ("MCP_ADMIN_TOKEN", "MCP_CLIENT_PROFILES_JSON")


def discovered(folder: Path, **env: str) -> "subprocess.CompletedProcess[str]":
    """Look for functions as the Firebase command line does."""
    return subprocess.run(
        [sys.executable, "-c", DISCOVERY],
        env=variables(folder, ADMIN_PORT="8081", **env),
        cwd=ROOT / "functions",
        capture_output=True,
        text=True,
        timeout=START_SECONDS,
        check=False,
    )


def endpoint(folder: Path, **env: str) -> dict[str, Any]:
    """Return what it is told of the one function."""
    found = discovered(folder, **env)
    assert found.returncode == 0, found.stderr
    ((name, told),) = yaml.safe_load(found.stdout)["endpoints"].items()
    assert name == told["entryPoint"]
    return dict(told)


def test_the_function_is_found_with_the_usual_deployment(tmp_path: Path) -> None:
    assert endpoint(tmp_path) == {
        "entryPoint": "metaCortexMcp",
        "platform": "gcfv2",
        "region": ["us-central1"],
        "availableMemoryMb": 1024,
        "concurrency": 64,
        "minInstances": 0,
        "maxInstances": 10,
        "timeoutSeconds": 60,
        "secretEnvironmentVariables": [
            {"key": name} for name in (*SERVED_SECRETS, "GEMINI_API_KEY")
        ],
        "httpsTrigger": {"invoker": ["public"]},
    }


def test_the_function_is_found_with_the_deployment_that_is_set(tmp_path: Path) -> None:
    account = "metacortex@my-project.iam.gserviceaccount.com"
    told = endpoint(
        tmp_path,
        DEPLOY_REGION="europe-west1",
        DEPLOY_MEMORY_MB="2048",
        DEPLOY_CONCURRENCY="16",
        DEPLOY_MIN_INSTANCES="1",
        DEPLOY_MAX_INSTANCES="3",
        DEPLOY_TIMEOUT_SECONDS="300",
        DEPLOY_SERVICE_ACCOUNT=account,
        GEMINI_BACKEND="vertex",
    )
    assert (told["region"], told["availableMemoryMb"]) == (["europe-west1"], 2048)
    assert (told["concurrency"], told["timeoutSeconds"]) == (16, 300)
    assert (told["minInstances"], told["maxInstances"]) == (1, 3)
    assert told["serviceAccountEmail"] == account
    assert told["secretEnvironmentVariables"] == [{"key": name} for name in SERVED_SECRETS]


def test_a_deployment_that_is_set_wrongly_is_told_all_at_once(tmp_path: Path) -> None:
    wrong = discovered(tmp_path, DEPLOY_MEMORY_MB="1GB", DEPLOY_MIN_INSTANCES="11")
    assert wrong.returncode == 1
    assert "DEPLOY_MEMORY_MB must be a whole number from 512 to 32768" in wrong.stderr
    assert "DEPLOY_MIN_INSTANCES must not be more than DEPLOY_MAX_INSTANCES" in wrong.stderr


def test_the_function_remembers_in_the_emulator_suite(tmp_path: Path) -> None:
    env = environment()
    secrets = {name: env[name] for name in SERVED_SECRETS}
    settings = {"METACORTEX_EMBEDDER": "use", "DEPLOY_SECRETS": ",".join(SERVED_SECRETS)}
    with firebase_suite(tmp_path, secrets, **settings) as functions:
        url = f"{functions}/us-central1/metaCortexMcp"
        health = httpx.get(f"{url}/healthz", trust_env=False, timeout=60)
        kept = call(f"{url}/mcp", ADMIN_TOKEN, "remember_context", content=SESSIONS)
        client = f"{url}/clients/chatgpt-web/mcp"
        found = call(client, token_of("chatgpt-web"), "search_context", query="shop sessions")
    assert health.json()["ok"] is True
    assert [match["id"] for match in found["matches"]] == [kept["item"]["id"]]
