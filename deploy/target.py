"""What is deployed, and to where: read from the settings before anything is asked of Google."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from deploy.environment_file import ONE_MACHINE, PLATFORM, Given
from deploy.running import Gcloud, Refused
from metacortex.bootstrap import TOOL_NAMES
from metacortex.config import Settings
from metacortex.domain.errors import ConfigurationError
from metacortex.engine_settings import FirestoreSettings
from metacortex.function_settings import FunctionSettings

PROJECT = "GOOGLE_CLOUD_PROJECT"
ENGINE = "METACORTEX_ENGINE"
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

    def with_secrets(self, gcloud: Gcloud) -> "Target":
        """Return it with the secrets that are not set here, but kept by Secret Manager already."""
        kept = {}
        for name in self.function.secrets:
            if not self.env.get(name, "").strip():
                try:
                    kept[name] = gcloud.text(
                        *("secrets", "versions", "access", "latest", f"--secret={name}")
                    )
                except Refused:
                    # That it is missing is told where the settings are read.
                    continue
        return replace(self, env={**self.env, **kept}) if kept else self


def read_target(given: Given, chosen: str | None, usual: str | None) -> Target:
    """Return the target that the settings name. The project is the one that was `chosen`, else that
    of the settings, else the `usual` one.

    Raises:
        Refused: no project is named, or the settings of the deployment are wrong.
    """
    project = chosen or given.settings.get(PROJECT, "").strip() or usual
    if not project:
        raise Refused(f"No project is named; set {PROJECT}, or run: gcloud config set project ID")
    env = {**given.settings, PROJECT: project, ENGINE: "firestore"}
    try:
        function = FunctionSettings.from_env(env)
        store = _store(env)
    except ConfigurationError as error:
        raise Refused("; ".join(error.problems)) from error
    return Target(project, given.source, function, store, env)


def _store(env: Mapping[str, str]) -> FirestoreSettings:
    names = ("FIRESTORE_DATABASE", "MEMORY_COLLECTION", "FIRESTORE_EMULATOR_HOST", PROJECT, ENGINE)
    # A model that needs no setting, so that only what is wrong with the store is told here.
    chosen = {name: env[name] for name in names if name in env} | {"METACORTEX_EMBEDDER": "use"}
    engine = Settings.from_env(chosen, TOOL_NAMES, serving=False).engine
    if not isinstance(engine, FirestoreSettings):
        raise Refused(f"Only {ENGINE}=firestore can be deployed")
    return engine
