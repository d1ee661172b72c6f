"""The package as a library, with the model that comes with it."""

import subprocess
import sys
from pathlib import Path

import pytest

import metacortex
from metacortex.domain.errors import ConfigurationError, InvalidInput, NotFound
from metacortex.domain.lifecycle import BranchState
from tests.e2e.notes import CAKE, SESSIONS
from tests.processes import run_python, variables

pytestmark = pytest.mark.e2e


async def test_the_library_does_what_the_tools_do(tmp_path: Path) -> None:
    async with metacortex.open(tmp_path / "memory") as memory:
        old = (await memory.remember(SESSIONS, topic="auth")).memory
        new = (await memory.remember(CAKE)).memory
        assert [match.memory.id for match in await memory.search("birthday cake", limit=1)] == [
            new.id
        ]
        superseded = await memory.deprecate(old.id, by=new.id)
        assert await memory.fetch(old.id) == superseded
        assert superseded.branch_state is BranchState.DEPRECATED
        with pytest.raises(InvalidInput, match="query must not be empty"):
            await memory.search(" ")
    async with metacortex.open(str(tmp_path / "memory"), tenant="acme") as memory:
        with pytest.raises(NotFound):
            await memory.fetch(new.id)


async def test_text_that_no_file_can_hold_is_refused_by_every_call(tmp_path: Path) -> None:
    half = "\ud800"
    async with metacortex.open(tmp_path) as memory:
        for refused in (
            memory.remember(half),
            memory.remember("A note.", topic=half),
            memory.remember("A note.", artifact_refs=(half,)),
            memory.search(half),
            memory.search("A note.", topic=half),
        ):
            with pytest.raises(InvalidInput, match="not valid Unicode text"):
                await refused
        for absent in (memory.fetch(half), memory.deprecate(half, by="x")):
            with pytest.raises(NotFound):
                await absent


async def test_the_library_refuses_what_it_cannot_work_with(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="tenant must be"):
        async with metacortex.open(tmp_path, tenant=".."):
            pass
    with pytest.raises(ConfigurationError, match="SEARCH_RESULT_LIMIT"):
        async with metacortex.open(tmp_path, settings={"SEARCH_RESULT_LIMIT": "x"}):
            pass


def test_neither_the_library_nor_the_command_line_loads_the_mcp_sdk(tmp_path: Path) -> None:
    script = (
        "import asyncio, sys, metacortex\n"
        "from metacortex import cli\n"
        "async def use():\n"
        f"    async with metacortex.open({str(tmp_path)!r}) as memory:\n"
        "        await memory.remember('The tide turns at noon.')\n"
        "asyncio.run(use())\n"
        "try:\n"
        f"    cli.run(['--data-dir', {str(tmp_path)!r}, 'list'], {{}})\n"
        "finally:\n"
        "    print('mcp' in sys.modules)\n"
    )
    told = run_python(tmp_path, script)
    assert "The tide turns" in told
    assert told.endswith("False\n")


def test_the_library_does_not_read_the_environment(tmp_path: Path) -> None:
    script = (
        "import asyncio, sys, metacortex\n"
        "assert 'numpy' not in sys.modules and 'mcp' not in sys.modules\n"
        "async def use():\n"
        f"    async with metacortex.open({str(tmp_path / 'memory')!r}): pass\n"
        "asyncio.run(use())\n"
    )
    env = variables(tmp_path / "elsewhere", SEARCH_RESULT_LIMIT="nonsense")
    subprocess.run([sys.executable, "-c", script], env=env, check=True, timeout=60)
    assert [path.name for path in tmp_path.iterdir()] == ["memory"]
