"""The real gcloud takes every command line of a deployment, and makes the right indexes."""

import json
import os
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from deploy import release
from deploy.index_shapes import Index, IndexField, deployed_indexes
from metacortex.adapters.firestore.indexes import index_file
from metacortex.domain.json import JSON
from tests.google_cloud import DATABASE, PROJECT, Cloud, answered
from tests.google_web import GoogleWeb
from tests.lacking import lacking
from tests.processes import ROOT

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def gcloud() -> str:
    """The Google Cloud command line."""
    found = shutil.which("gcloud")
    return found or lacking("the Google Cloud command line is not installed")


@pytest.fixture
def lines(tmp_path: Path, web: GoogleWeb) -> list[str]:
    """Every command line of a first deployment, as a dry run shows it."""
    cloud = Cloud(tmp_path, addresses=web.addresses)
    for asked in ("indexes composite list", "indexes fields list", "fields ttls list"):
        cloud.answer(f"firestore {asked}", answered([]))
    release.main(["--dry-run"], cloud.outside())
    shown = [line.removeprefix("$ ").removeprefix("would run: ") for line in cloud.told]
    return [line for line in shown if line.startswith("gcloud ")]


def ran(gcloud: str, folder: Path, web: GoogleWeb, *words: str) -> str:
    """Run the real gcloud, logged in as nobody in particular, with Firestore at `web`."""
    (folder / "token").write_text("a-token")
    env = {
        **os.environ,
        "CLOUDSDK_CONFIG": str(folder / "config"),
        "CLOUDSDK_CORE_DISABLE_PROMPTS": "1",
        "CLOUDSDK_AUTH_ACCESS_TOKEN_FILE": str(folder / "token"),
        "CLOUDSDK_API_ENDPOINT_OVERRIDES_FIRESTORE": f"{web.url}/",
    }
    done = subprocess.run(
        [gcloud, *words], env=env, check=False, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_real_gcloud_knows_every_command_and_option(
    gcloud: str, tmp_path: Path, web: GoogleWeb, lines: list[str]
) -> None:
    commands = tmp_path / "commands.json"
    # One of each kind is enough: they differ in their values alone.
    kinds = {tuple(word.split("=")[0] for word in shlex.split(line)): line for line in lines}
    commands.write_text(json.dumps([{"command_string": line} for line in kinds.values()]))
    told = ran(gcloud, tmp_path, web, "meta", "lint-gcloud-commands", f"--commands-file={commands}")
    judged: list[dict[str, Any]] = json.loads(told)
    assert len(judged) == len(kinds) >= 14
    assert [one["error_message"] for one in judged if not one["success"]] == []


def test_the_real_gcloud_sends_the_indexes_of_the_file(
    gcloud: str, tmp_path: Path, web: GoogleWeb, lines: list[str]
) -> None:
    started: JSON = {"name": f"{DATABASE}/operations/1", "metadata": {"state": "INITIALIZING"}}
    web.answer("POST", f"/v1/{DATABASE}/collectionGroups/", 200, started)
    created = [line for line in lines if "composite create" in line]
    # The one with most fields, with a vector, and one without.
    for line in (created[3], created[9]):
        ran(gcloud, tmp_path, web, *shlex.split(line)[1:])
    wanted: list[JSON] = index_file("memory_vectors", 768)["indexes"]  # type: ignore[assignment]
    sent = web.sent("POST", f"/v1/{DATABASE}/")
    for (path, body), index in zip(sent, (wanted[3], wanted[9]), strict=True):
        assert isinstance(index, dict)
        assert isinstance(body, dict)
        assert f"/collectionGroups/{index['collectionGroup']}/indexes" in path
        assert (body["fields"], body["queryScope"]) == (index["fields"], index["queryScope"])


def test_what_the_real_gcloud_lists_is_read(gcloud: str, tmp_path: Path, web: GoogleWeb) -> None:
    name = f"{DATABASE}/collectionGroups/memory_vectors/indexes/CICAgJ"
    fields: JSON = [
        {"fieldPath": "space", "order": "ASCENDING"},
        {"fieldPath": "__name__", "order": "ASCENDING"},
        {"fieldPath": "embedding", "vectorConfig": {"dimension": 768, "flat": {}}},
    ]
    index: JSON = {
        "name": name,
        "queryScope": "COLLECTION",
        "fields": fields,
        "state": "CREATING",
        "density": "DENSE",
    }
    path = f"/v1/{DATABASE}/collectionGroups/-/indexes"
    web.answer("GET", path, 200, {"indexes": [index]})
    listing = ("firestore", "indexes", "composite", "list", "--database=(default)")
    told = ran(gcloud, tmp_path, web, *listing, f"--project={PROJECT}", "--format=json")
    space, vector = IndexField("space", "ASCENDING"), IndexField("embedding", 768)
    assert deployed_indexes(json.loads(told)) == {
        Index("memory_vectors", "COLLECTION", (space, vector)): "CREATING"
    }


def test_a_deployment_by_hand_uploads_no_secret(
    gcloud: str, tmp_path: Path, web: GoogleWeb
) -> None:
    folder = tmp_path / "functions"
    for name in ("main.py", ".env", ".env.deploy", ".secret.local", "__pycache__/main.pyc"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    shutil.copy(ROOT / "functions/.gcloudignore", folder)
    listed = ran(gcloud, tmp_path, web, "meta", "list-files-for-upload", str(folder))
    assert listed.split() == ["main.py"]
