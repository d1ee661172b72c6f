"""The documentation of settings and client profiles is whole and true."""

import ast
import inspect
import re
from importlib import import_module

import pytest

from metacortex.adapters.local.secret_shapes import shapes
from metacortex.bootstrap import TOOL_NAMES
from metacortex.config import Settings
from metacortex.domain.client import SecretsPolicy
from metacortex.domain.lifecycle import BranchState
from metacortex.model_settings import EMBEDDERS
from metacortex.problems import Problems
from metacortex.profiles import KEYS, profiles_from_json
from tests.pages import blocks, page, section
from tests.processes import ROOT

ENTRY_SETTINGS = {"HOST", "PORT", "FIRESTORE_EMULATOR_JAR"}
"""Read by `metacortex serve` rather than by config.py."""


READERS = ("config", "engine_settings", "model_settings", "function_settings", "trace_settings")
"""The modules that ask for settings."""


def settings_read() -> set[str]:
    """Return every name that the settings ask their reader for."""
    names = set()
    for module in map(import_module, (f"metacortex.{name}" for name in READERS)):
        for node in ast.walk(ast.parse(inspect.getsource(module))):
            match node:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name("read")), args=[ast.Constant(name), *_]
                ):
                    names.add(name)
                # Some names are constants, because other modules need them too.
                case ast.Call(
                    func=ast.Attribute(value=ast.Name("read")), args=[ast.Name(name), *_]
                ):
                    if name in vars(module):
                        names.add(vars(module)[name])
    return {name for name in names if isinstance(name, str)}


def settings_listed() -> dict[str, str]:
    """Return the settings of .env.example with the values that stand there."""
    text = (ROOT / "functions" / ".env.example").read_text(encoding="utf-8")
    return dict(re.findall(r"^#([A-Z][A-Z0-9_]*)=(.*)$", text, re.MULTILINE))


def test_every_setting_is_documented() -> None:
    rows = re.findall(r"^\| `([A-Z][A-Z0-9_]+)` \|", page("configuration.md"), re.MULTILINE)
    assert set(rows) == settings_read()


def test_env_example_lists_every_setting_and_no_other() -> None:
    assert set(settings_listed()) == settings_read() | ENTRY_SETTINGS


def test_env_example_holds_settings_that_are_accepted() -> None:
    listed = {name: value.strip("'") for name, value in settings_listed().items()}
    settings = Settings.from_env(listed, TOOL_NAMES)
    assert sorted(settings.profiles) == ["chatgpt-web", "claude-web"]


def test_every_key_of_a_profile_is_documented() -> None:
    rows = re.findall(
        r"^\| `(\w+)` \|", section(page("configuration.md"), "Client profiles"), re.MULTILINE
    )
    assert tuple(rows) == KEYS


def test_the_example_of_profiles_is_accepted() -> None:
    example = blocks(section(page("configuration.md"), "Client profiles"), "json")[0]
    problems = Problems()
    profiles = profiles_from_json(example, BranchState.ACTIVE, TOOL_NAMES, problems, taken=[])
    problems.raise_any()
    assert [profile.id for profile in profiles] == ["chatgpt-web", "team-reader"]


@pytest.mark.parametrize(
    ("heading", "names"), [("Secrets", tuple(SecretsPolicy)), ("Embedders", tuple(EMBEDDERS))]
)
def test_every_choice_is_documented(heading: str, names: tuple[str, ...]) -> None:
    text = section(page("configuration.md"), heading)
    assert [name for name in names if f"\n| `{name}`" not in text] == []


def test_every_kind_of_secret_is_documented() -> None:
    rows = re.findall(r"^\| (`[^|]+) \|", section(page("configuration.md"), "Secrets"), re.M)
    documented = {name for row in rows for name in re.findall(r"`([\w-]+)`", row)}
    # The last two are found by parsers of their own.
    kinds = {shape.kind for shape in shapes()} | {"private-key", "jwt"}
    assert documented - set(SecretsPolicy) == kinds
