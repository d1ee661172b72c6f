"""`indexes`: prints the indexes that Firestore needs."""

import typer

from metacortex.commands.console import print_text
from metacortex.commands.invocation import Invocation


def indexes(context: typer.Context) -> None:
    """Print firestore.indexes.json for the present settings: what Firestore's queries need."""
    invocation = Invocation.of(context)
    invocation.run(_indexes(invocation))


async def _indexes(invocation: Invocation) -> None:
    from metacortex.index_file import needed, written

    print_text(written(needed(invocation.settings())))
