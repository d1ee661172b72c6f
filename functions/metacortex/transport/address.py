"""The addresses that the server states about itself: where it is reached, and where a memory can be
read.
"""

import re
from contextvars import ContextVar
from urllib.parse import quote

from starlette.types import Scope

from metacortex.domain.client import ADMIN_ID

_HOST = re.compile(r"[A-Za-z0-9._:\[\]-]{1,255}")

present: ContextVar[str] = ContextVar("address", default="")
"""Where the caller that this task serves reaches the server, without a slash at its end; blank
where nobody knows.
"""


def asked_at(scope: Scope, prefix: str) -> str:
    """Return the address that a request itself names, or a blank one if it names none that can be
    repeated. `prefix` is the part of its path that routing leaves out.
    """
    hosts = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
    if len(hosts) != 1 or not _HOST.fullmatch(hosts[0]):
        return ""
    return f"{_scheme(scope)}://{hosts[0]}{prefix}"


def of_memory(client_id: str, memory_id: str) -> str:
    """Return where a memory can be read as a page, by whoever holds the token of this client. The
    address holds none; it begins with a slash where the server's own is not known.
    """
    endpoint = "" if client_id == ADMIN_ID else f"/clients/{quote(client_id, safe='')}"
    return f"{present.get()}{endpoint}/memories/{quote(memory_id, safe='')}"


def _scheme(scope: Scope) -> str:
    """Return the scheme that the caller used: what ends TLS in front of the server names it. Who
    makes it up misleads nobody but itself.
    """
    forwarded = [value for name, value in scope["headers"] if name == b"x-forwarded-proto"]
    told_https = any(value.split(b",")[0].strip().lower() == b"https" for value in forwarded)
    return "https" if told_https else str(scope["scheme"])
