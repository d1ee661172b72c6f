"""Two instances on one Firestore, at once: nothing lost, nothing twice, no circle."""

import asyncio
import json
import sys
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from metacortex.domain.lifecycle import Change, ChangeKind
from metacortex.engines import Engine
from tests.e2e.firestore_instances import TENANT
from tests.firestore_engines import a_project, held, opened
from tests.processes import ROOT, variables

pytestmark = pytest.mark.e2e

Call = Sequence[str]


@dataclass(frozen=True)
class Instance:
    """A process that makes calls on its own connection."""

    process: asyncio.subprocess.Process

    async def make(self, calls: Sequence[Call]) -> list[Any]:
        """Make these calls at once and return their outcomes in order."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(calls).encode() + b"\n")
        return list(json.loads(await self.line()))

    async def line(self) -> bytes:
        """Return the next line that the process writes."""
        assert self.process.stdout is not None
        line = await self.process.stdout.readline()
        assert line, "the instance has ended"
        return line


@asynccontextmanager
async def instance(project: str, folder: Path) -> AsyncIterator[Instance]:
    """Run an instance until the block ends."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.e2e.firestore_instances", project),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env=variables(folder),
        cwd=ROOT,
        limit=2**20,
    )
    try:
        yield Instance(process)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        await process.wait()


@pytest.fixture
def project(firestore_emulator: str) -> str:
    return a_project()


@pytest.fixture
async def instances(project: str, tmp_path: Path) -> AsyncIterator[tuple[Instance, Instance]]:
    async with AsyncExitStack() as running:
        one, other = [
            await running.enter_async_context(instance(project, tmp_path)) for _ in range(2)
        ]
        await asyncio.gather(one.line(), other.line())
        yield one, other


@pytest.fixture
async def engine(project: str) -> AsyncIterator[Engine]:
    async with opened(project) as engine:
        yield engine


async def at_once(
    instances: tuple[Instance, Instance], calls: Sequence[Call]
) -> list[tuple[Call, Any]]:
    """Make calls in turn by the one and the other, all at once; return each with its outcome."""
    parts = [calls[0::2], calls[1::2]]
    outcomes = await asyncio.gather(
        *(each.make(part) for each, part in zip(instances, parts, strict=True))
    )
    return list(zip(chain(*parts), chain(*outcomes), strict=True))


async def written(
    instances: tuple[Instance, Instance], count: int, what: str = "Note"
) -> list[str]:
    """Remember so many notes and return their ids in order."""
    made = await instances[0].make([["remember", f"{what} {n}."] for n in range(count)])
    return [memory_id for _, memory_id in made]


@pytest.mark.case("K13")
@pytest.mark.case("K14")
async def test_of_two_hundred_writes_none_is_lost_and_equal_ones_are_one(
    instances: tuple[Instance, Instance], engine: Engine, project: str
) -> None:
    calls = [
        call
        for n in range(100)
        for call in (["remember", f"Gauge {n} at the weir."], ["remember", f"Lamp {n // 10}."])
    ]
    # Pairs, so that the equal ones of each ten go to both.
    calls = [*calls[0::2], *calls[1::2]]
    outcomes = await at_once(instances, calls)
    made = Counter(text for (_, text), (created, _) in outcomes if created)
    assert made == {text: 1 for _, text in calls}
    id_by_text = {text: memory_id for (_, text), (created, memory_id) in outcomes if created}
    assert all(memory_id == id_by_text[text] for (_, text), (_, memory_id) in outcomes)
    for text, memory_id in id_by_text.items():
        memory = await engine.store.get(TENANT, memory_id)
        assert memory is not None
        assert memory.content == text
    kinds = Counter(path.split("/")[-2] for path in await held(project))
    assert kinds == dict.fromkeys(("memory_vectors", "memory_changes", "memory_fingerprints"), 110)


@pytest.mark.rule("C98")
async def test_of_twenty_equal_writes_one_is_created(
    instances: tuple[Instance, Instance],
) -> None:
    for number in range(5):
        text = f"Relay {number} restarts on Sundays."
        outcomes = [outcome for _, outcome in await at_once(instances, [["remember", text]] * 20)]
        assert Counter(created for created, _ in outcomes) == {True: 1, False: 19}
        assert len({memory_id for _, memory_id in outcomes}) == 1


@pytest.mark.rule("C94")
async def test_of_two_replacements_one_wins_and_the_other_is_told(
    instances: tuple[Instance, Instance], engine: Engine
) -> None:
    notes = await written(instances, 60)
    triples = list(zip(notes[0::3], notes[1::3], notes[2::3], strict=True))
    calls = [["deprecate", old, new] for old, *news in triples for new in news]
    outcomes = await at_once(instances, calls)
    for old, *news in triples:
        memory = await engine.store.get(TENANT, old)
        assert memory is not None
        assert memory.superseded_by in news
        told = {new: outcome for (_, each, new), outcome in outcomes if each == old}
        assert told.pop(memory.superseded_by) == memory.superseded_by
        assert [*told.values()] == [f"Document is already superseded by '{memory.superseded_by}'"]
        _, change = await engine.store.changes(TENANT, old)
        assert isinstance(change, Change)
        assert change.kind is ChangeKind.SUPERSEDED


async def test_thirty_memories_get_the_same_replacement_at_once(
    instances: tuple[Instance, Instance],
) -> None:
    *old, new = await written(instances, 31)
    outcomes = await at_once(instances, [["deprecate", each, new] for each in old])
    assert [outcome for _, outcome in outcomes] == [new] * 30


@pytest.mark.parametrize("length", [2, 3, 7])
async def test_deprecations_around_a_ring_never_close_it(
    instances: tuple[Instance, Instance], engine: Engine, length: int
) -> None:
    for number in range(6):
        ring = await written(instances, length, f"Ring {number}, note")
        calls = [
            ["deprecate", old, new] for old, new in zip(ring, [*ring[1:], ring[0]], strict=True)
        ]
        outcomes = [outcome for _, outcome in await at_once(instances, calls)]
        refused = [outcome for outcome in outcomes if outcome not in ring]
        assert refused == ["A document cannot be superseded by one that it supersedes"]
        replaced = [await engine.store.get(TENANT, memory_id) for memory_id in ring]
        assert [each and each.superseded_by for each in replaced].count(None) == 1


FORKING = """
import asyncio, os, sys
from metacortex.bootstrap import TOOL_NAMES, build
from metacortex.config import Settings
from metacortex.domain.client import whole_tenant
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import NewMemory
from tests.fakes import FakeEmbedder

program = build(Settings.from_env(os.environ, TOOL_NAMES, serving=False), FakeEmbedder())
admin = whole_tenant("cli", "default", BranchState.ACTIVE)
assert "grpc" not in sys.modules
child = os.fork()

async def remember():
    await program.services.memories.remember(admin, NewMemory(f"Saved by {child == 0}."))
    await program.aclose()

asyncio.run(remember())
if child:
    sys.exit(os.waitpid(child, 0)[1])
"""


async def test_a_program_built_before_a_fork_works_on_both_sides_of_it(
    project: str, engine: Engine, tmp_path: Path
) -> None:
    settings = {"METACORTEX_ENGINE": "firestore", "METACORTEX_EMBEDDER": "use"}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", FORKING),
        env=variables(tmp_path, GOOGLE_CLOUD_PROJECT=project, **settings),
        cwd=ROOT,
    )
    assert await process.wait() == 0
    assert await engine.store.count(TENANT) == 2
