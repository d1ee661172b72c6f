"""What the three scripts share: their options, and the way to the project."""

import argparse
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from deploy.environment_file import DEPLOY_FILE, Given, given_settings
from deploy.findings import Tell
from deploy.google import Google
from deploy.indexes import Pause
from deploy.running import ROOT, Gcloud, Refused, Runner
from deploy.secret_versions import with_kept
from deploy.target import Target, read_target
from deploy.web import GOOGLE, Addresses, Web
from metacortex.config import Settings
from metacortex.domain.errors import ConfigurationError


def say(sentence: str) -> None:
    """Tell the person at the terminal."""
    print(sentence, flush=True)


@dataclass(frozen=True, slots=True)
class Outside:
    """Everything around a run: the environment, the clone, the services and the person."""

    env: Mapping[str, str]
    root: Path = ROOT
    addresses: Addresses = GOOGLE
    tell: Tell = say
    pause: Pause = time.sleep


@dataclass(frozen=True, slots=True)
class Session:
    """One run of a script."""

    given: Given
    target: Target
    runner: Runner
    web: Web
    google: Google
    outside: Outside

    @property
    def tell(self) -> Tell:
        """Tells the person at the terminal."""
        return self.outside.tell

    @property
    def root(self) -> Path:
        """The clone that is deployed."""
        return self.outside.root

    @property
    def gcloud(self) -> Gcloud:
        """The Google Cloud command line."""
        return self.google.gcloud

    def settings(self) -> Settings:
        """Return what the function will make of its settings.

        Raises:
            Refused: with every problem that was found.
        """
        try:
            return self.target.settings()
        except ConfigurationError as error:
            raise Refused(error.sentence) from error

    def lenient(self) -> "Session":
        """Return it for a dry run that goes on whatever cannot be asked."""
        gcloud = Gcloud(self.runner, self.target.project, lenient=True)
        return replace(self, google=Google(gcloud, self.web, self.google.addresses))


def parser(name: str, what: str) -> argparse.ArgumentParser:
    """Return a parser with the options that every script has."""
    made = argparse.ArgumentParser(prog=f"scripts/{name}", description=what, allow_abbrev=False)
    made.add_argument("--project", help="the project; else GOOGLE_CLOUD_PROJECT or gcloud's own")
    made.add_argument("--env-file", help=f"the settings; else {DEPLOY_FILE}, else the environment")
    made.add_argument(
        "--dry-run",
        action="store_true",
        help="show every command, and run none that changes a thing",
    )
    return made


def open_session(options: argparse.Namespace, outside: Outside) -> Session:
    """Read the settings and find the project. Nothing is changed.

    Raises:
        Refused: the settings cannot be read, or name no project.
    """
    runner = Runner(outside.env, outside.tell, outside.root, dry=options.dry_run)
    given = given_settings(outside.env, options.env_file, outside.root)
    target = read_target(given, options.project, _own_project(runner))
    web = Web(outside.tell, dry=options.dry_run)
    google = Google(Gcloud(runner, target.project), web, outside.addresses)
    return Session(given, with_kept(target, google.gcloud), runner, web, google, outside)


def _own_project(runner: Runner) -> str | None:
    """Return the project that gcloud is set to, if any."""
    ran = runner.read("gcloud", "config", "get-value", "core/project")
    return ran.output.strip() or None


def refused(error: Refused) -> int:
    """Tell why a script ends early, and return its exit status."""
    print(f"{error}", file=sys.stderr, flush=True)
    return 1
