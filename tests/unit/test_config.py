"""Settings: what can be set, what it means where absent, and every problem told at once."""

from pathlib import Path
from typing import Any

import pytest

from metacortex.config import Settings
from metacortex.domain.errors import ConfigurationError
from metacortex.domain.lifecycle import BranchState
from metacortex.model_settings import OpenAISettings, UseSettings
from metacortex.version import VERSION

TOOLS = ("remember_context", "search_context", "fetch_context", "deprecate_context")
TOKEN = "admin-token-0123456789"


def settings(**env: str) -> Settings:
    return Settings.from_env({"MCP_ADMIN_TOKEN": TOKEN, **env}, TOOLS)


def problems(env: dict[str, str], **how: Any) -> tuple[str, ...]:
    with pytest.raises(ConfigurationError) as raised:
        Settings.from_env(env, TOOLS, **how)
    assert raised.value.sentence == "; ".join(raised.value.problems)
    return raised.value.problems


@pytest.mark.rule("C111")
def test_only_the_admin_token_is_required() -> None:
    read = settings()
    assert read.admin is not None
    principal = read.admin.principal
    assert read.admin.credential.is_proved_by(TOKEN.encode())
    assert (principal.tenant, principal.client_id, read.admin.origins) == ("default", "default", ())
    assert principal.tools == frozenset(TOOLS)
    assert principal.filter_states == tuple(BranchState)
    assert principal.write_states == frozenset(BranchState)
    assert principal.default_filter_state is BranchState.ACTIVE
    assert principal.reads_all
    assert (read.search_result_limit, read.idempotency_window, read.profiles) == (5, 900_000, {})
    assert (read.service_name, read.service_version) == ("metacortex", VERSION)
    assert (read.public_url, read.embedder) == (None, UseSettings())
    assert read.data_dir == Path.home() / ".metacortex"


@pytest.mark.rule("C111")
def test_values_are_trimmed_and_blank_is_absent() -> None:
    blank = settings(
        SEARCH_RESULT_LIMIT="  ", DEFAULT_FILTER_STATE="", MCP_ALLOWED_TOOLS=" ", SERVICE_NAME=" "
    )
    assert blank == settings()
    read = settings(
        MCP_ADMIN_TOKEN=f" {TOKEN}\n",
        SEARCH_RESULT_LIMIT=" 20 ",
        IDEMPOTENCY_WINDOW_SECONDS="1",
        DEFAULT_FILTER_STATE=" wip ",
        SERVICE_NAME=" memory ",
        SERVICE_VERSION="7.7",
        PUBLIC_URL="https://memory.example.com/",
        METACORTEX_DATA_DIR="/srv/memory",
    )
    assert read.admin is not None
    assert read.admin.credential.is_proved_by(TOKEN.encode())
    assert read.admin.principal.default_filter_state is BranchState.WIP
    assert (read.search_result_limit, read.idempotency_window) == (20, 1_000)
    assert (read.service_name, read.service_version) == ("memory", "7.7")
    assert (read.public_url, read.data_dir) == ("https://memory.example.com", Path("/srv/memory"))


@pytest.mark.rule("C111", "C115")
def test_the_admin_may_be_narrowed() -> None:
    read = settings(
        MCP_ALLOWED_TOOLS="fetch_context, search_context,,fetch_context",
        MCP_ALLOWED_FILTER_STATES="merged, wip",
        MCP_ALLOWED_ORIGINS=" https://a.example , https://b.example,https://a.example",
    )
    assert read.admin is not None
    principal = read.admin.principal
    assert principal.tools == {"fetch_context", "search_context"}
    assert principal.filter_states == (BranchState.MERGED, BranchState.WIP)
    assert principal.default_filter_state is BranchState.MERGED
    assert principal.write_states == frozenset(BranchState)
    assert read.admin.origins == ("https://a.example", "https://b.example")


