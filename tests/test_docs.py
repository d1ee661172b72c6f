"""The documentation is whole and true: what is offered is described, what is described is there."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]
import pytest
import typer.main

from metacortex.bootstrap import TOOL_NAMES
from metacortex.cli import app
from metacortex.domain.client import whole_tenant
from metacortex.domain.lifecycle import BranchState
from metacortex.transport.app import HEALTH
from metacortex.transport.errors import SHOWN
from metacortex.transport.mcp.prompts import PROMPTS
from metacortex.transport.mcp.resources import RESOURCES
from metacortex.transport.mcp.tool import Tool
from metacortex.transport.mcp.tools import TOOLS
from metacortex.version import VERSION
from tests.pages import DOCS, FENCE, PAGES, blocks, page, section
from tests.processes import ROOT, START_SECONDS, variables

LINK = re.compile(r"\[[^\]]*\]\((?P<target>[^)\s]+)\)")
PATH = re.compile(r"`((?:functions|scripts|docs|tests|bench|deploy|\.ci)/[\w./-]*)`")


def json_blocks(path: Path) -> list[str]:
    """Return the fenced blocks of a page that are called JSON of whatever kind."""
    found = FENCE.finditer(path.read_text(encoding="utf-8"))
    return [block["body"] for block in found if block["kind"].startswith("json")]


def verbs(command: object = None, name: str = "metacortex") -> Iterator[str]:
    """Yield every command of the command line as it is typed."""
    command = typer.main.get_command(app) if command is None else command
    inner = getattr(command, "commands", None)
    if inner is None:
        yield name
        return
    for verb, child in inner.items():
        yield from verbs(child, f"{name} {verb}")


def anchors(text: str) -> set[str]:
    """Return the anchors of a page's headings."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_readme_fits_in_130_lines() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 130


def test_readme_names_every_tool() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [name for name in TOOL_NAMES if f"`{name}`" not in text] == []


@pytest.mark.parametrize("tool", TOOLS, ids=TOOL_NAMES)
def test_every_tool_is_documented_with_all_its_arguments(tool: Tool) -> None:
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \|", section(page("tools.md"), tool.name), re.M)
    codes = {shown.code for shown in SHOWN.values()}
    documented = {name: kind for name, kind in rows if name not in codes}
    assert list(documented) == [argument.name for argument in tool.arguments]
    required = [name for name, kind in documented.items() if "**required**" in kind]
    assert required == [argument.name for argument in tool.arguments if argument.required]


@pytest.mark.parametrize("tool", TOOLS, ids=TOOL_NAMES)
def test_examples_of_arguments_pass_the_input_schema(tool: Tool) -> None:
    admin = whole_tenant("default", "default", BranchState.ACTIVE, tools=TOOL_NAMES)
    examples = blocks(section(page("tools.md"), tool.name), "json arguments")
    assert examples
    for example in examples:
        jsonschema.validate(json.loads(example), tool.input_schema(admin))


@pytest.mark.parametrize("tool", TOOLS, ids=TOOL_NAMES)
def test_examples_of_results_pass_the_output_schema(tool: Tool) -> None:
    examples = blocks(section(page("tools.md"), tool.name), "json result")
    assert examples
    for example in examples:
        jsonschema.validate(json.loads(example), tool.output_schema)


@pytest.mark.parametrize("tool", TOOLS, ids=TOOL_NAMES)
def test_every_key_of_a_result_is_named(tool: Tool) -> None:
    told = section(page("tools.md"), tool.name)
    success = json.loads(json.dumps(tool.output_schema))["anyOf"][0]
    assert [key for key in success["properties"] if not re.search(rf"[`\"]{key}\b", told)] == []


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("resource", [resource.uri for resource in RESOURCES]),
        ("prompt", [prompt.name for prompt in PROMPTS]),
    ],
)
def test_every_resource_and_prompt_is_documented_with_who_has_it(
    kind: str, names: list[str]
) -> None:
    told = section(page("clients.md"), "Resources and prompts")
    table = told.split(f"\n| {kind} |", 1)[1].split("\n\n", 1)[0]
    assert re.findall(r"^\| `([^`]+)` \|", table, re.MULTILINE) == names
    needs = {
        "resource": [set(each.tools) for each in RESOURCES],
        "prompt": [{frozenset((tool,)) for tool in each.needs} for each in PROMPTS],
    }
    rows = table.splitlines()[2:]
    for row, tools in zip(rows, needs[kind], strict=True):
        last = row.rstrip("| ").rpartition("|")[2].strip()
        told_of = {frozenset(re.findall(r"`(\w+)`", each)) for each in re.split(r", | or ", last)}
        assert last == "the same" or told_of == tools


