"""What firestore.rules keep from clients of Firestore itself, asked of the emulator over REST."""

from collections.abc import Iterator

import httpx
import pytest

from tests.firestore_emulator import running_emulator
from tests.processes import ROOT

pytestmark = pytest.mark.e2e

DATABASE = "projects/demo-rules/databases/(default)"
OWNER = {"Authorization": "Bearer owner"}
"""What the emulator takes for a service account, which no rule holds for."""
PLACES = (
    "tenants/acme",
    *(
        f"tenants/acme/{collection}/one"
        for collection in ("memory_vectors", "memory_events", "memory_changes", "memory_use")
    ),
    "clients/desk",
)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A database under our rules, with a document in each place."""
    folder = tmp_path_factory.mktemp("rules")
    with (
        running_emulator(folder, "--rules", str(ROOT / "firestore.rules")) as host,
        httpx.Client(base_url=f"http://{host}/v1/{DATABASE}", trust_env=False) as client,
    ):
        for place in PLACES:
            client.patch(f"/documents/{place}", json={}, headers=OWNER).raise_for_status()
        yield client


def refused(answer: httpx.Response) -> bool:
    """Whether the rules have refused a request."""
    return answer.status_code == 403 and answer.json()["error"]["status"] == "PERMISSION_DENIED"


@pytest.mark.parametrize("place", PLACES)
def test_a_client_reads_and_writes_nothing(database: httpx.Client, place: str) -> None:
    collection, _, _ = place.rpartition("/")
    update = {"update": {"name": f"{DATABASE}/documents/{place}", "fields": {}}}
    delete = {"delete": f"{DATABASE}/documents/{place}"}
    query = {"structuredQuery": {"from": [{"collectionId": "memory_vectors"}]}}
    assert refused(database.get(f"/documents/{place}"))
    assert refused(database.get(f"/documents/{collection}"))
    assert refused(database.post(f"/documents/{collection}", params={"documentId": "two"}, json={}))
    assert refused(database.patch(f"/documents/{place}", json={}))
    assert refused(database.delete(f"/documents/{place}"))
    assert refused(database.post(f"/documents/{place}:runQuery", json=query))
    for write in (update, delete):
        assert refused(database.post("/documents:commit", json={"writes": [write]}))


@pytest.mark.parametrize("place", PLACES)
def test_the_server_reads_and_writes(database: httpx.Client, place: str) -> None:
    update = {"update": {"name": f"{DATABASE}/documents/{place}", "fields": {}}}
    assert database.get(f"/documents/{place}", headers=OWNER).status_code == 200
    commit = database.post("/documents:commit", json={"writes": [update]}, headers=OWNER)
    assert commit.status_code == 200
