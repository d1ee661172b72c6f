"""The rules of the house as data, and the reader that finds where a source breaks them.

Every check takes a module's dotted name and its source, so that it can be tried on made-up ones.
"""

import ast
import sys
from collections.abc import Iterator

PACKAGE = "metacortex"
LONGEST_MODULE = 299

# What each layer may import of the package. Arrows point down only, and no layer is missing here.
LAYERS: dict[str, frozenset[str]] = {
    layer: frozenset(below.split())
    for layer, below in {
        "domain": "domain",
        "version": "",
        "loading": "",
        "trace_context": "",
        "ports": "domain",
        "model_ports": "domain",
        "knowledge_ports": "ports domain",
        "service": "service ports model_ports knowledge_ports domain",
        "adapters": "adapters ports trace_context version domain",
        "transport": "transport service trace_context domain",
        "problems": "domain",
        "profiles": "problems domain",
        "reading": "problems",
        "engine_settings": "reading problems",
        "model_settings": "engine_settings reading",
        "trace_settings": "reading",
        "model_adapters": "adapters model_ports model_settings",
        "engines": "adapters ports knowledge_ports engine_settings",
        "function_settings": "model_settings reading problems",
        "firebase_endpoint": "function_settings",
        "config": "engine_settings model_settings trace_settings reading problems profiles version"
        " domain",
        "credentials": "config profiles domain",
        "logs": "trace_context domain",
        "bootstrap": "adapters transport service ports model_ports config engines model_adapters"
        " trace_settings domain",
        "serving": "bootstrap transport config",
        "index_file": "adapters config engine_settings model_adapters domain",
        "library": "bootstrap service config domain",
        "smoke_mode": "",
        "verdict": "",
        "smoke": "smoke_mode profiles domain",
        "commands": "commands bootstrap serving engines index_file transport service config"
        " engine_settings function_settings problems profiles credentials logs smoke smoke_mode"
        " verdict domain",
        "cli": "commands version",
        "__main__": "cli",
        "__init__": "library",
    }.items()
}
# Who alone may import a library, by the beginnings of the modules' names. One without a row has no
# home, and may not be imported at all.
HOMES: dict[str, tuple[str, ...]] = {
    "anyio": ("metacortex.transport.mcp.endpoint",),
    "mcp.client": ("metacortex.smoke",),
    "mcp": ("metacortex.transport.mcp.endpoint", "metacortex.smoke"),
    "mcp_types": ("metacortex.transport.mcp.endpoint",),
    "pydantic": ("metacortex.transport.mcp.endpoint",),
    "pydantic_core": ("metacortex.transport.body",),
    "starlette": ("metacortex.transport", "main"),
    "functions_framework": ("main",),
    "firebase_functions": ("metacortex.firebase_endpoint",),
    "google.cloud": ("metacortex.adapters.firestore",),
    "grpc": ("metacortex.adapters.firestore",),
    "google.api_core": ("metacortex.adapters.firestore",),
    "google.genai": ("metacortex.adapters.gemini",),
    "google.auth": ("metacortex.adapters.firestore", "metacortex.adapters.gemini"),
    "sqlite3": ("metacortex.adapters.sqlite",),
    "numpy": ("metacortex.adapters.sqlite",),
    "toktok": ("metacortex.adapters.local",),
    "httpx": ("metacortex.adapters.openai",),
    "httpx2": ("metacortex.smoke", "metacortex.adapters.gemini"),
    "opentelemetry": ("metacortex.adapters.opentelemetry",),
    "typer": ("metacortex.cli", "metacortex.commands"),
    "uvicorn": ("metacortex.commands.serve",),
}
# Layers that need nothing but Python.
STANDARD_LIBRARY_ONLY = frozenset(
    (
        "domain",
        "ports",
        "model_ports",
        "knowledge_ports",
        "service",
        "version",
        "loading",
        "trace_context",
        "problems",
        "reading",
        "engine_settings",
        "model_settings",
        "model_adapters",
        "trace_settings",
        "function_settings",
        "profiles",
        "config",
        "credentials",
        "logs",
        "bootstrap",
        "serving",
        "engines",
        "library",
        "smoke_mode",
    )
)
# A clock, chance or the outside: the domain is given what these would tell.
IMPURE = frozenset(
    (
        "asyncio",
        "io",
        "logging",
        "os",
        "pathlib",
        "random",
        "secrets",
        "shutil",
        "socket",
        "sqlite3",
        "subprocess",
        "tempfile",
        "threading",
        "time",
    )
)
READERS_OF_THE_ENVIRONMENT = frozenset({"main", "metacortex.cli"})
# The package's `open`, and the lists of what the endpoint serves.
MORE_THAN_A_DOCSTRING = (
    "metacortex.__init__",
    *(f"metacortex.transport.mcp.{part}.__init__" for part in ("tools", "resources", "prompts")),
)
EMPTY_NAMES = frozenset(
    ("manager", "helper", "helpers", "util", "utils", "common", "base", "data", "info")
)