@pytest.mark.rule("C111", "C113")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("SEARCH_RESULT_LIMIT", value) for value in ("0", "21", "-1", "+5", "5.0", "٣", "x")),
        *(("IDEMPOTENCY_WINDOW_SECONDS", value) for value in ("0", "1.5", "-1", "9" * 40)),
        *(("METACORTEX_CACHE_MB", value) for value in ("0", "much")),
        ("METACORTEX_EMBEDDING_DIMENSIONS", "0"),
        ("DEFAULT_FILTER_STATE", "ACTIVE"),
        ("DEFAULT_FILTER_STATE", "archived"),
        ("MCP_ALLOWED_TOOLS", "remember_context,no_such_tool"),
        ("MCP_ALLOWED_FILTER_STATES", "active,archived"),
        ("MCP_ADMIN_TOKEN", "too-short"),
        ("METACORTEX_EMBEDDER", "word2vec"),
        ("METACORTEX_DATA_DIR", "~no-such-user-anywhere/memory"),
        ("PUBLIC_URL", "https://[bad"),
        *(
            ("PUBLIC_URL", value)
            for value in ("http://a.example", "a.example", "https://", "https://a.example/?x=1")
        ),
    ],
)
def test_a_wrong_value_is_one_problem_that_names_the_setting(name: str, value: str) -> None:
    (problem,) = problems({"MCP_ADMIN_TOKEN": TOKEN, name: value})
    assert problem.startswith(name)
    assert TOKEN not in problem
    assert "too-short" not in problem


@pytest.mark.rule("C10", "C111")
def test_every_problem_is_found_and_told_together() -> None:
    found = problems(
        {
            "SEARCH_RESULT_LIMIT": "0",
            "DEFAULT_FILTER_STATE": "archived",
            "MCP_CLIENT_PROFILES_JSON": '[{"id":"web"}]',
            "METACORTEX_EMBEDDER": "openai",
            "METACORTEX_EMBEDDING_URL": "ftp://models.example",
        }
    )
    assert [problem.split()[0] for problem in found] == [
        "DEFAULT_FILTER_STATE",
        "MCP_ADMIN_TOKEN",
        "profile",
        "profile",
        "METACORTEX_EMBEDDING_MODEL",
        "METACORTEX_EMBEDDING_DIMENSIONS",
        "METACORTEX_EMBEDDING_URL",
        "SEARCH_RESULT_LIMIT",
    ]


@pytest.mark.rule("C111")
def test_the_command_line_needs_no_token() -> None:
    assert Settings.from_env({}, TOOLS, serving=False).admin is None
    (problem,) = problems({})
    assert problem.startswith("MCP_ADMIN_TOKEN is required")
    assert problems({"MCP_ADMIN_TOKEN": "short"}, serving=False)


def test_an_embedder_needs_the_settings_by_which_it_is_reached() -> None:
    (model, dimension, url) = problems({"MCP_ADMIN_TOKEN": TOKEN, "METACORTEX_EMBEDDER": "openai"})
    assert model == "METACORTEX_EMBEDDING_MODEL is required where METACORTEX_EMBEDDER is openai"
    assert dimension.startswith("METACORTEX_EMBEDDING_DIMENSIONS is required")
    assert url.startswith("METACORTEX_EMBEDDING_URL is required")
    read = settings(
        METACORTEX_EMBEDDER="openai",
        METACORTEX_EMBEDDING_MODEL="bge-m3",
        METACORTEX_EMBEDDING_DIMENSIONS="1024",
        METACORTEX_EMBEDDING_URL="http://127.0.0.1:11434/v1",
        METACORTEX_EMBEDDING_API_KEY="a-secret-key",
    ).embedder
    assert read == OpenAISettings("http://127.0.0.1:11434/v1", "bge-m3", 1024, "a-secret-key")
    assert "a-secret-key" not in repr(read)


@pytest.mark.rule("C20", "C114")
def test_settings_show_no_token_where_they_are_printed() -> None:
    assert TOKEN not in repr(settings())
