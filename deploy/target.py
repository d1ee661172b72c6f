"""What is deployed, and to where: read from the settings before anything is asked of Google."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from deploy.environment_file import ONE_MACHINE, PLATFORM, Given
from deploy.running import Refused
from metacortex.bootstrap import TOOL_NAMES
from metacortex.config import Settings
from metacortex.domain.errors import ConfigurationError
from metacortex.engine_settings import FirestoreSettings, firestore_settings, named_project
from metacortex.function_settings import FunctionSettings, function_settings
from metacortex.problems import Problems
from metacortex.reading import Reader

PROJECT = "GOOGLE_CLOUD_PROJECT"
RUNS_ASGI = ("FUNCTION_USE_ASGI", "true")
"""Read by the Functions Framework when the function starts."""


@dataclass(frozen=True, slots=True)
class Target:
    """One deployment. `env` are its settings, secrets among them; `store` is where it keeps all."""

    project: str
    source: str
    function: FunctionSettings
    store: FirestoreSettings
    env: Mapping[str, str] = field(repr=False)

    @property
    def secrets(self) -> tuple[str, ...]:
        """The settings that Secret Manager keeps, without those that are not set."""
        return tuple(name for name in self.function.secrets if self.env.get(name, "").strip())

    @property
    def plain(self) -> dict[str, str]:
        """The settings that the function is given in its environment."""
        left_out = {*self.function.secrets, *ONE_MACHINE, *PLATFORM}
        named = {
            name: value.strip()
            for name, value in self.env.items()
            if name not in left_out and not name.startswith("DEPLOY_") and value.strip()
        }
        name, value = RUNS_ASGI
        return {**named, name: value}

    def settings(self) -> Settings:
        """Return what the function will make of its settings.

        Raises:
            ConfigurationError: with every problem that was found.
        """
        return Settings.from_env(self.env, TOOL_NAMES)


def read_target(given: Given, chosen: str | None, usual: str | None) -> Target:
    """Return the target that the settings name. The project is the one that was `chosen`, else that
    of the settings, else the `usual` one.

    Raises:
        Refused: no project is named, or the settings of the deployment are wrong.
    """
    project = chosen or given.settings.get(PROJECT, "").strip() or usual
    if not project:
        raise Refused(f"No project is named; set {PROJECT}, or run: gcloud config set project ID")
    env = {**given.settings, PROJECT: project, "METACORTEX_ENGINE": "firestore"}
    problems = Problems()
    function = function_settings(Reader(env, problems))
    # What is wrong with the store is told with the other settings, and hides nothing else.
    store = firestore_settings(Reader(env, Problems()))
    named_project(Reader({PROJECT: project}, problems))
    try:
        problems.raise_any()
    except ConfigurationError as error:
        raise Refused(error.sentence) from error
    return Target(project, given.source, function, store, env)
