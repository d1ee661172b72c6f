"""What the three scripts share: their options, and the way to the project."""

import argparse
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace

from deploy.environment_file import DEPLOY_FILE, Given, given_settings
from deploy.findings import Tell
from deploy.google import Google
from deploy.running import Gcloud, Refused, Runner
from deploy.target import Target, read_target
from deploy.web import Addresses, Web


@dataclass(frozen=True, slots=True)
class Session:
    """One run of a script."""

    given: Given
    target: Target
    runner: Runner
    web: Web
    google: Google
    tell: Tell

    @property
    def gcloud(self) -> Gcloud:
        """The Google Cloud command line."""
        return self.google.gcloud

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


def open_session(
    options: argparse.Namespace, env: Mapping[str, str], addresses: Addresses, tell: Tell
) -> Session:
    """Read the settings and find the project. Nothing is changed.

    Raises:
        Refused: the settings cannot be read, or name no project.
    """
    runner = Runner(env, tell, dry=options.dry_run)
    given = given_settings(env, options.env_file)
    target = read_target(given, options.project, _own_project(runner))
    web = Web(tell, dry=options.dry_run)
    google = Google(Gcloud(runner, target.project), web, addresses)
    return Session(given, target.with_secrets(google.gcloud), runner, web, google, tell)


def _own_project(runner: Runner) -> str | None:
    """Return the project that gcloud is set to, if any."""
    ran = runner.read("gcloud", "config", "get-value", "core/project")
    return ran.output.strip() or None


def say(sentence: str) -> None:
    """Tell the person at the terminal."""
    print(sentence, flush=True)


def refused(error: Refused) -> int:
    """Tell why a script ends early, and return its exit status."""
    print(f"{error}", file=sys.stderr, flush=True)
    return 1
