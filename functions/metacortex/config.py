"""Settings, read from a mapping such as the environment. Every problem is found and reported
together.

`Settings.from_env` is pure: it reads no environment, file or clock of its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from metacortex.domain.client import (
    ADMIN_ID,
    DEFAULT_TENANT,
    ClientProfile,
    Credential,
    whole_tenant,
)
from metacortex.domain.lifecycle import STATE_NAMES, BranchState
from metacortex.domain.moment import Milliseconds
from metacortex.engine_settings import EngineSettings, data_dir, engine_settings
from metacortex.model_settings import (
    EmbedderSettings,
    GeminiDescriberSettings,
    GeminiJudgeSettings,
    RerankerSettings,
    model_settings,
)
from metacortex.problems import Problems, known
from metacortex.profiles import PROFILES, SHORTEST_TOKEN, profiles_from_json
from metacortex.reading import Reader
from metacortex.trace_settings import TraceSettings, trace_settings
from metacortex.version import VERSION

ADMIN_TOKEN = "MCP_ADMIN_TOKEN"


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set.

    `admin` is None only where nothing is served (command line, library).
    """

    admin: ClientProfile | None
    profiles: Mapping[str, ClientProfile]
    data_dir: Path
    engine: EngineSettings
    embedder: EmbedderSettings
    describer: GeminiDescriberSettings | None
    judge: GeminiJudgeSettings | None
    reranker: RerankerSettings | None
    traces: TraceSettings | None
    default_filter_state: BranchState
    search_result_limit: int
    idempotency_window: Milliseconds
    service_name: str
    service_version: str
    public_url: str | None

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
        read = Reader(env, problems)
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
        engine = engine_settings(read)
        models = model_settings(read, engine)
        settings = cls(
            admin=admin,
            profiles=MappingProxyType({profile.id: profile for profile in profiles}),
            data_dir=data_dir(read),
            engine=engine,
            embedder=models.embedder,
            describer=models.describer,
            judge=models.judge,
            reranker=models.reranker,
            traces=trace_settings(read),
            default_filter_state=preferred,
            search_result_limit=read.whole("SEARCH_RESULT_LIMIT", 5, 1, 20),
            idempotency_window=read.whole("IDEMPOTENCY_WINDOW_SECONDS", 900, 1) * 1000,
            service_name=read.text("SERVICE_NAME") or "metacortex",
            service_version=read.text("SERVICE_VERSION") or VERSION,
            public_url=read.public_url("PUBLIC_URL"),
        )
        problems.raise_any()
        return settings


def _admin(
    read: Reader, preferred: BranchState, tools: tuple[str, ...], *, serving: bool
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
