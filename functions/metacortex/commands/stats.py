"""`stats`: how much is remembered."""

import typer

from metacortex.commands.console import memories, note, print_text
from metacortex.commands.invocation import TENANT, AsJson, Invocation, Tenant
from metacortex.commands.tool_calls import Result, call


def stats(context: typer.Context, tenant: Tenant = TENANT, as_json: AsJson = False) -> None:
    """Count what is remembered: by kind, state, namespace and topic."""
    invocation = Invocation.of(context, as_json=as_json)
    invocation.run(call(invocation, tenant, "memory_stats", {}, _show))


def _show(result: Result) -> None:
    print_text(memories(result["memories"]))
    for part in ("states", "kinds"):
        for name, count in result[part].items():
            print_text(f"{count:>8}  {part[:-1]} {name}")
    for part in ("namespaces", "topics"):
        for each in result[part]:
            print_text(f"{each['memories']:>8}  {part[:-1]} {each[part[:-1]]}")
    for space in result["embedding_spaces"]:
        print_text(f"{space['memories']:>8}  embedding space {space['space']}")
    for used in result["most_used"]:
        print_text(f"{used['access_count']:>8}  times used  {used['id']}  {used['title']}")
    _note_remarks(result)


def _note_remarks(result: Result) -> None:
    storage = result["storage"]
    texts = "" if storage["text_bytes"] is None else f"{storage['text_bytes']} bytes of text, "
    note(f"{texts}{storage['vector_bytes']} bytes of vectors")
    if result["unindexed"]:
        note(f"No words find {result['unindexed']} of them; metacortex reindex helps")
    if parts := result.get("incomplete"):
        note(f"Counted among the newest alone: {', '.join(parts)}")
