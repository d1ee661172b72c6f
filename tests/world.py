"""The whole program in one process, on real SQLite, with only the clock and the models made up."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import httpx

from metacortex.bootstrap import build_services, traced
from metacortex.config import Settings
from metacortex.domain.client import Principal
from metacortex.domain.event import EventFilter
from metacortex.engines import Engine, sqlite_engine
from metacortex.model_ports import ImageDescriber, Judge, Reranker
from metacortex.ports import ClientRegistry, MemoryStore, Tracing
from metacortex.service.services import Services
from metacortex.transport.app import App
from metacortex.transport.door import Served
from metacortex.transport.mcp.endpoint import McpEndpoint
from metacortex.transport.mcp.prompts import PROMPTS
from metacortex.transport.mcp.resources import RESOURCES
from metacortex.transport.mcp.tools import TOOLS
from tests.endpoint import Endpoint
from tests.fakes import FakeDescriber, FakeEmbedder, FixedClock
from tests.outside import outside_of
from tests.samples import CACHE_MB

TOOL_NAMES = tuple(tool.name for tool in TOOLS)
STATES = ["active", "wip", "merged", "deprecated"]
ADMIN_TOKEN = "admin-token-0123456789"


def token_of(client_id: str) -> str:
    """Return the token of a profile of `PROFILES`."""
    return ADMIN_TOKEN if client_id == "default" else f"{client_id}-token-0123456789"


def profile(client_id: str, **keys: Any) -> dict[str, Any]:
    """Return a profile that may do everything in tenant `default`, changed by `keys`."""
    return {
        "id": client_id,
        "token": token_of(client_id),
        "allowedTools": list(TOOL_NAMES),
        "allowedFilterStates": STATES,
        "allowedWriteStates": STATES,
        "mayReplace": True,
        **keys,
    }


def browser(client_id: str, origin: str, **keys: Any) -> dict[str, Any]:
    """Return the profile of a web client: three tools, sees `active`, writes `active` and `wip`."""
    return {
        "id": client_id,
        "token": token_of(client_id),
        "allowedTools": list(TOOL_NAMES[:3]),
        "allowedFilterStates": ["active"],
        "allowedOrigins": [origin],
        **keys,
    }


PROFILES = [
    browser("chatgpt-web", "https://chatgpt.com"),
    browser("claude-web", "https://claude.ai"),
    browser("acme-web", "https://acme.example", tenant="acme"),
    profile("acme-all", tenant="acme", namespaces=["*"]),
    profile("default-all", namespaces=["*"]),
    profile("anywhere", allowedOrigins=["*"]),
    profile("nowhere"),
    profile("present", allowedFilterStates=["active"]),
    profile("drafts", allowedFilterStates=["wip", "merged"]),
    profile("archivist", allowedFilterStates=["deprecated"], namespaces=["*"]),
    profile("reader", allowedWriteStates=[]),
    profile("refusing", secrets="refuse"),
    profile("keeping", secrets="keep"),
    profile("adding", mayReplace=False),
    profile("team", namespaces=["team", "docs/public"]),
    profile("team-secret", namespaces=["team-secret"]),
    profile("team-inner", namespaces=["team/inner"]),
    profile("team-upper", namespaces=["Team"]),
    profile("docs", namespaces=["docs/public"]),
]


def environment(profiles: Sequence[Mapping[str, Any]] = PROFILES, **more: str) -> dict[str, str]:
    """Return the environment of a server with these profiles."""
    return {
        "MCP_ADMIN_TOKEN": ADMIN_TOKEN,
        "MCP_CLIENT_PROFILES_JSON": json.dumps(profiles),
        **more,
    }


@dataclass
class World:
    """A program, and its parts that tests look behind."""

    app: App
    served: Served
    http: httpx.AsyncClient
    services: Services
    settings: Settings
    engine: Engine
    event_engine: Engine
    embedder: FakeEmbedder
    describer: ImageDescriber
    clock: FixedClock
    tracing: Tracing | None

    def endpoint(self, client_id: str = "default") -> Endpoint:
        """Return the endpoint of a client, or the admin's, with its token."""
        path = "/mcp" if client_id == "default" else f"/clients/{client_id}/mcp"
        return Endpoint(self.http, path, token_of(client_id))

    def principal(self, client_id: str = "default") -> Principal:
        """Return what the door makes of a client."""
        if client_id == "default":
            assert self.settings.admin is not None
            return self.settings.admin.principal
        return self.settings.profiles[client_id].principal

    async def events(self, tenant: str = "default") -> list[dict[str, Any]]:
        """Return the events of a tenant as they are printed, oldest first."""
        listed = await self.services.activity.list(tenant, EventFilter(), 10_000)
        return [dict(event.as_json()) for event in listed]

    async def aclose(self) -> None:
        """Release what the program holds."""
        await self.http.aclose()
        await self.services.activity.aclose()
        await self.engine.aclose()
        await self.event_engine.aclose()
        if self.tracing is not None:
            await self.tracing.aclose()

    @property
    def store(self) -> MemoryStore:
        """Where the memories are."""
        return self.engine.store

    @property
    def registry(self) -> ClientRegistry:
        """Where registered clients are."""
        return self.engine.registry


MakeWorld: TypeAlias = Callable[..., World]
"""Builds a program as `build_world` does, and closes it when the test is over."""


def build_world(
    env: Mapping[str, str] | None = None,
    *,
    path: Path | None = None,
    clock: FixedClock | None = None,
    embedder: FakeEmbedder | None = None,
    describer: ImageDescriber | None = None,
    reranker: Reranker | None = None,
    engine: Engine | None = None,
    judge: Judge | None = None,
) -> World:
    """Put a program together: in memory, in the file at `path` or on another `engine`."""
    settings = Settings.from_env(environment() if env is None else env, TOOL_NAMES)
    clock, embedder = clock or FixedClock(), embedder or FakeEmbedder()
    describer = describer or FakeDescriber()
    # Events apart, so that a test can take the one away and keep the other.
    event_engine = engine or sqlite_engine(None, CACHE_MB)
    engine = engine or sqlite_engine(path, CACHE_MB)
    outside = outside_of(
        replace(engine, events=event_engine.events),
        embedder=embedder,
        describer=describer,
        clock=clock,
        reranker=reranker,
        judge=judge,
    )
    if settings.traces is not None:
        outside = traced(settings.traces, outside)
    services = build_services(settings, outside)
    endpoint = McpEndpoint(
        settings.service_name, settings.service_version, TOOLS, RESOURCES, PROMPTS
    )
    served = Served(services, endpoint, settings.public_url)
    app = App(lambda: served)
    return World(
        app=app,
        served=served,
        http=client_of(app),
        services=services,
        settings=settings,
        engine=engine,
        event_engine=event_engine,
        embedder=embedder,
        describer=describer,
        clock=clock,
        tracing=outside.tracing,
    )


def client_of(app: App) -> httpx.AsyncClient:
    """Return an HTTP client that speaks to `app` in this process."""
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://metacortex.test", trust_env=False
    )
