"""A clone to deploy, and a `gcloud` that notes what it is asked and answers as the real one does.

The shapes of its answers are those of gcloud's own client libraries (Google Cloud SDK 528).
"""

import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from deploy.session import Outside
from deploy.web import Addresses
from metacortex.adapters.firestore.indexes import index_file
from metacortex.domain.json import JSON
from tests.gcloud_script import GCLOUD

PROJECT = "my-project"
ACCOUNT = f"metacortex@{PROJECT}.iam.gserviceaccount.com"
BUILDER = "123-compute@developer.gserviceaccount.com"
DATABASE = f"projects/{PROJECT}/databases/(default)"
ADMIN_TOKEN = "mcx_Zk3u8Yw1pQ0rT7vB5nM2cX9dF6gH4jL8"
BROWSER_TOKEN = "mcx_B8e2Rm5tYq7Wn4Pz1Lk9Vx3Jc6Hs0Gd"
PROFILES: JSON = [
    {
        "id": "claude-web",
        "token": BROWSER_TOKEN,
        "allowedTools": ["remember_context", "search_context", "fetch_context"],
        "allowedOrigins": ["https://claude.ai"],
    }
]
SETTINGS = {
    "GOOGLE_CLOUD_PROJECT": PROJECT,
    "MCP_ADMIN_TOKEN": ADMIN_TOKEN,
    "MCP_CLIENT_PROFILES_JSON": json.dumps(PROFILES),
    "GEMINI_BACKEND": "vertex",
    "DEPLOY_SERVICE_ACCOUNT": ACCOUNT,
}
NEEDED = index_file("memory_vectors", 768)
COMPOSITES, SINGLES = (len(NEEDED[kind]) for kind in ("indexes", "fieldOverrides"))  # type: ignore[arg-type]
"""How many indexes of several fields the queries need, and how many fields have their own."""
RULES = "rules_version = '2';\n// nobody\n"


def answered(value: JSON) -> str:
    """Return a JSON answer of gcloud."""
    return json.dumps(value)


def failed(error: str) -> str:
    """Return a complaint of gcloud."""
    return f"ERROR\n{error}\n"


def composite(state: str = "READY", dimension: int = 768) -> JSON:
    """Return what gcloud lists where every index is there, in this state."""
    wanted = index_file("memory_vectors", dimension)["indexes"]
    assert isinstance(wanted, list)
    found: list[JSON] = []
    for index in wanted:
        assert isinstance(index, dict)
        fields = index["fields"]
        assert isinstance(fields, list)
        # Google adds the name: last, or before a vector.
        named: list[JSON] = [{"fieldPath": "__name__", "order": "ASCENDING"}]
        place = len(fields) - 1 if "vectorConfig" in str(fields[-1]) else len(fields)
        found.append(
            {
                "density": "SPARSE_ALL",
                "fields": [*fields[:place], *named, *fields[place:]],
                "name": f"{DATABASE}/collectionGroups/{index['collectionGroup']}/indexes/CIC",
                "queryScope": index["queryScope"],
                "state": state,
            }
        )
    return found


def single_fields() -> JSON:
    """Return what gcloud lists where every field has the indexes that it should have."""
    found: list[JSON] = [
        {
            "indexConfig": {"indexes": [{"fields": [{"fieldPath": "*", "order": "ASCENDING"}]}]},
            "name": f"{DATABASE}/collectionGroups/__default__/fields/*",
        }
    ]
    for override in overrides():
        own: list[JSON] = [
            {
                "fields": [{"fieldPath": override["fieldPath"], **_kind(index)}],
                "queryScope": index["queryScope"],
                "state": "READY",
            }
            for index in override["indexes"]
        ]
        found.append({"indexConfig": {"indexes": own}, "name": _name(override)})
    return found


def _kind(index: Mapping[str, JSON]) -> dict[str, JSON]:
    return {name: value for name, value in index.items() if name != "queryScope"}


def expiring(state: str = "ACTIVE") -> JSON:
    """Return what gcloud lists where every TTL policy is there, in this state."""
    return [
        {"name": _name(override), "ttlConfig": {"state": state}}
        for override in overrides()
        if "ttl" in override
    ]


def overrides() -> Sequence[Mapping[str, list[Mapping[str, str]]]]:
    """Return how the fields are to be configured that are not as all fields are."""
    configured: Sequence[Mapping[str, list[Mapping[str, str]]]] = json.loads(
        json.dumps(index_file("memory_vectors", 768)["fieldOverrides"])
    )
    return configured


def _name(override: Mapping[str, object]) -> str:
    return (
        f"{DATABASE}/collectionGroups/{override['collectionGroup']}/fields/{override['fieldPath']}"
    )


