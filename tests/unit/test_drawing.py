"""The graph as Mermaid and as DOT: whatever names hold, each stands in its own label."""

import re
from html import unescape

from hypothesis import given
from hypothesis import strategies as st

from metacortex.commands.drawing import LABEL_LENGTH, Drawing, Edge, Node, dot, mermaid
from metacortex.domain.text import printable

LEDGER = Drawing(
    (Node("ent_1", "payment_ledger"), Node("ent_2", "auth service"), Node("v", "3 days", True)),
    (Edge("ent_1", "checks_callers_with", "ent_2"), Edge("ent_2", "token_lifetime", "v")),
)
NAMES = st.text(
    st.characters(exclude_categories=["Cs"])
    | st.sampled_from(
        ['"', "\\", "#", ";", "\n", "`", "&", "|", "]", ")", "%", "{", "}", "\u202e"]
    ),
    max_size=100,
)


def test_entities_are_boxes_and_values_are_not() -> None:
    assert [*mermaid(LEDGER)] == [
        "flowchart LR",
        '  n0["payment_ledger"]',
        '  n1["auth service"]',
        '  n2("3 days")',
        '  n0 -->|"checks_callers_with"| n1',
        '  n1 -->|"token_lifetime"| n2',
    ]
    assert [*dot(LEDGER)] == [
        "digraph known {",
        "  rankdir=LR;",
        '  n0 [shape=box, label="payment_ledger"];',
        '  n1 [shape=box, label="auth service"];',
        '  n2 [shape=plaintext, label="3 days"];',
        '  n0 -> n1 [label="checks_callers_with"];',
        '  n1 -> n2 [label="token_lifetime"];',
        "}",
    ]


@given(NAMES, NAMES)
def test_in_mermaid_a_name_stays_in_its_label_and_reads_back(name: str, predicate: str) -> None:
    drawing = Drawing((Node("a", name),), (Edge("a", predicate, "a"),))
    _, node, edge = mermaid(drawing)
    for line, form, text in (
        (node, r'  n0\["([^"\]`%:|\\]*)"\]', name),
        (edge, r'  n0 -->\|"([^"\]`%:|\\]*)"\| n0', predicate),
    ):
        found = re.fullmatch(form, line)
        assert found is not None
        read = re.sub(r"#(\d+);", lambda code: chr(int(code[1])), found[1])
        assert read == (printable(text, LABEL_LENGTH) or " ")


@given(NAMES, NAMES)
def test_in_dot_a_name_stays_in_its_label_and_reads_back(name: str, predicate: str) -> None:
    drawing = Drawing((Node("a", name),), (Edge("a", predicate, "a"),))
    _, _, node, edge, _ = dot(drawing)
    for line, form, text in (
        (node, r'  n0 \[shape=box, label="((?:[^"\\]|\\["\\])*)"\];', name),
        (edge, r'  n0 -> n0 \[label="((?:[^"\\]|\\["\\])*)"\];', predicate),
    ):
        found = re.fullmatch(form, line)
        assert found is not None
        escaped = re.sub(r"\\(.)", r"\1", found[1])
        assert re.sub("&amp;", "&", escaped) == printable(text, LABEL_LENGTH)
        assert unescape(escaped).count("&") == printable(text, LABEL_LENGTH).count("&")
