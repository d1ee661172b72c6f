"""The Firestore adapter when the network fails under it: each call ends, and the next finds its way
on the same `Connection`.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from metacortex.adapters.firestore.channel import new_client
from metacortex.domain.errors import StoreUnusable, Unavailable
from metacortex.domain.memory import Memory
from metacortex.engine_settings import DEFAULT_DATABASE
from metacortex.engines import Engine
from tests.firestore_emulator import HOST
from tests.firestore_engines import held, opened
from tests.samples import TENANT, a_memory, add
from tests.tcp_proxy import Mode, Proxy, proxying

DEADLINE = 2.0


@pytest.fixture
async def proxy(firestore_emulator: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Proxy]:
    async with proxying(firestore_emulator) as proxy:
        monkeypatch.setenv(HOST, proxy.host)
        yield proxy


@pytest.fixture
async def engine(proxy: Proxy, project: str) -> AsyncIterator[Engine]:
    """An engine behind the proxy that holds `m1` and has a connection."""
    async with opened(project, pause=asyncio.sleep) as engine:
        await add(engine.store, a_memory("m1"))
        yield engine


@pytest.fixture
async def hasty(proxy: Proxy, project: str) -> AsyncIterator[Engine]:
    """The same with little time."""
    async with opened(project, deadline=DEADLINE, pause=asyncio.sleep) as engine:
        await add(engine.store, a_memory("m1"))
        yield engine


async def known(engine: Engine, memory_id: str) -> Memory | None:
    return await engine.store.get(TENANT, memory_id)


async def test_a_connection_that_is_cut_between_calls_is_made_anew(
    engine: Engine, proxy: Proxy
) -> None:
    for _ in range(5):
        proxy.cut()
        assert await known(engine, "m1") == a_memory("m1")


async def test_calls_whose_connection_is_cut_in_the_middle_are_made_anew(
    engine: Engine, proxy: Proxy, project: str
) -> None:
    writes = [asyncio.ensure_future(add(engine.store, a_memory(f"n{n}"))) for n in range(20)]
    for _ in range(3):
        await asyncio.sleep(0)
        proxy.cut()
    assert await asyncio.gather(*writes) == [a_memory(f"n{n}") for n in range(20)]
    assert len(await held(project)) == 21 * 3


async def test_a_store_that_refuses_connections_is_found_again(hasty: Engine, proxy: Proxy) -> None:
    proxy.fail(Mode.REFUSING)
    for _ in range(3):
        with pytest.raises(Unavailable):
            await known(hasty, "m1")
    proxy.heal()
    assert await known(hasty, "m1") == a_memory("m1")


async def test_a_connection_that_died_in_silence_holds_up_one_call_only(
    hasty: Engine, proxy: Proxy
) -> None:
    proxy.fail(Mode.SILENT)
    proxy.heal()
    with pytest.raises(Unavailable, match="it took too long"):
        await known(hasty, "m1")
    assert await known(hasty, "m1") == a_memory("m1")


async def test_of_many_calls_on_a_connection_that_died_in_silence_all_end(
    hasty: Engine, proxy: Proxy
) -> None:
    proxy.fail(Mode.SILENT)
    outcomes = await asyncio.gather(
        *(known(hasty, "m1") for _ in range(20)), return_exceptions=True
    )
    assert [type(outcome) for outcome in outcomes] == [Unavailable] * 20
    proxy.heal()
    before = proxy.accepted
    assert await asyncio.gather(*(known(hasty, "m1") for _ in range(20))) == [a_memory("m1")] * 20
    assert proxy.accepted - before <= 2


async def test_what_does_not_speak_the_protocol_is_no_store(
    hasty: Engine, proxy: Proxy, project: str
) -> None:
    proxy.fail(Mode.GARBLED)
    with pytest.raises(Unavailable):
        await add(hasty.store, a_memory("m2"))
    proxy.heal()
    assert await known(hasty, "m1") == a_memory("m1")
    assert await add(hasty.store, a_memory("m2")) == a_memory("m2")
    assert len(await held(project)) == 2 * 3


CREDENTIALS = {
    "type": "authorized_user",
    "client_id": "a",
    "client_secret": "b",
    "refresh_token": "c",
}
UNUSABLE = {
    "missing": "there are no Google credentials; run gcloud auth application-default login",
    "of no project": "the Google credentials name no project; set GOOGLE_CLOUD_PROJECT",
}


@pytest.fixture
def credentials(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where credentials are looked for, and nowhere else."""
    given = tmp_path / "credentials.json"
    for name in (HOST, "GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(given))
    monkeypatch.setenv("NO_GCE_CHECK", "true")
    # Else gcloud, where it is installed, would be asked for its project.
    monkeypatch.setenv("PATH", str(tmp_path))
    return given


@pytest.mark.parametrize("what", UNUSABLE)
async def test_credentials_that_do_not_do_are_named_with_their_remedy(
    credentials: Path, what: str
) -> None:
    if what == "of no project":
        credentials.write_text(json.dumps(CREDENTIALS))
    async with opened(None) as engine:
        with pytest.raises(StoreUnusable) as raised:
            await engine.open()
    assert UNUSABLE[what] in raised.value.sentence


async def test_without_an_emulator_the_client_is_for_google(credentials: Path) -> None:
    credentials.write_text(json.dumps(CREDENTIALS))
    transport = new_client("project", DEFAULT_DATABASE)._firestore_api.transport
    assert transport.host == "firestore.googleapis.com:443"
    await transport.close()
