"""The command line: reads the environment once, and hands it to the commands."""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from metacortex.commands.clients import clients
from metacortex.commands.consolidation import consolidate
from metacortex.commands.contexts import compile_context
from metacortex.commands.contradictions import audit_contradictions, review_contradictions
from metacortex.commands.demo import demo
from metacortex.commands.doctor import doctor
from metacortex.commands.episodes import record_episode
from metacortex.commands.events import events
from metacortex.commands.facts import upsert_fact
from metacortex.commands.forgetting import forget
from metacortex.commands.graph import graph
from metacortex.commands.indexes import indexes
from metacortex.commands.integrity import verify_integrity
from metacortex.commands.invocation import Invocation
from metacortex.commands.memories import (
    deprecate,
    fetch,
    list_memories,
    promote,
    remember,
    search,
)
from metacortex.commands.merging import merge_entities
from metacortex.commands.serve import serve
from metacortex.commands.smoke import smoke
from metacortex.commands.sources import export_sources
from metacortex.commands.stats import stats
from metacortex.commands.stdio import stdio
from metacortex.commands.upkeep import reembed, reindex, reset
from metacortex.version import VERSION

app = typer.Typer(
    name="metacortex",
    help="A remote memory that any chat client can use, over MCP.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """Run the command line of this process."""
    run(sys.argv[1:], os.environ)


def run(arguments: Sequence[str], env: Mapping[str, str]) -> None:
    """Run one command line in `env`.

    Raises:
        SystemExit: always. Status 0: done; 1: it failed and said why; 2: wrong usage.
    """
    app(args=arguments, prog_name="metacortex", obj=Invocation(dict(env)))


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"metacortex {VERSION}")
        raise typer.Exit


@app.callback()
def _every_command(
    context: typer.Context,
    data_dir: Annotated[
        Path | None,
        typer.Option(help="Folder of the memory (METACORTEX_DATA_DIR); else ~/.metacortex."),
    ] = None,
    _: Annotated[
        bool,
        typer.Option("--version", is_eager=True, callback=_show_version, help="Print the version."),
    ] = False,
) -> None:
    context.obj = Invocation.of(context).with_data_dir(data_dir)


for command in (
    *(serve, stdio),
    *(remember, search, fetch, deprecate, promote, consolidate, forget, graph),
    *(stats, events, reembed, reindex, reset, doctor, indexes, smoke, demo),
    *(record_episode, upsert_fact, merge_entities, audit_contradictions, review_contradictions),
    *(verify_integrity, export_sources),
):
    app.command()(command)
app.command("list")(list_memories)
app.command("compile")(compile_context)
app.add_typer(clients, name="clients")
