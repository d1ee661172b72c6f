"""The function: its committed sources, its deployment, its revisions and their traffic."""

import io
import json
import shutil
import subprocess
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deploy.running import Gcloud, Refused
from deploy.target import Target
from metacortex.function_settings import FUNCTION_NAME

STAGED = "build/function"
ENV_FILE = "build/function.env.json"
MEMORY_MB_BY_CPUS = {1: 4_096, 2: 8_192, 4: 16_384, 8: 32_768}
"""How much memory Cloud Run allows with so many processors."""


@dataclass(frozen=True, slots=True)
class Function:
    """A function that is deployed, and the Cloud Run service behind it."""

    url: str
    service: str
    region: str


@dataclass(frozen=True, slots=True)
class Revision:
    """A deployed state of the service; `percent` of all requests go to it."""

    name: str
    created: str
    ready: bool
    percent: int


def cpus(memory_mb: int) -> int:
    """Return how many processors go with so much memory.

    One at least: the platform gives a small function a part of one, and then one request at a time.
    """
    return min(count for count, most in MEMORY_MB_BY_CPUS.items() if memory_mb <= most)


def runtime(root: Path) -> str:
    """Return the runtime that firebase.json names, so that both ways of deploying have one.

    Raises:
        Refused: it names none.
    """
    try:
        functions = json.loads((root / "firebase.json").read_text(encoding="utf-8"))["functions"]
        first = functions[0] if isinstance(functions, list) else functions
        return str(first["runtime"])
    except (OSError, ValueError, KeyError, IndexError) as error:
        raise Refused("firebase.json names no runtime; restore it from git") from error


def stage(target: Target, root: Path) -> None:
    """Lay out what is uploaded: the committed files alone, and every package as it is pinned.

    Raises:
        Refused: git cannot tell what is committed.
    """
    packed = subprocess.run(
        ["git", "archive", "--format=tar", "HEAD:functions"],
        cwd=root,
        check=False,
        capture_output=True,
    )
    if packed.returncode:
        raise Refused("git archive failed; is this a clone with a commit?")
    folder = root / STAGED
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        archive.extractall(folder, filter="data")
    # The build installs what requirements.txt says; the lock has versions and hashes.
    (folder / "requirements.lock").replace(folder / "requirements.txt")
    (root / ENV_FILE).write_text(json.dumps(target.plain, indent=2), encoding="utf-8")


def deploy_line(target: Target, root: Path, versions: Mapping[str, str]) -> tuple[str, ...]:
    """Return the words that deploy what is staged, with these versions of the secrets."""
    function = target.function
    secrets = ",".join(f"{name}={name}:{version}" for name, version in versions.items())
    return (
        *("functions", "deploy", FUNCTION_NAME, "--gen2", f"--region={function.region}"),
        *(f"--runtime={runtime(root)}", f"--source={STAGED}", f"--entry-point={FUNCTION_NAME}"),
        *("--trigger-http", "--allow-unauthenticated", "--ingress-settings=all"),
        *(f"--memory={function.memory_mb}Mi", f"--cpu={cpus(function.memory_mb)}"),
        *(f"--concurrency={function.concurrency}", f"--timeout={function.timeout_seconds}s"),
        f"--min-instances={function.min_instances}",
        f"--max-instances={function.max_instances}",
        *(f"--run-service-account={function.service_account}", f"--env-vars-file={ENV_FILE}"),
        # After a rollback the traffic stays where it was sent, unless the next deployment says so.
        *(f"--set-secrets={secrets}", "--serve-all-traffic-latest-revision"),
    )


def describe(gcloud: Gcloud, region: str) -> Function | None:
    """Return the deployed function, None where there is none.

    Raises:
        Refused: gcloud cannot tell.
    """
    try:
        answer = gcloud.ask("functions", "describe", FUNCTION_NAME, f"--region={region}", "--gen2")
    except Refused as error:
        if "not found" in str(error).lower() or "404" in str(error):
            return None
        raise
    config = (answer or {}).get("serviceConfig", {})
    if not config.get("uri") or not config.get("service"):
        return None
    return Function(config["uri"], config["service"].rpartition("/")[2], region)


def revisions(gcloud: Gcloud, function: Function) -> list[Revision]:
    """Return the revisions of a function, newest first.

    Raises:
        Refused: gcloud cannot tell.
    """
    where = f"--region={function.region}"
    listed = gcloud.ask("run", "revisions", "list", f"--service={function.service}", where) or ()
    service = gcloud.ask("run", "services", "describe", function.service, where) or {}
    percent_by_name = dict(_traffic(service.get("status", {})))
    found = [
        Revision(
            revision["metadata"]["name"],
            revision["metadata"]["creationTimestamp"],
            _ready(revision),
            percent_by_name.get(revision["metadata"]["name"], 0),
        )
        for revision in listed
    ]
    return sorted(found, key=lambda revision: (revision.created, revision.name), reverse=True)


def send_traffic(gcloud: Gcloud, function: Function, revision: str) -> None:
    """Send every request to one revision.

    Raises:
        Refused: gcloud would not.
    """
    where = (f"--to-revisions={revision}=100", f"--region={function.region}")
    gcloud.change("run", "services", "update-traffic", function.service, *where)


def _traffic(status: Any) -> Iterator[tuple[str, int]]:
    for share in status.get("traffic", ()):
        name = share.get("revisionName") or status.get("latestReadyRevisionName")
        yield str(name), int(share.get("percent", 0))


def _ready(revision: Any) -> bool:
    conditions = revision.get("status", {}).get("conditions", ())
    # A revision that no longer serves is inactive, which is no fault.
    return any(
        condition["type"] == "Ready" and condition["status"] == "True" for condition in conditions
    )
