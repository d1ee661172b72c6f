"""A piece of the graph as text that other programs draw: Mermaid, or the DOT of Graphviz.

Names are what callers made up: none can end its label, add a line or begin a command.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from metacortex.domain.text import printable

LABEL_LENGTH = 80
INCOMPLETE = "incomplete: not all that is near was followed"
_PLAIN = frozenset(" _.,/+-")
"""What stands in a Mermaid label as it is, beside letters and digits. A colon does not: behind the
word `style` it makes Mermaid read on differently.
"""


@dataclass(frozen=True, slots=True)
class Node:
    """An entity, or a value that hangs on one."""

    id: str
    label: str
    is_value: bool = False


@dataclass(frozen=True, slots=True)
class Edge:
    """A fact, between two nodes by their ids."""

    start: str
    predicate: str
    end: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """What is drawn. Every edge ends at nodes that are there; where it is `incomplete`, there may
    be more of both.
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    incomplete: bool = False


def mermaid(drawing: Drawing) -> Iterator[str]:
    """Yield the lines of a Mermaid flowchart: entities in boxes, values in rounded ones."""
    names = _names(drawing.nodes)
    yield "flowchart LR"
    if drawing.incomplete:
        yield f"  %% {INCOMPLETE}"
    for node in drawing.nodes:
        text = f'"{_in_mermaid(node.label)}"'
        yield f"  {names[node.id]}" + (f"({text})" if node.is_value else f"[{text}]")
    for edge in drawing.edges:
        yield f'  {names[edge.start]} -->|"{_in_mermaid(edge.predicate)}"| {names[edge.end]}'


def dot(drawing: Drawing) -> Iterator[str]:
    """Yield the lines of a DOT digraph: entities in boxes, values in plain text."""
    names = _names(drawing.nodes)
    yield "digraph known {"
    yield "  rankdir=LR;"
    if drawing.incomplete:
        yield f"  // {INCOMPLETE}"
    for node in drawing.nodes:
        shape = "plaintext" if node.is_value else "box"
        yield f'  {names[node.id]} [shape={shape}, label="{_in_dot(node.label)}"];'
    for edge in drawing.edges:
        label = _in_dot(edge.predicate)
        yield f'  {names[edge.start]} -> {names[edge.end]} [label="{label}"];'
    yield "}"


def _names(nodes: Sequence[Node]) -> dict[str, str]:
    # Ids of our own: neither language has to read what stands in another's.
    return {node.id: f"n{number}" for number, node in enumerate(nodes)}


def _in_mermaid(text: str) -> str:
    """Return a label whose other characters stand as their numbers, which Mermaid reads back. It
    reads no empty one.
    """
    return "".join(_mermaid_characters(printable(text, LABEL_LENGTH))) or " "


def _mermaid_characters(text: Iterable[str]) -> Iterator[str]:
    for character in text:
        plain = character.isalnum() or character in _PLAIN
        yield character if plain else f"#{ord(character)};"


def _in_dot(text: str) -> str:
    # Quotes end a label, backslashes begin what is replaced in it, and & an entity of HTML.
    plain = printable(text, LABEL_LENGTH)
    return plain.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')
