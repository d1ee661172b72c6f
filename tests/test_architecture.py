"""The import table of the house, and the shape of its modules, read from the sources."""

import ast
import re
from pathlib import Path

import pytest

from tests.architecture import (
    LAYERS,
    LONGEST_MODULE,
    PACKAGE,
    permissions,
    permissions_used,
    problems,
    shape_problems,
)
from tests.processes import ROOT

FUNCTIONS = ROOT / "functions"
# Coverage exclusions in all of the code; each gives its reason on its line.
MOST_EXCLUSIONS = 6


def module_name(path: Path) -> str:
    """Return the dotted name of a source under functions/."""
    return ".".join(path.relative_to(FUNCTIONS).with_suffix("").parts)


SOURCES = {module_name(path): path for path in sorted(FUNCTIONS.rglob("*.py"))}


BESIDE = {
    str(path.relative_to(ROOT)): path
    for folder in ("tests", "bench", "scripts", "deploy")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if "node_modules" not in path.parts
}
"""What is not deployed, by its path."""


@pytest.mark.parametrize("module", SOURCES)
def test_every_module_keeps_the_rules(module: str) -> None:
    assert list(problems(module, SOURCES[module].read_text())) == []


def test_every_layer_has_its_row_in_the_table() -> None:
    layers = {name.split(".")[1] for name in SOURCES if name.startswith(f"{PACKAGE}.")}
    assert layers - set(LAYERS) == set()


def test_every_permission_of_the_table_is_used() -> None:
    used = {
        permission
        for module, path in SOURCES.items()
        for permission in permissions_used(module, path.read_text())
    }
    assert sorted(permissions() - used) == []


@pytest.mark.parametrize("name", BESIDE)
def test_what_is_not_deployed_has_the_shape_of_what_is(name: str) -> None:
    source = BESIDE[name].read_text()
    module = name.removesuffix(".py").replace("/", ".")
    assert list(shape_problems(module, source, ast.parse(source))) == []


@pytest.mark.parametrize(
    ("module", "line", "told"),
    [
        ("metacortex.domain.memory", "from metacortex import ports", "must not import"),
        ("metacortex.domain.memory", "import numpy", "standard library only"),
        ("metacortex.domain.memory", "import time", "no clock"),
        ("metacortex.ports", "from metacortex.service.memories import X", "must not import"),
        ("metacortex.service.memories", "import metacortex.adapters.sqlite", "must not import"),
        ("metacortex.service.memories", "from metacortex.transport import wire", "must not import"),
        ("metacortex.service.memories", "import httpx", "standard library only"),
        ("metacortex.adapters.sqlite.rows", "from metacortex.transport import wire", "not import"),
        ("metacortex.adapters.sqlite.rows", "from metacortex.adapters.local import use", "other"),
        ("metacortex.transport.wire", "import metacortex.adapters.local.use", "must not import"),
        ("metacortex.transport.wire", "import mcp", "only metacortex.transport.mcp.endpoint"),
        ("metacortex.transport.wire", "from metacortex.bootstrap import build", "must not import"),
        ("metacortex.transport.mcp.endpoint", "import mcp.client.session", "only metacortex.smoke"),
        ("metacortex.commands.smoke", "import httpx2", "only metacortex.smoke and"),
        ("metacortex.transport.wire", "import attrs", "no home in the table"),
        ("metacortex.credentials", "import attrs", "standard library only"),
        ("metacortex.commands.serve", "import metacortex.adapters.local.use", "must not import"),
        ("metacortex.cli", "from metacortex.adapters.local.use import X", "must not import"),
        ("metacortex.adapters.sqlite.rows", "import google.cloud.firestore", "firestore may"),
        ("metacortex.adapters.firestore.rows", "from google import genai", "gemini may"),
        ("metacortex.config", "import os\nos.environ['X']", "must not read the environment"),
        ("metacortex.config", "from os import getenv", "must not read the environment"),
        ("metacortex.domain.helpers", "", "says nothing"),
        ("metacortex.service.data.memory", "", "says nothing"),
        ("metacortex.service.__init__", "X = 1", "more than a docstring"),
        ("metacortex.wire", "\n" * LONGEST_MODULE, "300 is the rule"),
    ],
)
def test_a_source_that_breaks_a_rule_is_told_which(module: str, line: str, told: str) -> None:
    found = " ".join(problems(module, f'"""One subject."""\n{line}\n'))
    assert told in found


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("metacortex.domain.memory", "import hashlib\nfrom metacortex.domain import moment"),
        ("metacortex.adapters.sqlite.rows", "import sqlite3\nfrom metacortex import ports"),
        ("metacortex.transport.mcp.endpoint", "import mcp.server\nimport metacortex.service.x"),
        ("metacortex.bootstrap", "import metacortex.adapters.sqlite.rows"),
        ("metacortex.cli", "import os\nos.environ['X']"),
        ("main", "import os\nfrom metacortex.serving import create_app\ncreate_app(os.environ)"),
    ],
)
def test_a_source_that_keeps_the_rules_is_left_alone(module: str, line: str) -> None:
    assert list(problems(module, f'"""One subject."""\n{line}\n')) == []


def test_a_module_without_a_docstring_is_told() -> None:
    assert list(problems("metacortex.wire", "X = 1\n")) == [
        "metacortex.wire has no docstring that says its one subject"
    ]


def test_each_coverage_exclusion_gives_its_reason_and_there_are_few() -> None:
    mark = re.compile(r"#\s*pragma:\s*no (?:cover|branch)(.*)")
    found = [
        (path.name, matched.group(1))
        for path in SOURCES.values()
        for line in path.read_text().splitlines()
        if (matched := mark.search(line))
    ]
    assert [name for name, reason in found if not re.search(r"\w+ \w+", reason)] == []
    assert len(found) <= MOST_EXCLUSIONS
