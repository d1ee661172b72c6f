"""What the Firebase CLI is told about the function when it looks for what to deploy or emulate."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from metacortex.function_settings import FUNCTION_NAME, FunctionSettings

if TYPE_CHECKING:
    from firebase_functions.private.manifest import ManifestEndpoint


def firebase_endpoint(env: Mapping[str, str]) -> "ManifestEndpoint":
    """Return the description of the function, as `env` has it deployed.

    Anybody may invoke it: the door of the program asks for a token itself, and says so in a way
    that clients understand.

    Raises:
        ConfigurationError: with every problem of the deployment's settings.
    """
    # On Google nobody asks, and the library would cost every cold start.
    from firebase_functions.private.manifest import ManifestEndpoint

    settings = FunctionSettings.from_env(env)
    return ManifestEndpoint(
        entryPoint=FUNCTION_NAME,
        region=[settings.region],
        availableMemoryMb=settings.memory_mb,
        concurrency=settings.concurrency,
        minInstances=settings.min_instances,
        maxInstances=settings.max_instances,
        timeoutSeconds=settings.timeout_seconds,
        serviceAccountEmail=settings.service_account,
        secretEnvironmentVariables=[{"key": name} for name in settings.secrets],
        httpsTrigger={"invoker": ["public"]},
    )
