"""The errors that MetaCortex raises on purpose, divided first by who can act.

    MetaCortexError
    ├── CallerError             the caller can mend the request
    │   ├── InvalidInput        an argument is missing, unknown or wrong, or two exclude each other
    │   ├── Forbidden           the profile may not do this with a memory that it may reach
    │   ├── NotFound            unknown id, another tenant's or namespace's: one answer for all
    │   ├── Conflict            the stored state contradicts the request
    │   └── TooLarge            one argument passes its own limit
    ├── Unavailable             a model or the store did not answer, or is not configured
    └── OperatorError           nothing can be served before the operator acts
        ├── ConfigurationError  settings are missing or contradict each other
        └── StoreUnusable       the store's file or disk cannot be used as it is

Every message is one sentence for its reader, says what to do, and never quotes content, an image, a
query or a token.
"""

from collections.abc import Sequence


class MetaCortexError(Exception):
    """The root of all errors that are raised on purpose."""

    @property
    def sentence(self) -> str:
        """The message, safe to show to whoever can act."""
        return str(self.args[0])


class CallerError(MetaCortexError):
    """The caller can act."""


class InvalidInput(CallerError):
    """An argument is missing, unknown, of a wrong type or value, or two exclude each other."""


class Forbidden(CallerError):
    """The profile may not do this with a memory that it may otherwise reach."""


class NotFound(CallerError):
    """There is no such memory for this caller."""


class Conflict(CallerError):
    """The stored state contradicts the request."""


class TooLarge(CallerError):
    """One argument passes its own limit."""


class Unavailable(MetaCortexError):
    """A model or the store did not answer, or is not configured."""


class OperatorError(MetaCortexError):
    """Nothing can be served before the operator acts."""


class ConfigurationError(OperatorError):
    """The settings are missing, malformed or contradict each other.

    `problems` holds one sentence for each.
    """

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = tuple(problems)


class StoreUnusable(OperatorError):
    """The store's file, folder or disk cannot be used as it is."""
