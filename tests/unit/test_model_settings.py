"""The settings of models: which are in use beside which engine, and how Gemini is reached."""

from pathlib import Path

import pytest

from metacortex.domain.errors import ConfigurationError
from metacortex.engine_settings import engine_settings
from metacortex.model_settings import (
    DEFAULT_GEMINI_EMBEDDING_MODEL,
    DEFAULT_GEMINI_JUDGE_MODEL,
    DEFAULT_GEMINI_MULTIMODAL_MODEL,
    GeminiApi,
    GeminiDescriberSettings,
    GeminiEmbeddingSettings,
    GeminiJudgeSettings,
    ModelSettings,
    RerankerSettings,
    UseSettings,
    VertexAI,
    model_settings,
)
from metacortex.problems import Problems
from metacortex.reading import Reader

KEY = "a-key-that-is-secret"
ON_GOOGLE = {"METACORTEX_ENGINE": "firestore"}


def models(**env: str) -> ModelSettings:
    """Return the models that an environment names.

    Raises:
        ConfigurationError: with every problem that was found.
    """
    problems = Problems()
    read = Reader(env, problems)
    found = model_settings(read, engine_settings(read))
    problems.raise_any()
    return found


def problem(**env: str) -> str:
    """Return the one problem of an environment."""
    with pytest.raises(ConfigurationError) as raised:
        models(**env)
    (sentence,) = raised.value.problems
    assert KEY not in sentence
    return sentence


def test_without_settings_the_model_is_local_and_nothing_is_described() -> None:
    assert models() == ModelSettings(UseSettings(), None, None, None)


def test_a_key_alone_describes_images_and_leaves_the_embedder_local() -> None:
    access = GeminiApi(KEY, None)
    assert models(GEMINI_API_KEY=KEY) == ModelSettings(
        UseSettings(), GeminiDescriberSettings(access, DEFAULT_GEMINI_MULTIMODAL_MODEL), None, None
    )


def test_beside_firestore_gemini_embeds_in_768_dimensions() -> None:
    access = GeminiApi(KEY, None)
    assert models(**ON_GOOGLE, GEMINI_API_KEY=KEY) == ModelSettings(
        GeminiEmbeddingSettings(access, DEFAULT_GEMINI_EMBEDDING_MODEL, 768),
        GeminiDescriberSettings(access, DEFAULT_GEMINI_MULTIMODAL_MODEL),
        None,
        None,
    )


def test_everything_of_gemini_can_be_set() -> None:
    found = models(
        METACORTEX_EMBEDDER="gemini",
        GEMINI_API_KEY=KEY,
        GEMINI_URL="http://127.0.0.1:9999",
        GEMINI_EMBEDDING_MODEL="gemini-embedding-2",
        GEMINI_EMBEDDING_DIMENSIONS="1536",
        GEMINI_MULTIMODAL_MODEL="gemini-3.8-flash",
        METACORTEX_JUDGE="gemini",
        GEMINI_JUDGE_MODEL="gemini-3.8-pro",
    )
    access = GeminiApi(KEY, "http://127.0.0.1:9999")
    assert found.embedder == GeminiEmbeddingSettings(access, "gemini-embedding-2", 1_536)
    assert found.describer == GeminiDescriberSettings(access, "gemini-3.8-flash")
    assert found.judge == GeminiJudgeSettings(access, "gemini-3.8-pro")


def test_vertex_needs_no_key_and_takes_none() -> None:
    found = models(**ON_GOOGLE, GEMINI_BACKEND="vertex", GEMINI_API_KEY=KEY)
    assert isinstance(found.embedder, GeminiEmbeddingSettings)
    assert found.embedder.access == VertexAI(None, "global", None)
    named = models(
        METACORTEX_EMBEDDER="gemini",
        GEMINI_BACKEND="vertex",
        GEMINI_LOCATION="eu",
        GOOGLE_CLOUD_PROJECT="harbour",
        GEMINI_URL="https://gateway.example",
    )
    assert named.describer is not None
    assert named.describer.access == VertexAI("harbour", "eu", "https://gateway.example")


