"""Runs the command lines of a deployment. In a dry run, what would change anything is only shown.

A secret goes to a process by its standard input and never stands in a command line, so that every
line may be shown.
"""

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deploy.findings import Tell

ROOT = Path(__file__).parents[1]
NOT_FOUND = 127
NOT_RUNNABLE = 126
TOO_LATE = 124
READ_SECONDS = 120
"""What only reads is given up after so long: it waits for something that does not come."""
INSTALL_GCLOUD = "install it: https://cloud.google.com/sdk/docs/install"
LOGIN = "gcloud auth login"


class Refused(Exception):
    """A command failed; what it says may be shown."""


@dataclass(frozen=True, slots=True)
class Ran:
    """How a command ended."""

    status: int
    output: str = ""
    errors: str = ""

    @property
    def reason(self) -> str:
        """What the command complained of, in one line."""
        lines = [line.strip() for line in self.errors.splitlines() if line.strip()]
        told = [line for line in lines if line.startswith("ERROR:")] or lines[-1:]
        # Without an account, or with one whose login has lapsed, gcloud says so in later lines.
        lapsed = any(line.endswith(f"$ {LOGIN}") for line in lines)
        remedy = f"; run: {LOGIN}" if lapsed else ""
        return _plain(told[0]) + remedy if told else f"status {self.status}"


def _plain(line: str) -> str:
    """Take away which command complains, and the full stop: a remedy follows."""
    return re.sub(r"^ERROR: *(\(gcloud\.\S+\) *)?", "", line).rstrip(".")


class Runner:
    """Runs commands at the root of a clone, in the environment `env`."""

    def __init__(
        self, env: Mapping[str, str], tell: Tell, root: Path = ROOT, *, dry: bool = False
    ) -> None:
        # Nothing waits for an answer that nobody is there to give.
        self._env = {**env, "CLOUDSDK_CORE_DISABLE_PROMPTS": "1"}
        self._tell = tell
        self.root = root
        self.dry = dry

    def read(self, *command: str) -> Ran:
        """Run what changes nothing; a dry run shows it and runs it, too."""
        if self.dry:
            self._tell(f"$ {shlex.join(command)}")
        return self._run(command, None, READ_SECONDS)

    def change(self, *command: str, given: str | None = None) -> Ran:
        """Run what changes something, with `given` as its input; a dry run only shows it."""
        if self.dry:
            self._tell(f"would run: {shlex.join(command)}")
            return Ran(0)
        return self._run(command, given)

    def watch(self, *command: str) -> Ran:
        """Run something long whose output is for whoever waits; a dry run only shows it."""
        if self.dry:
            self._tell(f"would run: {shlex.join(command)}")
            return Ran(0)
        self._tell(f"$ {shlex.join(command)}")
        try:
            ran = subprocess.run(self._found(command), cwd=self.root, env=self._env, check=False)
        except OSError as error:
            return _unstarted(command, error)
        return Ran(ran.returncode)

    def _run(self, command: Sequence[str], given: str | None, seconds: float | None = None) -> Ran:
        try:
            ran = subprocess.run(
                self._found(command),
                cwd=self.root,
                env=self._env,
                # An empty input rather than none: nothing may read the terminal.
                input=given or "",
                check=False,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                timeout=seconds,
            )
        except OSError as error:
            return _unstarted(command, error)
        except subprocess.TimeoutExpired:
            return Ran(TOO_LATE, errors=f"{command[0]} did not answer within {seconds} seconds")
        return Ran(ran.returncode, ran.stdout, ran.stderr)

    def _found(self, command: Sequence[str]) -> Sequence[str]:
        # Looked for where `env` says, and a script at the root of the clone.
        name = command[0]
        found = shutil.which(str(self.root / name) if "/" in name else name, path=self._env["PATH"])
        if found is None:
            raise FileNotFoundError(name)
        return (found, *command[1:])


def _unstarted(command: Sequence[str], error: OSError) -> Ran:
    name = command[0]
    if isinstance(error, FileNotFoundError):
        remedy = f"; {INSTALL_GCLOUD}" if name == "gcloud" else ""
        return Ran(NOT_FOUND, errors=f"{name} is not installed{remedy}")
    return Ran(NOT_RUNNABLE, errors=f"{name} cannot be run: {error.strerror}")


class Gcloud:
    """The Google Cloud command line, always about one project and always answering JSON.

    With `lenient`, what cannot be asked is taken for absent: so a dry run can show the whole plan
    to somebody who has no account yet.
    """

    def __init__(self, runner: Runner, project: str, *, lenient: bool = False) -> None:
        self.runner = runner
        self.project = project
        self._lenient = lenient

    def ask(self, *words: str) -> Any:
        """Return the answer of a command that changes nothing, None where there is none.

        Raises:
            Refused: it failed.
        """
        ran = self.runner.read(*self._line(words))
        if ran.status and self._lenient:
            return None
        answer = self._answer(ran)
        if answer is not None and not isinstance(answer, list if "list" in words else dict):
            raise Refused("gcloud answered JSON of another kind than it should")
        return answer

    def change(self, *words: str, given: str | None = None) -> Any:
        """Return the answer of a command that changes something; nothing in a dry run.

        Raises:
            Refused: it failed.
        """
        return self._answer(self.runner.change(*self._line(words), given=given))

    def text(self, *words: str) -> str:
        """Return what a command printed, which changes nothing and answers no JSON.

        Raises:
            Refused: it failed.
        """
        ran = self.runner.read("gcloud", *words, f"--project={self.project}")
        if ran.status:
            raise Refused(ran.reason)
        return ran.output

    def _line(self, words: Sequence[str]) -> tuple[str, ...]:
        return ("gcloud", *words, f"--project={self.project}", "--format=json")

    @staticmethod
    def _answer(ran: Ran) -> Any:
        if ran.status:
            raise Refused(ran.reason)
        if not ran.output.strip():
            return None
        try:
            return json.loads(ran.output)
        except ValueError as error:
            raise Refused("gcloud answered something that is not JSON") from error
