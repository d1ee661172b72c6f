"""Tokens that carry a small payload through a caller's hands and back: cursors, confirmations.

A token is a MAC under a key of its own for each purpose, tenant and client, then the payload as
JSON, all as URL-safe text. It cannot be made up, changed or used by another; what it holds is
sealed, not hidden: whoever has it can read it.
"""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from hmac import compare_digest, digest

from metacortex.domain.client import Principal
from metacortex.domain.errors import InvalidInput
from metacortex.domain.json import JSON
from metacortex.domain.moment import Milliseconds

SECRET_SIZE = 32
"""Bytes of a store's secret, from which all keys are derived."""

_HASH = "sha256"
_MAC_SIZE = 32
_VERSION = "metacortex sealed 1"


@dataclass(frozen=True, slots=True)
class Purpose:
    """What tokens are for. No token of one purpose is good for another."""

    tool: str
    """The tool that gives and takes them."""
    argument: str
    lifetime: Milliseconds
    remedy: str
    """How a caller gets a good one, as the end of a sentence."""


def seal(
    secret: bytes,
    purpose: Purpose,
    principal: Principal,
    payload: Mapping[str, JSON],
    now: Milliseconds,
) -> str:
    """Return a token that this principal may bring back until its purpose's lifetime is over."""
    body = json.dumps([now + purpose.lifetime, payload], separators=(",", ":")).encode()
    return _as_text(_mac(secret, purpose, principal, body) + body)


def opened(
    secret: bytes, purpose: Purpose, principal: Principal, token: str, now: Milliseconds
) -> Mapping[str, JSON]:
    """Return the payload of a token.

    Raises:
        InvalidInput: it was not given to this principal for this purpose, is altered, or expired.
    """
    sealed = _as_bytes(token)
    mac, body = sealed[:_MAC_SIZE], sealed[_MAC_SIZE:]
    if not compare_digest(mac, _mac(secret, purpose, principal, body)):
        raise InvalidInput(
            f"{purpose.argument} is not one that {purpose.tool} gave to this client;"
            f" {purpose.remedy}"
        )
    expires_at: Milliseconds
    payload: Mapping[str, JSON]
    expires_at, payload = json.loads(body)
    if expires_at <= now:
        raise InvalidInput(f"{purpose.argument} has expired; {purpose.remedy}")
    return payload


def _mac(secret: bytes, purpose: Purpose, principal: Principal, body: bytes) -> bytes:
    # The secret is uniformly random, so one HMAC derives a key from it (RFC 5869, section 3.3);
    # JSON keeps the borders between the names.
    names = (_VERSION, purpose.tool, purpose.argument, principal.tenant, principal.client_id)
    return digest(digest(secret, json.dumps(names).encode(), _HASH), body, _HASH)


def _as_text(sealed: bytes) -> str:
    return urlsafe_b64encode(sealed).rstrip(b"=").decode()


def _as_bytes(token: str) -> bytes:
    """Return what a text stands for, or nothing if `_as_text` would not have written it so."""
    try:
        sealed = urlsafe_b64decode(token + "=" * (-len(token) % 4))
    except ValueError:
        return b""
    return sealed if _as_text(sealed) == token else b""
