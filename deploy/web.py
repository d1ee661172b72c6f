"""Requests over HTTPS: to Google where gcloud has no command, and to the function itself."""

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from deploy.findings import Tell
from deploy.running import Refused
from metacortex.adapters.gemini.client import vertex_host

TIMEOUT_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where Google's services are; Vertex AI has many hosts."""

    rules: str = "https://firebaserules.googleapis.com/v1"
    firestore: str = "https://firestore.googleapis.com/v1"
    gemini: str = "https://generativelanguage.googleapis.com/v1beta"
    vertex: str = "https://{host}/v1"

    def vertex_at(self, location: str) -> str:
        """Return where Vertex AI is for a location."""
        return self.vertex.format(host=vertex_host(location))


GOOGLE = Addresses()


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back. No header or body is ever shown, for they may hold what is secret."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)

    def json(self) -> Any:
        """Return the body as JSON.

        Raises:
            Refused: it is none.
        """
        try:
            return json.loads(self.body)
        except ValueError as error:
            raise Refused("The answer is not JSON") from error


class Web:
    """Sends requests. A dry run shows each, and sends none that changes anything."""

    def __init__(self, tell: Tell, *, dry: bool = False) -> None:
        self._tell = tell
        self.dry = dry

    def read(
        self, url: str, headers: Mapping[str, str], *, method: str = "GET", body: Any = None
    ) -> Answer:
        """Send what changes nothing.

        Raises:
            Refused: no server answered.
        """
        if self.dry:
            self._tell(f"$ {method} {url}")
        return _send(method, url, headers, body)

    def change(self, method: str, url: str, headers: Mapping[str, str], body: Any) -> Answer | None:
        """Send what changes something; None in a dry run.

        Raises:
            Refused: no server answered.
        """
        if self.dry:
            self._tell(f"would send: {method} {url}")
            return None
        return _send(method, url, headers, body)


def _send(method: str, url: str, headers: Mapping[str, str], body: Any) -> Answer:
    content = None if body is None else json.dumps(body).encode()
    typed = {"Content-Type": "application/json"} if content is not None else {}
    try:
        request = urllib.request.Request(url, content, {**headers, **typed}, method=method)
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:
            return Answer(answer.status, dict(answer.headers), answer.read())
    except urllib.error.HTTPError as error:
        # The statuses that urllib takes for errors are answers here.
        with error:
            return Answer(error.code, dict(error.headers), error.read())
    except (http.client.HTTPException, ValueError, OSError) as error:
        host = urlsplit(url).netloc
        raise Refused(f"{host} did not answer ({type(error).__name__})") from error