def test_every_error_code_is_documented_with_its_status() -> None:
    rows = re.findall(r"^\| `(\w+)` \| .* \| (\d+) \|$", page("tools.md"), re.MULTILINE)
    assert {(code, int(status)) for code, status in rows} == {
        (shown.code, shown.status) for shown in SHOWN.values()
    }


def test_every_verb_of_the_command_line_is_documented() -> None:
    rows = re.findall(r"^\| `(metacortex [^`]+)` \|", page("operations.md"), re.MULTILINE)
    documented = {re.split(r" (?=-|[A-Z])", row)[0] for row in rows}
    assert documented == set(verbs())


@pytest.mark.parametrize(
    "route",
    [
        "/healthz",
        "/mcp",
        "/clients/{id}/mcp",
        "/memories/{memory_id}",
        "/clients/{id}/memories/{memory_id}",
    ],
)
def test_every_route_is_documented(route: str) -> None:
    assert f"{route}`" in page("clients.md")


def test_no_route_is_missing_from_the_list_of_routes() -> None:
    assert isinstance(HEALTH, dict)
    assert HEALTH["endpoints"] == ["/mcp", "/clients/:clientId/mcp"]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_relative_links_lead_somewhere(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for target in LINK.findall(FENCE.sub("", text)):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        there = path.parent / name if name else path
        assert there.exists(), target
        assert not anchor or anchor in anchors(there.read_text(encoding="utf-8")), target


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_files_that_are_named_exist(path: Path) -> None:
    named = PATH.findall(path.read_text(encoding="utf-8"))
    # functions/.env is a copy that each user makes.
    missing = [name for name in named if not (ROOT / name).exists() and name != "functions/.env"]
    assert missing == []


@pytest.mark.parametrize("name", ["README.md", "docs/clients.md"])
def test_the_examples_of_the_library_find_what_they_keep(name: str, tmp_path: Path) -> None:
    (example,) = blocks((ROOT / name).read_text(encoding="utf-8"), "python")
    run = subprocess.run(
        [sys.executable, "-"],
        input=example,
        env=variables(tmp_path / "elsewhere", PYTHONPATH=str(ROOT / "functions")),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=START_SECONDS,
        check=False,
    )
    assert run.stderr == ""
    assert run.stdout.endswith("We use Ktor for shared networking.\n")
    assert (tmp_path / "memories").is_dir()


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_json_in_the_docs_is_json(path: Path) -> None:
    for block in json_blocks(path):
        json.loads(block)


def test_the_docs_hold_json_to_be_checked() -> None:
    assert [path.name for path in PAGES if json_blocks(path)] != []


def test_every_decision_says_context_decision_and_consequences() -> None:
    pages = sorted((DOCS / "decisions").glob("*.md"))
    assert [path.name[:4] for path in pages] == [f"{n:04d}" for n in range(1, len(pages) + 1)]
    for path in pages:
        text = path.read_text(encoding="utf-8")
        assert text.startswith(f"# {path.name[:4]} "), path.name
        for part in ("Context", "Decision", "Consequences"):
            assert f"\n**{part}.** " in text, path.name


def test_the_newest_entry_of_the_changelog_is_this_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    found = re.search(r"^## \[?([0-9][^\s\]]*)", changelog, re.MULTILINE)
    assert found is not None
    assert found[1] == VERSION
