"""The pages of the documentation, read."""

import re

from tests.processes import ROOT

DOCS = ROOT / "docs"
PAGES = (ROOT / "README.md", *sorted(DOCS.rglob("*.md")))

FENCE = re.compile(r"^```(?P<kind>[^\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)


def page(name: str) -> str:
    """Return the text of a page of docs/."""
    return (DOCS / name).read_text(encoding="utf-8")


def section(text: str, heading: str) -> str:
    """Return what stands under a heading of the second level."""
    return text.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]


def blocks(text: str, kind: str) -> list[str]:
    """Return the fenced blocks of one kind, such as `json` or `json result`."""
    return [found["body"] for found in FENCE.finditer(text) if found["kind"] == kind]
