"""The token of a request, and whether it proves a profile (contract C13 to C19)."""

from urllib.parse import parse_qsl

from starlette.types import Scope

from metacortex.domain.client import ClientProfile

CHALLENGE = 'Bearer realm="metacortex"'


def proves(profile: ClientProfile, scope: Scope, *, may_come_in_url: bool) -> bool:
    """Whether the request carries the token of `profile`."""
    headers = [value for name, value in scope["headers"] if name == b"authorization"]
    if headers:
        # Only the header counts where there is one: a wrong one is not rescued by a right URL.
        token = _bearer(headers[0]) if len(headers) == 1 else b""
    else:
        token = _from_url(scope["query_string"]) if may_come_in_url else b""
    return bool(token) and profile.credential.is_proved_by(token)


def _bearer(header: bytes) -> bytes:
    scheme, _, token = header.strip().partition(b" ")
    return token.strip() if scheme.lower() == b"bearer" else b""


def _from_url(query: bytes) -> bytes:
    # Latin-1 gives every byte back as it came, so that odd bytes are a wrong token and no failure.
    pairs = parse_qsl(query.decode("latin-1"), keep_blank_values=True, encoding="latin-1")
    tokens = [value.encode("latin-1") for name, value in pairs if name == "auth_token"]
    return tokens[0].strip() if len(tokens) == 1 else b""
