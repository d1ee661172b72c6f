"""Client profiles, and the principal that one of them makes of a request."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, tzinfo
from enum import StrEnum
from hashlib import sha256
from hmac import compare_digest

from metacortex.domain.errors import InvalidInput
from metacortex.domain.lifecycle import BranchState

ADMIN_ID = "default"
"""The id of the admin's profile, which no client may have."""
DEFAULT_TENANT = "default"
DEFAULT_NAMESPACE = "default"
ALL_NAMESPACES = "*"
MAX_CLIENT_ID_LENGTH = 128
NAMESPACE_RULE = "must be 1 to 64 of A-Z a-z 0-9 . _ / -, not beginning with . / or __"

_NAMESPACE_FORM = re.compile(r"(?![./]|__)[A-Za-z0-9._/-]{1,64}")
_TENANT_FORM = re.compile(r"(?!\.|__)[A-Za-z0-9._-]{1,64}")


class SecretsPolicy(StrEnum):
    """What happens to what has the shape of a live secret in a text to remember."""

    REDACT = "redact"
    REFUSE = "refuse"
    KEEP = "keep"


@dataclass(frozen=True, slots=True)
class Principal:
    """The caller of one request: whose memory it works on, as which client, and what that client
    may do.
    """

    tenant: str
    client_id: str
    tools: frozenset[str]
    filter_states: tuple[BranchState, ...]
    write_states: frozenset[BranchState]
    default_filter_state: BranchState
    namespaces: tuple[str, ...] = (DEFAULT_NAMESPACE,)
    """What may be read; the first may be written to.

    `("*",)`: all may be read, `default` is written to.
    """
    secrets: SecretsPolicy = SecretsPolicy.REDACT
    may_replace: bool = False
    """Whether a write may name a memory that it supersedes."""
    zone: tzinfo = UTC
    """The zone that dates without one are read in."""

    @property
    def reads_all(self) -> bool:
        """Whether every namespace of the tenant may be read."""
        return self.namespaces == (ALL_NAMESPACES,)

    @property
    def readable_namespaces(self) -> tuple[str, ...] | None:
        """The namespaces that a search looks in; None: all of the tenant's."""
        return None if self.reads_all else self.namespaces

    @property
    def own_namespace(self) -> str:
        """The namespace that this principal writes to."""
        return DEFAULT_NAMESPACE if self.reads_all else self.namespaces[0]

    @property
    def sees_past(self) -> bool:
        """Whether what is over may be seen: other moments, history, what was superseded."""
        return BranchState.DEPRECATED in self.filter_states

    def may_read(self, namespace: str) -> bool:
        """Whether memories of this namespace exist for this principal."""
        return self.reads_all or namespace in self.namespaces

    def may_change(self, namespace: str) -> bool:
        """Whether memories of this namespace may be written and changed by this principal."""
        return self.reads_all or namespace == self.own_namespace


@dataclass(frozen=True, slots=True)
class Credential:
    """The digest of a secret that proves a client. The secret itself is not kept."""

    sha256: bytes

    @classmethod
    def of(cls, token: str) -> "Credential":
        """Return the credential that `token` proves."""
        return cls(sha256(token.encode("utf-8", "surrogateescape")).digest())

    def is_proved_by(self, token: bytes) -> bool:
        """Compare in constant time, on digests of equal length, so that neither content nor length
        can be timed.
        """
        return compare_digest(self.sha256, sha256(token).digest())


def is_provable(token: str) -> bool:
    """Whether some bytes prove this token: half a surrogate pair is no text in any encoding."""
    try:
        Credential.of(token)
    except UnicodeEncodeError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class ClientProfile:
    """A registered consumer, how it proves itself and what it may do."""

    principal: Principal
    credential: Credential
    origins: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The client's id, as it stands in its path."""
        return self.principal.client_id

    def admits(self, origin: str | None) -> bool:
        """Whether a request with this `Origin` header, or with none, may come in."""
        return origin is None or "*" in self.origins or origin in self.origins


def check_tenant(name: str) -> None:
    """Check that a tenant can have this name.

    Raises:
        InvalidInput: none can.
    """
    if not _TENANT_FORM.fullmatch(name):
        raise InvalidInput(
            "tenant must be 1 to 64 of A-Z a-z 0-9 . _ -, not beginning with . or __"
        )


def is_namespace(name: str) -> bool:
    """Whether a namespace can have this name."""
    return _NAMESPACE_FORM.fullmatch(name) is not None


def check_namespace(name: str | None) -> None:
    """Check that a namespace can have this name, where one is named.

    Raises:
        InvalidInput: none can.
    """
    if name is not None and not is_namespace(name):
        raise InvalidInput(f"namespace {NAMESPACE_RULE}")


def whole_tenant(
    client_id: str,
    tenant: str,
    preferred: BranchState,
    states: tuple[BranchState, ...] = tuple(BranchState),
    tools: tuple[str, ...] = (),
) -> Principal:
    """Return a principal that works on a whole tenant: the admin's, or the command line's."""
    return Principal(
        tenant=tenant,
        client_id=client_id,
        tools=frozenset(tools),
        filter_states=states,
        write_states=frozenset(BranchState),
        default_filter_state=default_filter_state(preferred, states),
        namespaces=(ALL_NAMESPACES,),
        may_replace=True,
    )


def default_filter_state(preferred: BranchState, allowed: Sequence[BranchState]) -> BranchState:
    """Return the state that a search uses where none is named: the preferred one if it may be seen
    (contract C115).
    """
    return preferred if preferred in allowed else allowed[0]
