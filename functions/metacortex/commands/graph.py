"""`graph`: what is known of an entity, for programs that draw."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Annotated, Any

import typer

from metacortex.commands.choices import one_of, words
from metacortex.commands.console import note, print_json, print_text
from metacortex.commands.drawing import Drawing, Edge, Node, dot, mermaid
from metacortex.commands.given import AsOf
from metacortex.commands.invocation import TENANT, AsJson, Invocation, Tenant
from metacortex.commands.tool_calls import Result, call
from metacortex.domain.json import JSON
from metacortex.domain.knowledge.asked import DEFAULT_HOPS_OF_ENTITY, MOST_HOPS_OF_ENTITY


class Form(StrEnum):
    """What a drawing is written in."""

    MERMAID = "mermaid"
    DOT = "dot"
    JSON = "json"


def graph(
    context: typer.Context,
    entity: Annotated[str, typer.Option(help="Where to begin: its name, or its id.")],
    hops: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=MOST_HOPS_OF_ENTITY,
            help=f"How many facts away others may be; else {DEFAULT_HOPS_OF_ENTITY}.",
        ),
    ] = None,
    as_of: AsOf = None,
    form: Annotated[
        Form,
        typer.Option(
            "--format",
            parser=one_of(Form),
            metavar="FORMAT",
            help=f"What to write: {words(Form)}.",
        ),
    ] = Form.MERMAID,
    tenant: Tenant = TENANT,
    as_json: AsJson = False,
) -> None:
    """Draw what is known of an entity and of what is near it."""
    given = {"entity": entity, "max_hops": hops, "as_of": as_of}
    invocation = Invocation.of(context, as_json=as_json)

    def show(result: Result) -> None:
        _show(drawing_of(result), form)
        if left_out := result["neighbourhood"]["left_out"]:
            note(f"{left_out} more entities are near it")

    invocation.run(call(invocation, tenant, "query_entity", given, show))


def drawing_of(result: Result) -> Drawing:
    """Return what `query_entity` told, as nodes and edges, each fact once."""
    near = result["neighbourhood"]
    facts = {fact["id"]: fact for fact in (*result["active_facts"], *near["facts"])}
    entities = (result["entity"], *near["entities"])
    nodes = {each["id"]: Node(each["id"], each["name"]) for each in entities}
    edges = []
    for fact in facts.values():
        start, end = _ends(fact)
        nodes.setdefault(start.id, start)
        nodes.setdefault(end.id, end)
        edges.append(Edge(start.id, fact["predicate"], end.id))
    return Drawing(tuple(nodes.values()), tuple(edges), result.get("incomplete", False))


def _ends(fact: Mapping[str, Any]) -> tuple[Node, Node]:
    """Return what a fact begins and ends at; a value has a node of its own for each fact."""
    object_id = fact.get("object_id")
    end = Node(object_id or fact["id"], fact["object"], is_value=object_id is None)
    return Node(fact["subject_id"], fact["subject"]), end


def _show(drawing: Drawing, form: Form) -> None:
    if form is Form.JSON:
        print_json(_as_json(drawing))
        return
    lines: Iterator[str] = mermaid(drawing) if form is Form.MERMAID else dot(drawing)
    for line in lines:
        print_text(line)


def _as_json(drawing: Drawing) -> dict[str, JSON]:
    return {
        "nodes": [
            {"id": node.id, "name": node.label, "is_value": node.is_value} for node in drawing.nodes
        ],
        "edges": [
            {"from": edge.start, "predicate": edge.predicate, "to": edge.end}
            for edge in drawing.edges
        ],
        "incomplete": drawing.incomplete,
    }
