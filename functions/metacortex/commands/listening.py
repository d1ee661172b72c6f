"""Where the server listens: read from the settings, and taken before anything is loaded."""

import errno
import http.client
import json
import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass

from metacortex.domain.errors import ConfigurationError

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8080
BACKLOG = 2_048
_PATIENCE = 0.5
"""Seconds that whoever holds a port may take to say what it is."""
_HEALTH_BYTES = 1_000
_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}


@dataclass(frozen=True, slots=True)
class Address:
    """A host name or address, and a port; port 0 lets the system choose."""

    host: str
    port: int

    @property
    def url(self) -> str:
        """The address as a browser on this machine takes it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{_EVERYWHERE.get(self.host, host)}:{self.port}"


def address(env: Mapping[str, str], host: str | None, port: int | None) -> Address:
    """Return the address of the options, else of HOST and PORT, else the default.

    Raises:
        ConfigurationError: PORT is no port.
    """
    text = env.get("PORT", "").strip()
    if port is None and text:
        if not (text.isascii() and text.isdigit() and int(text[:6]) <= 65_535):
            raise ConfigurationError(["PORT must be a whole number from 0 to 65535"])
        port = int(text)
    return Address(
        host or env.get("HOST", "").strip() or DEFAULT_HOST, DEFAULT_PORT if port is None else port
    )


def listen(wanted: Address) -> socket.socket:
    """Return a socket that listens; who connects before the server is ready waits.

    Raises:
        ConfigurationError: the address cannot be listened on.
    """
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(
            wanted.host, wanted.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (OSError, UnicodeError) as error:
        raise ConfigurationError(
            [f"HOST '{wanted.host}' is no address; set HOST to one such as 127.0.0.1"]
        ) from error
    listener = socket.socket(family, kind, protocol)
    try:
        # Otherwise a restart would have to wait until the last run's connections are forgotten.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(place)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise ConfigurationError([_refused(wanted, error)]) from error
    return listener


def free(wanted: Address) -> Address:
    """Return an address that another program can listen on from now on, with its port chosen.

    Raises:
        ConfigurationError: the address cannot be listened on.
    """
    with listen(wanted) as listener:
        return Address(wanted.host, listener.getsockname()[1])


def _refused(wanted: Address, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        if _is_ours(wanted):
            return (
                f"A MetaCortex server runs already at {wanted.url}; use that one, stop it, or set"
                " PORT to another port"
            )
        return (
            f"Port {wanted.port} of {wanted.host} is in use by another program; stop that one,"
            " or set PORT to another port"
        )
    if error.errno == errno.EACCES:
        return f"Port {wanted.port} is not open to this user; set PORT to one from 1024 on"
    if error.errno == errno.EADDRNOTAVAIL:
        return (
            f"HOST '{wanted.host}' is no address of this machine; set HOST to one such as 127.0.0.1"
        )
    reason = os.strerror(error.errno) if error.errno else type(error).__name__
    return f"{wanted.host} port {wanted.port} cannot be listened on ({reason}); set HOST and PORT"


def _is_ours(place: Address) -> bool:
    """Whether a server of this program answers at an address."""
    asked = http.client.HTTPConnection(place.url.removeprefix("http://"), timeout=_PATIENCE)
    try:
        asked.request("GET", "/healthz")
        health = json.loads(asked.getresponse().read(_HEALTH_BYTES))
    except (OSError, http.client.HTTPException, ValueError):
        return False
    finally:
        asked.close()
    return isinstance(health, dict) and health.get("service") == "metacortex"
