"""Preflight of what is set: complete settings, strong tokens, one dimension, models that exist."""

import shlex
from collections.abc import Iterator

from deploy.environment_file import EMULATOR, Given
from deploy.findings import Finding, fail, ok, warn
from deploy.google import ABSENT, OK, Google
from deploy.running import Refused
from deploy.target import Target
from deploy.tokens import token_findings
from deploy.web import Answer
from metacortex.config import Settings
from metacortex.domain.errors import ConfigurationError
from metacortex.model_settings import (
    GeminiAccess,
    GeminiApi,
    GeminiEmbeddingSettings,
    VertexAI,
)

ENGINE = "METACORTEX_ENGINE"
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
            yield fail("secrets", finding, "add it to DEPLOY_SECRETS")
    for name in target.function.secrets:
        if name not in target.secrets:
            finding = f"{name} is set nowhere: not in {target.source}, nor in Secret Manager"
            yield fail("secrets", finding, "set it, or leave it out of DEPLOY_SECRETS")


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
