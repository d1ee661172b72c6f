"""A program on Firestore behind a relay that counts, and the endpoints of its clients."""

from collections.abc import AsyncIterator

import pytest
from google.cloud.firestore_v1.async_client import AsyncClient

from bench.firestore_relay import Relay
from metacortex.engine_settings import DEFAULT_DATABASE
from tests.endpoint import Endpoint
from tests.firestore_engines import a_project, opened
from tests.world import MakeWorld, World


@pytest.fixture
def project() -> str:
    return a_project()


@pytest.fixture
async def world(make_world: MakeWorld, relay: Relay, project: str) -> AsyncIterator[World]:
    async with opened(project) as engine:
        yield make_world(engine=engine)


@pytest.fixture
def admin(world: World) -> Endpoint:
    """The admin's endpoint, which searches the whole tenant."""
    return world.endpoint()


@pytest.fixture
def archivist(world: World) -> Endpoint:
    """The endpoint of a client to whom no resemblance is told: it sees what is deprecated alone."""
    return world.endpoint("archivist")


@pytest.fixture
async def client(relay: Relay, project: str) -> AsyncIterator[AsyncClient]:
    client = AsyncClient(project=project, database=DEFAULT_DATABASE)
    yield client
    await client._firestore_api.transport.close()
