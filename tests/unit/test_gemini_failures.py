"""What is said of faults of the network and of credentials, which no loopback server can make."""

from collections.abc import Callable

import httpx2
import pytest
from google.auth.exceptions import GoogleAuthError, RefreshError, TransportError

from metacortex.adapters.gemini.client import Access
from metacortex.adapters.gemini.failures import Failure, Purpose, failure_of

PURPOSE = Purpose("GEMINI_EMBEDDING_MODEL", "refused the request")
API = Access("a-key-that-is-secret", None, "global", None, None)
VERTEX = Access(None, "harbour", "europe-west4", None, None)
BEHIND_A_GATEWAY = Access(None, "harbour", "eu", "https://gateway.example", None)


def quoting(kind: Callable[[str], GoogleAuthError]) -> GoogleAuthError:
    """Return an error whose message must not be passed on."""
    return kind("quoted")


@pytest.mark.parametrize(
    ("access", "fault"),
    [
        (API, "cannot be reached; check the network, or set GEMINI_URL to where it is reached"),
        (VERTEX, "cannot be reached; check the network and GEMINI_LOCATION"),
        (BEHIND_A_GATEWAY, "cannot be reached; check GEMINI_URL"),
    ],
    ids=["api", "vertex", "gateway"],
)
def test_what_cannot_be_reached_names_the_setting_of_its_address(
    access: Access, fault: str
) -> None:
    error = httpx2.ConnectError("no such host as a-key-that-is-secret")
    assert failure_of(error, access, PURPOSE) == Failure(fault, passes=True, ill=True)


def test_a_server_of_credentials_that_does_not_answer_is_asked_again() -> None:
    failure = failure_of(quoting(TransportError), VERTEX, PURPOSE)
    assert (failure.passes, failure.ill) == (True, True)
    assert failure.fault.startswith("cannot be asked, for the server of credentials did not answer")


@pytest.mark.parametrize("kind", [RefreshError, GoogleAuthError])
def test_credentials_that_are_refused_are_not_tried_again(
    kind: Callable[[str], GoogleAuthError],
) -> None:
    failure = failure_of(quoting(kind), VERTEX, PURPOSE)
    assert (failure.passes, failure.ill) == (False, False)
    assert "GEMINI_BACKEND" in failure.fault
    assert "quoted" not in failure.fault
