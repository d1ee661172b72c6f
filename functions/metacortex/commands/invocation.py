"""One run of the command line: the settings it works with, what it prints, and how it ends."""

import asyncio
import sys
import traceback
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from metacortex import logs
from metacortex.commands.console import OutputLost, note, print_json
from metacortex.domain.client import DEFAULT_TENANT, Principal, check_tenant, whole_tenant
from metacortex.domain.errors import ConfigurationError, MetaCortexError
from metacortex.engine_settings import SqliteSettings

if TYPE_CHECKING:
    from metacortex.bootstrap import Program
    from metacortex.config import Settings

CLIENT_ID = "cli"
FAILURE_LOG = "failures.log"
INTERRUPTED = 130

AsJson = Annotated[
    bool, typer.Option("--json", help="Print JSON on standard output, and nothing else.")
]
Tenant = Annotated[str, typer.Option(help="Whose memory to work on.")]
TENANT = DEFAULT_TENANT


@dataclass(frozen=True, slots=True)
class Invocation:
    """The environment as it was read once, with the options that override it."""

    env: Mapping[str, str]
    as_json: bool = False
    named: Path | None = None
    """The data directory, where an option names it."""

    @classmethod
    def of(cls, context: typer.Context, *, as_json: bool = False) -> "Invocation":
        """Return the invocation that a command belongs to."""
        invocation = context.find_object(cls)
        assert invocation is not None
        return replace(invocation, as_json=as_json)

    def with_data_dir(self, data_dir: Path | None) -> "Invocation":
        """Return it with another data directory, if one was given."""
        if data_dir is None:
            return self
        env = {**self.env, "METACORTEX_DATA_DIR": str(data_dir)}
        return replace(self, env=env, named=data_dir)

    def check_readable(self, settings: "Settings") -> None:
        """Check that there is something to read: a wrong folder should not become a new memory.

        Raises:
            ConfigurationError: an option names a data directory that is not there.
        """
        local = isinstance(settings.engine, SqliteSettings)
        if local and self.named is not None and not settings.data_dir.exists():
            raise ConfigurationError(
                [f"--data-dir names '{self.named}', and there is no such folder"]
            )

    def complete_env(self) -> dict[str, str]:
        """Return the environment with the credentials that the server made.

        Raises:
            ConfigurationError: with every problem that was found.
        """
        from metacortex.bootstrap import TOOL_NAMES
        from metacortex.config import Settings
        from metacortex.credentials import with_stored

        return with_stored(
            self.env, Settings.from_env(self.env, TOOL_NAMES, serving=False).data_dir
        )

    def settings(self) -> "Settings":
        """Return the settings that a command works with.

        Raises:
            ConfigurationError: with every problem that was found.
        """
        from metacortex.bootstrap import TOOL_NAMES
        from metacortex.config import Settings

        return Settings.from_env(self.complete_env(), TOOL_NAMES, serving=False)

    @asynccontextmanager
    async def program(self, settings: "Settings | None" = None) -> "AsyncIterator[Program]":
        """Open the program on these settings, else on its own; close it when the block ends.

        Raises:
            ConfigurationError, StoreUnusable: it cannot be opened.
        """
        from metacortex.bootstrap import build

        program = build(settings or self.settings())
        async with opened(program):
            yield program

    def principal(self, settings: "Settings", tenant: str) -> Principal:
        """Return who the command line acts as: client `cli`, with all that a tenant holds.

        Raises:
            InvalidInput: no tenant can have this name.
        """
        check_tenant(tenant)
        return whole_tenant(CLIENT_ID, tenant, settings.default_filter_state)

    def run(
        self,
        work: Coroutine[None, None, object],
        *,
        serving: bool = False,
        keeping: bool = True,
    ) -> None:
        """Do the work of a command, and end the process with the exit status that it deserves.

        Where it is `serving` others, each of their calls leaves a line in the log; where it is
        `keeping` what it writes, each root does.
        """
        logs.configure(
            sys.stderr,
            human=sys.stderr.isatty(),
            project=self.env.get("GOOGLE_CLOUD_PROJECT"),
            calls=serving,
            roots=keeping,
        )
        try:
            self._run(work)
        except OutputLost as lost:
            note(str(lost))
            raise typer.Exit(1) from None

    def _run(self, work: Coroutine[None, None, object]) -> None:
        try:
            asyncio.run(work)
        except MetaCortexError as error:
            self.fail(error)
        except KeyboardInterrupt:
            raise typer.Exit(INTERRUPTED) from None
        except (typer.Exit, BrokenPipeError, OutputLost):
            raise
        except Exception as error:  # noqa: BLE001 - the boundary: nobody is shown a traceback unasked
            self._fail_unexpectedly(error)

    def fail(self, error: MetaCortexError) -> NoReturn:
        """Say what is wrong and end with status 1."""
        if self.as_json:
            from metacortex.transport.errors import shown

            print_json({"error": {"code": shown(error).code, "message": error.sentence}})
        else:
            problems = error.problems if isinstance(error, ConfigurationError) else [error.sentence]
            for problem in problems:
                note(problem)
        raise typer.Exit(1)

    def _fail_unexpectedly(self, error: Exception) -> NoReturn:
        if self.env.get("METACORTEX_DEBUG", "").strip() == "1":
            traceback.print_exception(error)
        sentence = f"Something went wrong that should not have; {self._kept(error)}"
        if self.as_json:
            print_json({"error": {"code": "internal", "message": sentence}})
        else:
            note(sentence)
        raise typer.Exit(1)

    def _kept(self, error: Exception) -> str:
        """Keep the outline of a failure where the operator finds it, and say where that is."""
        from metacortex.engine_settings import data_dir_of

        try:
            path = data_dir_of(self.env) / FAILURE_LOG
            path.touch(mode=0o600)
            with path.open("a") as file:
                file.write("\n    ".join(logs.outline(error)) + "\n")
        except (ConfigurationError, OSError):
            return "METACORTEX_DEBUG=1 shows what"
        return f"its outline is in '{path}', and METACORTEX_DEBUG=1 shows all of it"


@asynccontextmanager
async def opened(program: "Program") -> AsyncIterator[None]:
    """Open a program, and close it when the block ends.

    Raises:
        StoreUnusable: its file cannot be used as it is.
    """
    try:
        await program.open()
        yield
    finally:
        await program.aclose()
