"""`record-episode`: what happened, with its reason."""

from typing import Annotated

import typer

from metacortex.commands.choices import one_of, words
from metacortex.commands.given import NamespaceToWrite, ValidFrom, ValidUntil, text_given
from metacortex.commands.invocation import TENANT, AsJson, Invocation, Tenant
from metacortex.commands.memories import show_remembered
from metacortex.commands.tool_calls import call
from metacortex.domain.details import EpisodeCategory


def record_episode(
    context: typer.Context,
    title: Annotated[str, typer.Argument(help="What happened, in a few words.")],
    text: Annotated[
        str, typer.Argument(help="What happened, and why; - reads it from standard input.")
    ],
    category: Annotated[
        EpisodeCategory | None,
        typer.Option(
            parser=one_of(EpisodeCategory),
            metavar="CATEGORY",
            help=f"What sort of thing happened: {words(EpisodeCategory)}.",
        ),
    ] = None,
    file: Annotated[
        list[str] | None, typer.Option(help="Path of a file that it touched; may be repeated.")
    ] = None,
    entity: Annotated[
        list[str] | None, typer.Option(help="Name of what it is about; may be repeated.")
    ] = None,
    topic: Annotated[str | None, typer.Option(help="Subject label; else 'general'.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="A label; may be repeated.")] = None,
    importance: Annotated[
        float | None, typer.Option(help="How much it matters, 0 to 1; else 0.5.")
    ] = None,
    session: Annotated[
        str | None, typer.Option(help="The same text for all memories of one conversation.")
    ] = None,
    valid_from: ValidFrom = None,
    valid_until: ValidUntil = None,
    namespace: NamespaceToWrite = None,
    tenant: Tenant = TENANT,
    as_json: AsJson = False,
) -> None:
    """Keep one thing that happened, with its reason."""
    given: dict[str, object] = {
        "title": title,
        "category": category.value if category else None,
        "files_touched": file or None,
        "entities": entity or None,
        "topic": topic,
        "tags": tag or None,
        "importance": importance,
        "session_id": session,
        "valid_from": valid_from,
        "valid_until": valid_until,
        "namespace": namespace,
    }
    invocation = Invocation.of(context, as_json=as_json)
    invocation.run(_record(invocation, tenant, text, given))


async def _record(invocation: Invocation, tenant: str, text: str, given: dict[str, object]) -> None:
    given["content"] = text_given(text)
    await call(invocation, tenant, "record_episode", given, show_remembered)