def problems(module: str, source: str) -> Iterator[str]:
    """Yield a sentence for each rule that the module breaks."""
    tree = ast.parse(source)
    imported = sorted(set(_imported(tree)))
    yield from layer_problems(module, imported)
    yield from library_problems(module, imported)
    yield from environment_problems(module, tree)
    yield from shape_problems(module, source, tree)


def layer_problems(module: str, imported: list[str]) -> Iterator[str]:
    """Yield each import that points upwards, or from one adapter into another."""
    layer = _layer(module)
    for name in imported:
        if layer is None or not _within(name, PACKAGE):
            continue
        other = _layer(name)
        if other not in LAYERS.get(layer, frozenset()):
            yield f"{module} must not import {name}: {layer} stands below it or beside it"
        elif layer == other == "adapters" and name.split(".")[2:3] != module.split(".")[2:3]:
            yield f"{module} must not import {name}: adapters do not know each other"


def library_problems(module: str, imported: list[str]) -> Iterator[str]:
    """Yield each library that is imported by a module that is not its home."""
    layer = _layer(module)
    for name in imported:
        top = name.partition(".")[0]
        foreign = top != PACKAGE and top not in sys.stdlib_module_names
        library = _library(name)
        if library is not None and _home(module, library) is None:
            yield f"{module} must not import {name}: only {' and '.join(HOMES[library])} may"
        if library is None and foreign and layer is not None:
            yield f"{module} must not import {name}: it has no home in the table"
        if layer in STANDARD_LIBRARY_ONLY and foreign:
            yield f"{module} must not import {name}: {layer} needs the standard library only"
        if layer == "domain" and top in IMPURE:
            yield f"{module} must not import {name}: the domain knows no clock, chance or outside"


def permissions() -> set[tuple[str, str]]:
    """Return what the tables allow: a layer with one below it, a library with one of its homes."""
    layers = {(layer, below) for layer in LAYERS for below in LAYERS[layer]}
    homes = {(library, home) for library in HOMES for home in HOMES[library]}
    return layers | homes


def permissions_used(module: str, source: str) -> Iterator[tuple[str, str]]:
    """Yield those of `permissions` that a module's imports need."""
    layer = _layer(module)
    for name in _imported(ast.parse(source)):
        library, other = _library(name), _layer(name)
        if library is not None and (home := _home(module, library)) is not None:
            yield library, home
        if layer is not None and other is not None:
            yield layer, other


def environment_problems(module: str, tree: ast.AST) -> Iterator[str]:
    """Yield each reading of the environment by a module that is no entry."""
    if module in READERS_OF_THE_ENVIRONMENT:
        return
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Attribute):
            names = (
                [node.attr] if isinstance(node.value, ast.Name) and node.value.id == "os" else []
            )
        elif isinstance(node, ast.ImportFrom) and node.module == "os":
            names = [alias.name for alias in node.names]
        for name in names:
            if name in ("environ", "environb", "getenv"):
                yield f"{module} must not read the environment: only main.py and cli.py do"


def shape_problems(module: str, source: str, tree: ast.Module) -> Iterator[str]:
    """Yield what is wrong with a module's length, name, docstring or `__init__`."""
    lines = source.count("\n")
    if lines > LONGEST_MODULE:
        yield f"{module} has {lines} lines: under {LONGEST_MODULE + 1} is the rule"
    if not ast.get_docstring(tree):
        yield f"{module} has no docstring that says its one subject"
    for part in module.split("."):
        if part.strip("_") in EMPTY_NAMES:
            yield f"{module} is named {part}, which says nothing"
    if module.endswith(".__init__"):
        yield from _init_problems(module, tree)


def _init_problems(module: str, tree: ast.Module) -> Iterator[str]:
    """Yield what an `__init__` holds beside its docstring."""
    if module in MORE_THAN_A_DOCSTRING:
        return
    for node in tree.body[1:]:
        yield f"{module} holds more than a docstring, in line {node.lineno}"


def _imported(tree: ast.AST) -> Iterator[str]:
    """Yield the dotted name of everything imported, wherever in the module, for types or not."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module is not None, "relative imports are refused by the linter"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _layer(module: str) -> str | None:
    """Return the part of the package that a module belongs to, or None for one outside it."""
    parts = module.split(".")
    return parts[1] if parts[0] == PACKAGE and len(parts) > 1 else None


def _library(name: str) -> str | None:
    """Return the library that a row names and an imported name belongs to: the first of them."""
    return next((library for library in HOMES if _within(name, library)), None)


def _home(module: str, library: str) -> str | None:
    return next((home for home in HOMES[library] if _within(module, home)), None)


def _within(module: str, name: str) -> bool:
    return module == name or module.startswith(f"{name}.")
