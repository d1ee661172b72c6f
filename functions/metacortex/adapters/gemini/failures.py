"""What goes wrong with Gemini: a sentence for whoever can act, and whether to try again.

Nothing of a request or an answer gets into a sentence: both may quote texts, and a header the key.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

from metacortex.adapters.gemini.client import Access, Misconfigured

if TYPE_CHECKING:
    from google.genai.errors import APIError

PASSING = frozenset({408, 429, 500, 502, 503, 504})
"""Statuses that another attempt may get over."""


@dataclass(frozen=True, slots=True)
class Purpose:
    """What Gemini is asked for, as its failures tell it."""

    model: str
    """The setting that names the model."""
    refused: str
    """What it means where the request itself is refused."""
    outcome: str = ""
    """What has not happened, at the end of the sentence."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A fault that completes "Gemini …".

    `passes`: another attempt may go well, after `pause` seconds if that is not 0. `ill`: it tells
    of Gemini's health rather than of this request or the settings.
    """

    fault: str
    passes: bool = False
    pause: float = 0.0
    ill: bool = False


LATE = Failure("did not answer in time; try again later", ill=True)


def recognised() -> tuple[type[Exception], ...]:
    """Return what the library raises where Gemini does not answer as it should."""
    import httpx2
    from google.auth.exceptions import GoogleAuthError
    from google.genai.errors import APIError

    # The last ones are what the library makes of answers that are no JSON, or of another form.
    return (
        Misconfigured,
        APIError,
        GoogleAuthError,
        httpx2.HTTPError,
        httpx2.InvalidURL,
        ValueError,
        TypeError,
        LookupError,
        AttributeError,
        ArithmeticError,
        RecursionError,
    )


def failure_of(error: Exception, access: Access, purpose: Purpose) -> Failure:
    """Return what one of the `recognised` exceptions means."""
    import httpx2
    from google.auth.exceptions import GoogleAuthError, TransportError
    from google.genai.errors import APIError

    match error:
        case Misconfigured():
            return Failure(str(error))
        case APIError():
            return _answered(error, access, purpose)
        case httpx2.ReadError() | httpx2.WriteError() | httpx2.RemoteProtocolError():
            return Failure("broke off its answer; try again later", passes=True, ill=True)
        case httpx2.HTTPError() | httpx2.InvalidURL():
            return Failure(_unreachable(access), passes=True, ill=True)
        case TransportError():
            return Failure(
                "cannot be asked, for the server of credentials did not answer; try again later",
                passes=True,
                ill=True,
            )
        case GoogleAuthError():
            return Failure(
                "cannot be asked without credentials: run on Google Cloud or after `gcloud auth"
                " application-default login`, or set GEMINI_BACKEND to api"
            )
    return Failure("answered with something else; check GEMINI_URL", ill=True)


def _unreachable(access: Access) -> str:
    if access.url is not None:
        return "cannot be reached; check GEMINI_URL"
    if access.vertex:
        return "cannot be reached; check the network and GEMINI_LOCATION"
    return "cannot be reached; check the network, or set GEMINI_URL to where it is reached"


def _answered(error: "APIError", access: Access, purpose: Purpose) -> Failure:
    status = error.code
    details = [*_details(error.details)]
    pause = max(_retry_after(error), *map(_retry_delay, details), 0.0)
    if status == 429:
        when = f"in {ceil(pause)} seconds" if pause else "later"
        fault = f"asks for fewer calls; try again {when}, or raise the quota of the project"
    elif status == 401 or status == 403 or "API_KEY_INVALID" in map(_reason, details):
        fault = _refused_identity(access)
    elif status == 400 and error.status == "FAILED_PRECONDITION":
        fault = "does not serve this project from here; check its billing, or set GEMINI_BACKEND"
    elif status == 400:
        fault = purpose.refused
    elif status == 404:
        also = " and GEMINI_LOCATION" if access.vertex else ""
        fault = f"has no such model; check {purpose.model}{also}"
    elif status in PASSING:
        fault = f"failed with status {status}; try again later"
    else:
        fault = f"answered with status {status}; check GEMINI_URL"
    return Failure(fault, status in PASSING, pause, ill=status in PASSING)


def _refused_identity(access: Access) -> str:
    if access.vertex:
        return (
            "refused the identity that the program runs as; give it the role Vertex AI User"
            " (roles/aiplatform.user) in GOOGLE_CLOUD_PROJECT, and enable the Vertex AI API there"
        )
    return "refused the key; check GEMINI_API_KEY, and that it may use the Gemini API"


def _details(body: object) -> Iterator[dict[object, object]]:
    """Yield the messages of `google.rpc` in the body of an error, which may be anything."""
    error = body.get("error") if isinstance(body, dict) else None
    details = error.get("details") if isinstance(error, dict) else None
    for each in details if isinstance(details, list) else []:
        if isinstance(each, dict):
            yield each


def _reason(detail: dict[object, object]) -> object:
    reason = detail.get("reason")
    return reason if isinstance(reason, str) else ""


def _retry_delay(detail: dict[object, object]) -> float:
    """Return the seconds of a RetryInfo such as `{"retryDelay": "3.5s"}`, else 0."""
    delay = detail.get("retryDelay")
    return _seconds(delay.removesuffix("s")) if isinstance(delay, str) else 0.0


def _retry_after(error: "APIError") -> float:
    # A date is read as if there were none: the other end's clock is not ours.
    headers = getattr(error.response, "headers", {})
    return _seconds(str(headers.get("Retry-After", "")))


def _seconds(text: str) -> float:
    digits = text.replace(".", "", 1)
    return float(text) if digits.isascii() and digits.isdecimal() else 0.0
