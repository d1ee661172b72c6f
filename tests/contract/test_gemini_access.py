"""Whom Gemini's client asks, and as whom: our settings decide, whatever the environment says."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from metacortex.adapters.gemini.client import Access
from metacortex.adapters.gemini.connection import GeminiConnection
from metacortex.adapters.gemini.embeddings import GeminiEmbedder
from metacortex.domain.errors import Unavailable
from tests.embedding_endpoint import DIMENSION
from tests.gemini_connections import KEY, TOKEN, on_vertex, with_key
from tests.gemini_endpoint import GeminiEndpoint, serve_gemini
from tests.processes import ROOT, run_python

MODEL = "gemini-embedding-001"
ELSEWHERE = "http://127.0.0.1:9"
MISLEADING = {
    "GOOGLE_API_KEY": "a-key-of-the-environment",
    "GEMINI_API_KEY": "another-key-of-the-environment",
    "GOOGLE_GEMINI_BASE_URL": ELSEWHERE,
    "GOOGLE_VERTEX_BASE_URL": ELSEWHERE,
    "GOOGLE_CLOUD_PROJECT": "another-project",
    "GOOGLE_CLOUD_LOCATION": "another-location",
    "GOOGLE_GENAI_API_VERSION": "v9",
    "GOOGLE_GENAI_CLIENT_MODE": "replay",
    "GOOGLE_GENAI_REPLAYS_DIRECTORY": "/nowhere",
    "GOOGLE_GENAI_REPLAY_ID": "nothing",
}


@pytest.fixture
def endpoint() -> Iterator[GeminiEndpoint]:
    """An endpoint that answers right."""
    with serve_gemini() as served:
        yield served


@pytest.fixture(params=["true", "false"])
def misled(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment in which everything that the library reads leads elsewhere."""
    vertex = {
        "GOOGLE_GENAI_USE_VERTEXAI": request.param,
        "GOOGLE_GENAI_USE_ENTERPRISE": request.param,
    }
    for name, value in {**MISLEADING, **vertex}.items():
        monkeypatch.setenv(name, value)


async def embed(connection: GeminiConnection) -> None:
    """Ask for one vector."""
    embedder = GeminiEmbedder(connection, MODEL, DIMENSION)
    try:
        await embedder.embed_query("ferry")
    finally:
        await embedder.aclose()


@pytest.mark.usefixtures("misled")
async def test_a_key_of_ours_goes_to_the_gemini_api_whatever_the_environment_says(
    endpoint: GeminiEndpoint,
) -> None:
    await embed(with_key(endpoint.url))
    (asked,) = endpoint.asked
    assert asked.path == f"/v1beta/models/{MODEL}:batchEmbedContents"
    assert asked.headers["x-goog-api-key"] == KEY
    assert "authorization" not in asked.headers


@pytest.mark.usefixtures("misled")
async def test_vertex_is_asked_as_the_identity_whatever_keys_the_environment_holds(
    endpoint: GeminiEndpoint,
) -> None:
    await embed(on_vertex(endpoint.url))
    (asked,) = endpoint.asked
    assert asked.path.startswith("/v1beta1/projects/harbour/locations/europe-west4/")
    assert asked.headers["authorization"] == f"Bearer {TOKEN}"
    assert "x-goog-api-key" not in asked.headers


@pytest.mark.parametrize(
    ("location", "address"),
    [
        ("global", "https://aiplatform.googleapis.com/"),
        ("eu", "https://aiplatform.eu.rep.googleapis.com/"),
        ("europe-west4", "https://europe-west4-aiplatform.googleapis.com/"),
    ],
)
def test_each_location_of_vertex_has_its_address(location: str, address: str) -> None:
    assert Access(None, "harbour", location, None, None).address == address


def test_a_key_leads_to_the_gemini_api() -> None:
    access = Access(KEY, None, "global", None, None)
    assert (access.address, access.vertex) == ("https://generativelanguage.googleapis.com/", False)
    assert KEY not in repr(access)


async def test_the_project_may_come_from_the_credentials(
    endpoint: GeminiEndpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GOOGLE_CLOUD_PROJECT", raising=False)
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(_identity_file(tmp_path, endpoint)))
    await embed(GeminiConnection(url=endpoint.url))
    token, embedding = endpoint.asked
    assert token.path == "/token"
    assert embedding.path.startswith("/v1beta1/projects/quay/locations/global/")
    assert embedding.headers["authorization"] == "Bearer a-fresh-token"


def _identity_file(folder: Path, endpoint: GeminiEndpoint) -> Path:
    """Write the file of a service account of project `quay`, whose tokens come from `endpoint`."""
    key = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    identity = {
        "type": "service_account",
        "project_id": "quay",
        "private_key": pem.decode(),
        "client_email": "metacortex@quay.example",
        "token_uri": f"{endpoint.url}/token",
    }
    path = folder / "identity.json"
    path.write_text(json.dumps(identity), encoding="utf-8")
    return path


async def test_without_a_project_the_setting_is_named(endpoint: GeminiEndpoint) -> None:
    with pytest.raises(Unavailable) as caught:
        await embed(on_vertex(endpoint.url, project=None))
    assert caught.value.sentence == (
        "Gemini needs a project on Vertex AI; set GOOGLE_CLOUD_PROJECT"
    )


async def test_without_credentials_it_says_how_to_get_some(
    endpoint: GeminiEndpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "missing.json"))
    with pytest.raises(Unavailable) as caught:
        await embed(GeminiConnection(project="harbour", url=endpoint.url))
    assert "gcloud auth application-default login" in caught.value.sentence
    assert "GEMINI_BACKEND" in caught.value.sentence
    assert str(tmp_path) not in caught.value.sentence


def test_making_the_adapters_loads_no_library_of_google(tmp_path: Path) -> None:
    program = """
import sys
from metacortex.adapters.gemini.connection import GeminiConnection
from metacortex.adapters.gemini.describer import GeminiDescriber
from metacortex.adapters.gemini.embeddings import GeminiEmbedder
from metacortex.adapters.gemini.judge import GeminiJudge
GeminiEmbedder(GeminiConnection(api_key="k"), "gemini-embedding-001", 768).space
GeminiDescriber(GeminiConnection(project="p"), "gemini-3.5-flash-lite")
GeminiJudge(GeminiConnection(project="p"), "gemini-3.5-flash-lite")
loaded = {name for name, module in sys.modules.items() if getattr(module, "__file__", None)}
print(sorted(name for name in loaded if name.split(".")[0] in ("google", "httpx2", "pydantic")))
"""
    assert run_python(tmp_path, program, PYTHONPATH=str(ROOT / "functions")).strip() == "[]"
