"""Which adapter stands behind a port for models, as the settings choose."""

import pytest

from metacortex.adapters.gemini.describer import GeminiDescriber
from metacortex.adapters.gemini.judge import GeminiJudge
from metacortex.adapters.local.cross_encoder import CrossEncoder
from metacortex.adapters.local.describer import NoDescriber
from metacortex.model_adapters import build_describer, build_judge, build_reranker
from metacortex.model_settings import (
    GeminiAccess,
    GeminiApi,
    GeminiDescriberSettings,
    GeminiJudgeSettings,
    RerankerSettings,
    VertexAI,
)

ACCESSES = [GeminiApi("a-key", None), VertexAI("harbour", "global", None)]


def test_without_settings_nothing_describes_judges_or_reranks() -> None:
    assert isinstance(build_describer(None), NoDescriber)
    assert build_judge(None) is None
    assert build_reranker(None) is None


def test_a_cross_encoder_reranks_where_the_settings_say_so() -> None:
    assert isinstance(build_reranker(RerankerSettings("some/model", None)), CrossEncoder)


@pytest.mark.parametrize("access", ACCESSES, ids=["api", "vertex"])
async def test_gemini_describes_and_judges_where_the_settings_say_so(access: GeminiAccess) -> None:
    describer = build_describer(GeminiDescriberSettings(access, "a-model"))
    judge = build_judge(GeminiJudgeSettings(access, "a-model"))
    assert isinstance(describer, GeminiDescriber)
    assert isinstance(judge, GeminiJudge)
    await describer.aclose()
    await judge.aclose()
