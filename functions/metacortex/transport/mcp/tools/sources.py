"""export_sources."""

from dataclasses import replace

from metacortex.domain.client import Principal
from metacortex.domain.errors import InvalidInput
from metacortex.domain.json import JSON
from metacortex.domain.listing import DEFAULT_LISTED, MOST_LISTED
from metacortex.domain.memory import Memory
from metacortex.domain.moment import Milliseconds, iso
from metacortex.domain.search import MOST_MATCHES, Filters
from metacortex.service.activity import Activity
from metacortex.service.services import Services
from metacortex.service.sources import Export, Exported
from metacortex.transport.mcp.arguments import Argument, Values
from metacortex.transport.mcp.tool import Answer, Hints, Tool
from metacortex.transport.mcp.tools.integrity import INCLUSION, TREE, inclusion_json, tree_json
from metacortex.transport.mcp.tools.periods import period_of
from metacortex.transport.mcp.tools.schemas import (
    METADATA,
    a_count,
    a_list,
    a_string,
    an_object,
)
from metacortex.transport.wire import metadata_json, title_of

MORE_FOLLOW = "More follow; ask again with next_cursor as cursor, and the rest as before"
CUT = "These are the best {} that the query finds, and more may match"
FOR_ALL = f"raise limit, to {MOST_MATCHES} at most, ask in other words, or ask for all"
FOR_ALL_TYPED = "ask in other words, or export --all"


async def export_sources(services: Services, principal: Principal, values: Values) -> Answer:
    """Export memories to cite, with the root of the record that they are from."""
    if values.text("query") is not None and values.text("cursor") is not None:
        raise InvalidInput("cursor goes on with all; leave it out beside a query")
    progress = await services.sources.progress(principal, values.text("cursor"))
    asked = _asked(values, principal, progress.cursor.began)
    return _answer(await services.sources.export(principal, asked, progress), FOR_ALL)


async def export_all_sources(services: Services, principal: Principal, values: Values) -> Answer:
    """Export as many at once as there are."""
    progress = await services.sources.progress(principal, None)
    asked = replace(_asked(values, principal, progress.cursor.began), limit=None)
    return _answer(await services.sources.export(principal, asked, progress), FOR_ALL_TYPED)


def _answer(exported: Exported, for_all: str) -> Answer:
    shown = tuple(memory.id for memory in exported.memories)
    return Answer(_exported_json(exported, for_all), _told(exported), shown)


def _asked(values: Values, principal: Principal, now: Milliseconds) -> Export:
    query = values.text("query")
    if (query is None) is not (values.flag("all") is True):
        raise InvalidInput("Provide a query, or all as true: one of the two")
    limit = values.whole("limit") or DEFAULT_LISTED
    return Export(
        query=query,
        where=Filters(valid_at=period_of(values, "as_of", now, principal.zone)),
        limit=limit if query is None else min(limit, MOST_MATCHES),
        proofs=values.flag("proofs") or False,
    )


def _exported_json(exported: Exported, for_all: str) -> dict[str, JSON]:
    result: dict[str, JSON] = {
        "sources": [_source_json(memory, exported) for memory in exported.memories]
    }
    if exported.tree is not None:
        result["tree"] = tree_json(exported.tree)
    if exported.next_cursor is not None:
        result["next_cursor"] = exported.next_cursor
        result["hint"] = MORE_FOLLOW
    if exported.is_cut:
        result["hint"] = f"{CUT.format(len(exported.memories))}; {for_all}"
    return result


def _told(exported: Exported) -> dict[str, JSON]:
    told: dict[str, JSON] = {
        "source_count": len(exported.memories),
        "more": exported.next_cursor is not None or exported.is_cut,
    }
    return told if exported.tree is None else {**told, **tree_json(exported.tree)}


def _source_json(memory: Memory, exported: Exported) -> JSON:
    metadata: dict[str, JSON] = {
        "kind": memory.kind.value,
        **metadata_json(memory),
        "recorded_at": iso(memory.recorded_at),
        "written_by": memory.written_by.client,
        "origin": memory.origin.value,
        "sha256": memory.sha256,
    }
    if exported.tree is not None:
        metadata["merkle_root"] = exported.tree.root.hex()
        metadata["tree_size"] = exported.tree.size
    if inclusion := exported.inclusions.get(memory.id):
        metadata["inclusion"] = inclusion_json(inclusion)
    return {
        "source_id": memory.id,
        "title": title_of(memory),
        "content": memory.content,
        "metadata": metadata,
    }


def _observe(activity: Activity, _: Principal, values: Values) -> dict[str, JSON]:
    query = values.text("query")
    return {
        "query_preview": None if query is None else activity.preview(query),
        "all": values.flag("all"),
        "as_of_given": True if values.text("as_of") else None,
        "limit": values.whole("limit"),
        "continued": values.text("cursor") is not None,
        "proofs": values.flag("proofs"),
    }


_PROVENANCE = an_object(
    {
        "kind": a_string(),
        "recorded_at": a_string("When this store learned it"),
        "written_by": a_string("The client"),
        "origin": a_string(),
        "sha256": a_string("The digest of what never changes of it"),
    },
    {
        "merkle_root": a_string("The root of the record when the export began"),
        "tree_size": a_count("Of how many leaves that is"),
        "inclusion": INCLUSION,
    },
)
_SOURCE = an_object(
    {
        "source_id": a_string(),
        "title": a_string(),
        "content": a_string(),
        "metadata": {"allOf": [METADATA, _PROVENANCE]},
    }
)
_SCHEMA = an_object(
    {"sources": a_list(_SOURCE)},
    {
        "tree": TREE,
        "next_cursor": a_string("What to ask for the next page with"),
        "hint": a_string("That there is more than this, and how to go on"),
    },
)

EXPORT_SOURCES = Tool(
    name="export_sources",
    title="Export sources",
    description=(
        "Export memories as sources that a checker of citations reads: id, title, whole content, "
        "when each is true and since when it is known, its digest, and the Merkle root of the "
        "record. Either what a query finds, or all that holds, newest first, page by page."
    ),
    instruction="Call export_sources to hand memories over as sources that claims are checked by.",
    arguments=(
        Argument("query", "string", "What the sources are to tell about, in full words."),
        Argument("all", "boolean", "True for all that holds, in place of a query."),
        Argument("as_of", "string", "What was true at this moment in place of now."),
        Argument(
            "limit",
            "integer",
            f"How many at most; {DEFAULT_LISTED} if absent, and {MOST_MATCHES} with a query.",
            minimum=1,
            maximum=MOST_LISTED,
        ),
        Argument("cursor", "string", "The next_cursor of the page before; it is good for an hour."),
        Argument(
            "proofs",
            "boolean",
            "True adds to each source the proof that it is a leaf of the root's tree.",
        ),
    ),
    result_schema=_SCHEMA,
    hints=Hints(read_only=True, destructive=False, idempotent=True),
    observe=_observe,
    call=export_sources,
)

WHOLE_EXPORT = replace(EXPORT_SOURCES, call=export_all_sources)
"""The same for the command line, whose answers have no pages."""
