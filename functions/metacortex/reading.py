"""Reads one setting at a time from a mapping such as the environment."""

import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from metacortex.problems import Problems

LARGEST = 999_999_999_999
"""No setting is larger; as seconds it is a span that a store can still reckon with."""
_HOST_AND_PORT = re.compile(r"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+):([0-9]{1,5})")
# It becomes a header.
_KEY_FORM = re.compile("[!-~]+")
LARGEST_PORT = 65_535
FLAGS = {"true": True, "false": False}


class Reader:
    """Reads settings by name; blank is absent, a wrong one becomes a problem and its default."""

    def __init__(self, env: Mapping[str, str], problems: Problems) -> None:
        self._env = env
        self.problems = problems

    def text(self, name: str) -> str | None:
        """Return the trimmed text of a setting."""
        return self._env.get(name, "").strip() or None

    def formed(self, name: str, form: re.Pattern[str], allowed: str) -> str | None:
        """Return a text that has a form; `allowed` says of one that has not what it must be."""
        text = self.text(name)
        if text is not None and not form.fullmatch(text):
            self.problems.add(f"{name} must be {allowed}")
            return None
        return text

    def key(self, name: str) -> str | None:
        """Return a key, which no problem shows."""
        text = self.text(name)
        if text is not None and not _KEY_FORM.fullmatch(text):
            self.problems.add(f"{name} holds characters that no key has; copy it anew")
        return text

    def host_and_port(self, name: str) -> tuple[str, int] | None:
        """Return a host, an IPv6 address without its brackets, and a port."""
        text = self.text(name)
        if text is None:
            return None
        found = _HOST_AND_PORT.fullmatch(text)
        if found and 1 <= int(found[2]) <= LARGEST_PORT:
            return found[1].strip("[]"), int(found[2])
        self.problems.add(
            f"{name} must be a host and a port up to {LARGEST_PORT}, such as 127.0.0.1:8088, and no"
            " more"
        )
        return None

    def whole(self, name: str, default: int, least: int, most: int = LARGEST) -> int:
        """Return a whole number."""
        text = self.text(name)
        if text is None:
            return default
        short = text.isascii() and text.isdigit() and len(text) <= len(str(LARGEST))
        if short and least <= int(text) <= most:
            return int(text)
        self.problems.add(f"{name} must be a whole number from {least} to {most}, in digits only")
        return default

    def one_of(self, name: str, choices: tuple[str, ...], default: str) -> str:
        """Return one of several words."""
        text = self.text(name) or default
        if text in choices:
            return text
        self.problems.add(f"{name} must be one of {', '.join(choices)}")
        return default

    def flag(self, name: str, default: bool) -> bool:
        """Return a truth that is written as true or false."""
        return FLAGS[self.one_of(name, tuple(FLAGS), str(default).lower())]

    def listed(self, name: str) -> list[str]:
        """Return the members of a comma list, each once."""
        members = [member.strip() for member in (self.text(name) or "").split(",")]
        return list(dict.fromkeys(member for member in members if member))

    def http_url(self, name: str) -> str | None:
        """Return an address of any kind of web server."""
        text = self.text(name)
        if text is not None and not _is_http(text):
            self.problems.add(f"{name} must be an address such as http://127.0.0.1:11434/v1")
        return text

    def folder(self, name: str) -> Path | None:
        """Return a folder; `~` is the home of the user."""
        text = self.text(name)
        if text is None:
            return None
        try:
            return Path(text).expanduser()
        except RuntimeError:
            self.problems.add(f"{name} names the home of a user that there is not; name a folder")
            return None

    def public_url(self, name: str) -> str | None:
        """Return an https address without a query, and without a slash at its end."""
        text = self.text(name)
        if text is None:
            return None
        try:
            parts = urlsplit(text)
        except ValueError:
            parts = urlsplit("")
        if parts.scheme != "https" or not parts.netloc or parts.query or parts.fragment:
            self.problems.add(
                f"{name} must be an https address without a query, such as https://memory.example.com"
            )
        return text.rstrip("/")


def _is_http(text: str) -> bool:
    try:
        parts = urlsplit(text)
        # A port beyond the largest is found only when it is asked for.
        usable = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    spaced = not text.isprintable() or " " in text
    return usable and not spaced and parts.scheme in ("http", "https")
