"""Connections to Gemini on loopback: with a key, and as an identity on Vertex AI."""

from dataclasses import dataclass, field
from typing import Any

import pytest
from google.oauth2.credentials import Credentials

from metacortex.adapters.gemini.connection import GeminiConnection

KEY = "a-key-that-is-secret"
TOKEN = "a-token-that-is-secret"
TEXT = "a text that is private"
SECRETS = (KEY, TOKEN, TEXT)
WRITER = "gemini-3.5-flash-lite"
"""A model that writes."""


@dataclass
class Pauses:
    """Waits for nothing, notes for how long it would have, and tells the time as if it had."""

    seconds: list[float] = field(default_factory=list)
    passed: float = 0.0

    async def __call__(self, seconds: float) -> None:
        """Note a pause."""
        self.seconds.append(seconds)
        self.passed += seconds

    def now(self) -> float:
        """Return how many seconds have passed."""
        return self.passed


def with_key(url: str, **how: Any) -> GeminiConnection:
    """Return a connection to the Gemini API."""
    return GeminiConnection(api_key=KEY, url=url, **how)


def on_vertex(url: str, **how: Any) -> GeminiConnection:
    """Return a connection to Vertex AI."""
    # Untyped in the library.
    identity = Credentials(token=TOKEN)  # type: ignore[no-untyped-call]
    given = {"project": "harbour", "location": "europe-west4", "credentials": identity, **how}
    return GeminiConnection(url=url, **given)


both_ways = pytest.mark.parametrize(
    ("connection", "path"),
    [
        (with_key, f"/v1beta/models/{WRITER}:generateContent"),
        (
            on_vertex,
            "/v1beta1/projects/harbour/locations/europe-west4/publishers/google"
            f"/models/{WRITER}:generateContent",
        ),
    ],
)
"""Once with a key and once on Vertex AI, and where `WRITER` is asked to write there."""
