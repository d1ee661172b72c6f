"""How the function is deployed: where it runs, what it is given and which settings are secrets.

Read by the deploy scripts and by the Firebase CLI, never by a server. The names begin with DEPLOY
because the Firebase CLI refuses a functions/.env that sets FUNCTION_REGION or FUNCTION_MEMORY_MB.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from metacortex.model_settings import VERTEX
from metacortex.problems import Problems
from metacortex.reading import Reader

FUNCTION_NAME = "metaCortexMcp"
"""The name of the function in functions/main.py, and of its deployment."""
DEFAULT_REGION = "us-central1"
LEAST_MEMORY_MB = 512
MOST_MEMORY_MB = 32_768
LONGEST_SECONDS = 3_600
"""What Cloud Run allows a request."""
MOST_CONCURRENT = 1_000
SECRETS = ("MCP_ADMIN_TOKEN", "MCP_CLIENT_PROFILES_JSON")
GEMINI_SECRET = "GEMINI_API_KEY"

_REGION_FORM = re.compile("[a-z]+(-[a-z]+)+[0-9]{1,2}")
_REGION_ALLOWED = "a region of Google Cloud, such as europe-west4"
_ACCOUNT_FORM = re.compile(r"[a-z0-9.-]+@[a-z0-9.-]+\.gserviceaccount\.com")
_ACCOUNT_ALLOWED = "a service account's address: NAME@PROJECT.iam.gserviceaccount.com"


@dataclass(frozen=True, slots=True)
class FunctionSettings:
    """What the platform is told about the function.

    `secrets` are the settings that Secret Manager keeps, each in a secret of the same name.
    `service_account` is None where the project's default one is used; `on_vertex` tells that it
    reaches Gemini itself, so that there is no key to keep.
    """

    region: str
    memory_mb: int
    concurrency: int
    min_instances: int
    max_instances: int
    timeout_seconds: int
    service_account: str | None
    on_vertex: bool
    secrets: tuple[str, ...]

    @classmethod
    def from_env(cls, env: Mapping[str, str]) -> "FunctionSettings":
        """Read them from `env`.

        Raises:
            ConfigurationError: with every problem that was found.
        """
        problems = Problems()
        settings = function_settings(Reader(env, problems))
        problems.raise_any()
        return settings


def function_settings(read: Reader) -> FunctionSettings:
    """Return the settings of the deployment; what is wrong becomes a problem of the reader's."""
    least, most = (
        read.whole("DEPLOY_MIN_INSTANCES", 0, 0, 1_000),
        read.whole("DEPLOY_MAX_INSTANCES", 10, 1, 1_000),
    )
    if least > most:
        read.problems.add("DEPLOY_MIN_INSTANCES must not be more than DEPLOY_MAX_INSTANCES")
    on_vertex = read.text("GEMINI_BACKEND") == VERTEX
    usual_secrets = SECRETS if on_vertex else (*SECRETS, GEMINI_SECRET)
    return FunctionSettings(
        region=read.formed("DEPLOY_REGION", _REGION_FORM, _REGION_ALLOWED) or DEFAULT_REGION,
        memory_mb=read.whole("DEPLOY_MEMORY_MB", 1_024, LEAST_MEMORY_MB, MOST_MEMORY_MB),
        concurrency=read.whole("DEPLOY_CONCURRENCY", 64, 1, MOST_CONCURRENT),
        min_instances=least,
        max_instances=most,
        timeout_seconds=read.whole("DEPLOY_TIMEOUT_SECONDS", 60, 1, LONGEST_SECONDS),
        service_account=read.formed("DEPLOY_SERVICE_ACCOUNT", _ACCOUNT_FORM, _ACCOUNT_ALLOWED),
        on_vertex=on_vertex,
        secrets=tuple(read.listed("DEPLOY_SECRETS")) or usual_secrets,
    )