def test_gemini_judges_where_that_is_asked_for() -> None:
    found = models(METACORTEX_JUDGE="gemini", GEMINI_API_KEY=KEY)
    assert found.judge == GeminiJudgeSettings(GeminiApi(KEY, None), DEFAULT_GEMINI_JUDGE_MODEL)


def test_a_judge_needs_a_way_to_gemini() -> None:
    assert problem(METACORTEX_JUDGE="gemini") == (
        "GEMINI_API_KEY is required where METACORTEX_JUDGE is gemini; or set GEMINI_BACKEND to"
        " vertex, or METACORTEX_JUDGE to none"
    )


def test_a_reranker_is_there_where_it_is_asked_for() -> None:
    named = {"METACORTEX_RERANKER": "fastembed", "METACORTEX_RERANKER_MODEL": "some/model"}
    assert models(**named).reranker == RerankerSettings("some/model", None)
    kept = models(**named, METACORTEX_RERANKER_FOLDER="/models/some")
    assert kept.reranker == RerankerSettings("some/model", Path("/models/some"))
    assert models(METACORTEX_RERANKER_MODEL="some/model").reranker is None


def test_a_reranker_needs_the_name_of_its_model() -> None:
    assert problem(METACORTEX_RERANKER="fastembed") == (
        "METACORTEX_RERANKER_MODEL is required where METACORTEX_RERANKER is fastembed"
    )


def test_another_embedder_may_stand_beside_firestore() -> None:
    assert models(**ON_GOOGLE, METACORTEX_EMBEDDER="use").embedder == UseSettings()


@pytest.mark.parametrize("env", [ON_GOOGLE, {"METACORTEX_EMBEDDER": "gemini"}])
def test_gemini_needs_a_key_or_another_way(env: dict[str, str]) -> None:
    assert problem(**env) == (
        "GEMINI_API_KEY is required where Gemini embeds; or set GEMINI_BACKEND to vertex, or"
        " METACORTEX_EMBEDDER to a local model"
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("GEMINI_BACKEND", "aistudio"),
        ("METACORTEX_JUDGE", "jury"),
        ("METACORTEX_RERANKER", "bm25"),
        ("GEMINI_URL", "gateway.example"),
        ("GEMINI_LOCATION", "eu.evil.example/"),
        ("GEMINI_LOCATION", "Europe"),
        ("GEMINI_API_KEY", "a key in\ttwo"),
        ("GEMINI_API_KEY", "схлюссел"),
        ("METACORTEX_EMBEDDING_API_KEY", "ä b"),
        *(
            ("GEMINI_URL", f"http://{value}")
            for value in ("127.0.0.1:99999", "127.0.0.1:0", ":9", "a b", "[::1")
        ),
        *(
            (f"GEMINI_{kind}_MODEL", value)
            for kind in ("EMBEDDING", "MULTIMODAL", "JUDGE")
            for value in ("../../x", "models/gemini-embedding-001", "a b")
        ),
        *(("GEMINI_EMBEDDING_DIMENSIONS", value) for value in ("0", "3073", "7.5", "many")),
    ],
)
def test_a_wrong_value_is_one_problem_that_names_the_setting(name: str, value: str) -> None:
    sentence = problem(**{name: value})
    assert sentence.startswith(name)
    assert not name.endswith("_KEY") or value not in sentence


@pytest.mark.parametrize(
    "env",
    [
        {"GEMINI_API_KEY": KEY, "GEMINI_EMBEDDING_DIMENSIONS": "3072"},
        {
            "METACORTEX_EMBEDDER": "openai",
            "METACORTEX_EMBEDDING_MODEL": "large",
            "METACORTEX_EMBEDDING_DIMENSIONS": "4096",
            "METACORTEX_EMBEDDING_URL": "http://127.0.0.1:9",
        },
    ],
)
def test_firestore_refuses_more_dimensions_than_it_indexes(env: dict[str, str]) -> None:
    assert problem(**ON_GOOGLE, **env).startswith("Firestore indexes vectors of at most 2048")


def test_no_key_is_shown_where_settings_are_printed() -> None:
    assert KEY not in repr(models(**ON_GOOGLE, GEMINI_API_KEY=KEY))
