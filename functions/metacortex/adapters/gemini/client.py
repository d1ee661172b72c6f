"""The client of google-genai, made so that our settings alone decide whom it asks and as whom.

That library reads addresses, keys, projects, versions and even the choice of the backend from the
environment where they are not given. So all of them are given here.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    import httpx2
    from google.auth.credentials import Credentials
    from google.genai import Client
    from google.genai.models import AsyncModels

API_URL = "https://generativelanguage.googleapis.com/"
SCOPE = "https://www.googleapis.com/auth/cloud-platform"
MULTI_REGIONS = ("us", "eu")


class Misconfigured(Exception):
    """Gemini cannot be asked with these settings; the argument completes "Gemini …"."""


@dataclass(frozen=True, slots=True)
class Access:
    """How Gemini is reached: the Gemini API where there is a key, else Vertex AI.

    `project` may be None where the credentials name one, and `credentials` where they are those of
    the machine. `url` replaces the address.
    """

    api_key: str | None = field(repr=False)
    project: str | None
    location: str
    url: str | None
    credentials: "Credentials | None" = field(repr=False)

    @property
    def vertex(self) -> bool:
        """Whether it is Vertex AI."""
        return self.api_key is None

    @property
    def address(self) -> str:
        """What every path is appended to."""
        if self.url is not None:
            return self.url
        return f"https://{vertex_host(self.location)}/" if self.vertex else API_URL


@dataclass(frozen=True, slots=True)
class Opened:
    """A client, and the connections under it."""

    client: "Client"
    connections: "httpx2.AsyncClient"

    @property
    def models(self) -> "AsyncModels":
        """What answers."""
        return self.client.aio.models

    async def aclose(self) -> None:
        """Close the connections."""
        await self.client.aio.aclose()
        self.client.close()
        await self.connections.aclose()


def vertex_host(location: str) -> str:
    """Return where Vertex AI is for a location: a region, a multi-region or the whole world."""
    if location == "global":
        return "aiplatform.googleapis.com"
    if location in MULTI_REGIONS:
        return f"aiplatform.{location}.rep.googleapis.com"
    return f"{location}-aiplatform.googleapis.com"


def open_client(access: Access) -> Opened:
    """Load the library, find the credentials and make a client. It takes a while and blocks.

    Raises:
        Misconfigured: the settings name no address or no project.
        google.auth.exceptions.GoogleAuthError: the machine has no credentials.
    """
    import httpx2
    from google.genai import Client
    from google.genai.client import DebugConfig
    from google.genai.types import HttpOptions

    _check_address(access.address)
    # A client of ours: the library's own follows redirects, and takes the key along; it takes
    # another HTTP library where one is installed; and it repeats some requests by itself.
    connections = httpx2.AsyncClient(follow_redirects=False, timeout=None)
    options = HttpOptions(
        base_url=access.address,
        api_version="v1beta1" if access.vertex else "v1beta",
        httpx_async_client=connections,
    )
    # Without it the environment may replace the client by one that replays recorded answers.
    live = DebugConfig(client_mode=None, replays_directory=None, replay_id=None)
    if not access.vertex:
        client = Client(
            vertexai=False, api_key=access.api_key, http_options=options, debug_config=live
        )
    else:
        credentials, project = _identity(access)
        client = Client(
            vertexai=True,
            credentials=credentials,
            project=project,
            location=access.location,
            http_options=options,
            debug_config=live,
        )
    return Opened(client, connections)


def _check_address(address: str) -> None:
    try:
        host = urlsplit(address).hostname
    except ValueError:
        host = None
    if not host:
        raise Misconfigured("cannot be reached; check GEMINI_URL")


def _identity(access: Access) -> "tuple[Credentials, str]":
    import google.auth

    credentials, project = access.credentials, access.project
    if credentials is None:
        credentials, found = google.auth.default(scopes=[SCOPE])
        project = project or found
    if project is None:
        raise Misconfigured("needs a project on Vertex AI; set GOOGLE_CLOUD_PROJECT")
    return credentials, project
