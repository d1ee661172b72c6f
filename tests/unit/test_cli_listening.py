"""Where the server listens, and what is said when it cannot."""

import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from metacortex.commands.listening import Address, address, listen
from metacortex.domain.errors import ConfigurationError


@pytest.fixture
def taken() -> Iterator[Address]:
    """An address that somebody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield Address(*listener.getsockname())


@pytest.mark.parametrize(
    ("env", "host", "port", "expected"),
    [
        ({}, None, None, Address("127.0.0.1", 8080)),
        ({"HOST": " ", "PORT": ""}, None, None, Address("127.0.0.1", 8080)),
        ({"HOST": "0.0.0.0", "PORT": "9000"}, None, None, Address("0.0.0.0", 9000)),
        ({"HOST": "0.0.0.0", "PORT": "9000"}, "::1", 0, Address("::1", 0)),
        ({"PORT": "nonsense"}, None, 80, Address("127.0.0.1", 80)),
    ],
)
def test_options_go_before_settings_and_those_before_the_default(
    env: dict[str, str], host: str | None, port: int | None, expected: Address
) -> None:
    assert address(env, host, port) == expected


@pytest.mark.parametrize("port", ["x", "-1", "65536", "8080.0", "99999999999", "８０"])  # noqa: RUF001
def test_a_port_that_is_none_names_its_setting(port: str) -> None:
    with pytest.raises(ConfigurationError, match="PORT must be a whole number"):
        address({"PORT": port}, None, None)


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:8080"),
        ("0.0.0.0", "http://127.0.0.1:8080"),
        ("::", "http://[::1]:8080"),
        ("::1", "http://[::1]:8080"),
        ("box.local", "http://box.local:8080"),
    ],
)
def test_an_address_is_told_as_this_machine_can_reach_it(host: str, url: str) -> None:
    assert Address(host, 8080).url == url


def test_a_listener_takes_connections_before_anything_is_served() -> None:
    with (
        listen(Address("127.0.0.1", 0)) as listener,
        socket.create_connection(listener.getsockname()) as caller,
    ):
        accepted, peer = listener.accept()
        accepted.close()
        assert peer == caller.getsockname()


def test_a_port_in_use_is_told_with_its_setting(taken: Address) -> None:
    with pytest.raises(ConfigurationError, match="is in use by another program; stop that one"):
        listen(taken)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b'{"ok":true,"service":"metacortex"}', "A MetaCortex server runs already at http://127"),
        (b'{"service":"other"}', "is in use by another program"),
        (b"[1]", "is in use by another program"),
        (b"\xff", "is in use by another program"),
    ],
)
def test_a_port_of_a_server_of_ours_is_told_as_such(body: bytes, told: str) -> None:
    class Health(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Log nothing."""

    with HTTPServer(("127.0.0.1", 0), Health) as server:
        answering = threading.Thread(target=server.handle_request)
        answering.start()
        with pytest.raises(ConfigurationError, match=told):
            listen(Address("127.0.0.1", server.server_port))
        answering.join()


@pytest.mark.parametrize("host", ["999.999.999.999", "no host", "a" * 70, "\udcff"])
def test_a_host_that_is_no_address_names_its_setting(host: str) -> None:
    with pytest.raises(ConfigurationError, match=r"HOST '.*' is no address; set HOST"):
        listen(Address(host, 0))


def test_an_address_of_another_machine_names_its_setting() -> None:
    with pytest.raises(ConfigurationError, match="no address of this machine; set HOST"):
        listen(Address("192.0.2.1", 0))