def usual(url: str) -> dict[str, list[str]]:
    """Return the answers about a project where all is well; the function is at `url`."""
    service = f"projects/{PROJECT}/locations/us-central1/services/metacortexmcp"
    apis = ("cloudfunctions", "run", "cloudbuild", "artifactregistry", "firestore", "secretmanager")
    enabled: list[JSON] = [
        {"config": {"name": f"{name}.googleapis.com"}, "state": "ENABLED"}
        for name in (*apis, "firebaserules", "aiplatform")
    ]
    roles: list[JSON] = [
        {"role": role, "members": [f"serviceAccount:{ACCOUNT}"]}
        for role in ("roles/datastore.user", "roles/aiplatform.user")
    ]
    builds: JSON = {
        "role": "roles/cloudbuild.builds.builder",
        "members": [f"serviceAccount:{BUILDER}"],
    }
    builder = f"projects/{PROJECT}/serviceAccounts/{BUILDER}"
    tokens: JSON = {"filter": 'httpRequest.requestUrl:"auth_token="', "name": "tokens-in-urls"}
    database: JSON = {
        "databaseEdition": "STANDARD",
        "locationId": "nam5",
        "name": DATABASE,
        "type": "FIRESTORE_NATIVE",
    }
    return {
        "config get-value": [PROJECT],
        "version": [answered({"Google Cloud SDK": "528.0.0", "core": "2025.06.20"})],
        "auth list": ["me@example.com"],
        "auth print-access-token": ["ya29.the-account"],
        "billing projects describe": [answered({"billingEnabled": True, "projectId": PROJECT})],
        "services list": [answered(enabled)],
        "logging sinks describe _Default": [answered({"exclusions": [tokens], "name": "_Default"})],
        "iam service-accounts describe": [answered({"email": ACCOUNT})],
        "projects get-iam-policy": [answered({"bindings": [*roles, builds], "version": 1})],
        "builds get-default-service-account": [answered({"serviceAccountEmail": builder})],
        "firestore databases describe": [answered(database)],
        "firestore indexes composite list": [answered(composite())],
        "firestore indexes composite create": [answered({"name": f"{DATABASE}/operations/1"})],
        "firestore indexes fields list": [answered(single_fields())],
        "firestore fields ttls list": [answered(expiring())],
        "secrets list": [answered([])],
        "secrets create": [answered({"name": "projects/1/secrets/x/versions/1"})],
        "secrets versions add": [answered({"name": "projects/1/secrets/x/versions/2"})],
        "secrets versions access": [failed("NOT_FOUND: Secret not found or has no versions.")],
        "secrets versions describe": [answered({"name": "projects/1/secrets/x/versions/7"})],
        "secrets get-iam-policy": [answered({"etag": "ACAB"})],
        "secrets add-iam-policy-binding": [answered({"etag": "BwX"})],
        "functions deploy": [answered({"state": "ACTIVE"})],
        "functions describe": [answered({"serviceConfig": {"service": service, "uri": url}})],
    }


@dataclass
class Cloud:
    """A clone in `root` beside the only commands that its scripts find."""

    folder: Path
    url: str = "https://metacortexmcp-abc-uc.a.run.app"
    addresses: Addresses = field(default_factory=Addresses)
    told: list[str] = field(default_factory=list)
    pauses: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.root = self.folder / "clone"
        self.commands = self.folder / "bin"
        self.answers = usual(self.url)
        self._make_commands()
        self._make_clone()

    def answer(self, name: str, *answers: str) -> None:
        """Set what gcloud answers to the commands that begin so."""
        self.answers[name] = list(answers)

    def outside(self) -> Outside:
        """Return what a script runs in."""
        shutil.rmtree(self.folder / "answers", ignore_errors=True)
        for name, answers in self.answers.items():
            folder = self.folder / "answers" / name
            folder.mkdir(parents=True)
            for number, answer in enumerate(answers):
                (folder / f"{number:03}").write_text(answer)
        env = {"PATH": str(self.commands), "HOME": str(self.folder)}
        return Outside(env, self.root, self.addresses, self.told.append, self.pauses.append)

    def settings(self, **changed: str | None) -> None:
        """Write the settings of the deployment; what is None is left out."""
        lines = [
            f"{name}='{value}'\n"
            for name, value in {**SETTINGS, **changed}.items()
            if value is not None
        ]
        path = self.root / "functions/.env.deploy"
        path.write_text("".join(lines))
        path.chmod(0o600)

    @property
    def lines(self) -> list[list[str]]:
        """The arguments of each run of gcloud, in order."""
        return [line.split("\0")[:-1] for line in self._noted("lines")]

    @property
    def inputs(self) -> list[str]:
        """What each run of gcloud read from its standard input."""
        return self._noted("inputs")

    def ran(self, *beginning: str) -> list[list[str]]:
        """Return the runs that begin with these words."""
        return [line for line in self.lines if line[: len(beginning)] == list(beginning)]

    @property
    def output(self) -> str:
        """All that was told."""
        return "\n".join(self.told)

    def _noted(self, name: str) -> list[str]:
        path = self.folder / name
        return path.read_text().split("\036")[:-1] if path.exists() else []

    def _make_commands(self) -> None:
        self.commands.mkdir(parents=True)
        for name in ("git", "sh", "cat", "mv", "tail"):
            found = shutil.which(name)
            assert found is not None
            (self.commands / name).symlink_to(found)
        gcloud = self.commands / "gcloud"
        gcloud.write_text(GCLOUD.format(folder=self.folder))
        gcloud.chmod(0o755)

    def _make_clone(self) -> None:
        files = {
            "firebase.json": json.dumps({"functions": [{"runtime": "python313"}]}),
            "firestore.rules": RULES,
            "firestore.indexes.json": json.dumps(NEEDED),
            "functions/main.py": "app = 1\n",
            "functions/requirements.txt": "mcp>=2\n",
            "functions/requirements.lock": "mcp==2.3 --hash=sha256:aa\n",
            "scripts/check": "#!/bin/sh\n",
            "scripts/test": "#!/bin/sh\n",
            ".gitignore": ".env*\nbuild/\n",
        }
        for name, content in files.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(content)
        for name in ("scripts/check", "scripts/test"):
            (self.root / name).chmod(0o755)
        self.git("init", "--quiet")
        self.git("add", ".")
        self.git("commit", "--quiet", "-m", "All of it")
        self.settings()

    def git(self, *words: str) -> None:
        """Run git in the clone, as nobody in particular."""
        who = ("-c", "user.name=me", "-c", "user.email=me@example.com")
        env = {"PATH": os.environ["PATH"], "HOME": str(self.folder)}
        subprocess.run(["git", *who, *words], cwd=self.root, env=env, check=True)
