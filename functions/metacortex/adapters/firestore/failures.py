"""The errors of Firestore's client library, translated into the product's in this one place."""

from collections.abc import Sequence

from google.api_core import exceptions
from google.auth.exceptions import DefaultCredentialsError, GoogleAuthError

from metacortex.domain.errors import MetaCortexError, StoreUnusable, Unavailable

PASSING = (
    exceptions.Aborted,
    exceptions.DeadlineExceeded,
    exceptions.InternalServerError,
    exceptions.ResourceExhausted,
    exceptions.ServiceUnavailable,
    exceptions.Unknown,
)
"""What another attempt may get over."""

NOT_YET_APPLIED = (exceptions.Aborted, exceptions.ResourceExhausted)
"""Those of them that tell that a commit has not been applied."""

UNKNOWN_OUTCOME = "; it may have been saved, whole or not at all; try again: nothing is saved twice"
CONTENDED = (
    "The memory store did not answer: others kept changing the same memory; nothing was saved;"
    " try again"
)

TAKEN = (exceptions.AlreadyExists, exceptions.FailedPrecondition, exceptions.NotFound)
"""What a commit fails with where what was read before it has changed."""
TRIES = 10
"""How often work that was taken is done anew on what is there now."""
TRIES_ON_A_TIMELINE = 50
"""How often it is where others take turns: those who write to one timeline or forget of it, each of
whom may come before it.
"""

REFUSALS = (
    exceptions.Aborted,
    exceptions.FailedPrecondition,
    exceptions.InvalidArgument,
    exceptions.NotFound,
    exceptions.PermissionDenied,
    exceptions.ResourceExhausted,
    exceptions.Unauthenticated,
    GoogleAuthError,
)
"""What tells that a commit was not applied. Of anything else it cannot be known."""

_REASONS: tuple[tuple[type[exceptions.GoogleAPIError], str], ...] = (
    (exceptions.Aborted, "others kept changing the same memory; try again"),
    (exceptions.DeadlineExceeded, "it took too long"),
    (exceptions.ResourceExhausted, "its quota is used up; look at the quotas of the project"),
    (exceptions.ServiceUnavailable, "it cannot be reached"),
    (exceptions.Unauthenticated, "it does not know the identity that the program runs under"),
    (
        exceptions.PermissionDenied,
        "it refused the identity that the program runs under; grant it roles/datastore.user",
    ),
    (
        exceptions.FailedPrecondition,
        "it lacks an index, or is not in native mode; run scripts/preflight",
    ),
    (exceptions.NotFound, "the database is not there; check FIRESTORE_DATABASE and the project"),
    (exceptions.InvalidArgument, "it refused the request"),
    (exceptions.InternalServerError, "it failed"),
)


def unanswered(failed: Sequence[Exception], *, writing: bool) -> MetaCortexError:
    """Return what a caller is told of the errors that all attempts at one call ran into."""
    last = failed[-1]
    if isinstance(last, DefaultCredentialsError):
        return StoreUnusable(
            "Firestore cannot be used: there are no Google credentials; run gcloud auth"
            " application-default login, or set GOOGLE_APPLICATION_CREDENTIALS to a file of them,"
            " or FIRESTORE_EMULATOR_HOST to an emulator"
        )
    outcome = ""
    if writing:
        refused = all(isinstance(error, REFUSALS) for error in failed)
        outcome = "; nothing was saved" if refused else UNKNOWN_OUTCOME
    return Unavailable(f"The memory store did not answer: {_reason(last)}{outcome}")


def _reason(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "it took too long"
    if isinstance(error, GoogleAuthError):
        return "Google refused the identity that the program runs under"
    return next((reason for kind, reason in _REASONS if isinstance(error, kind)), "it failed")
