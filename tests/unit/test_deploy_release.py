"""scripts/deploy: its command lines, what a fault leaves undone, and no secret in any of them."""

import json

import pytest

from deploy import release
from tests.deploy_runs import deploy
from tests.google_cloud import (
    ACCOUNT,
    ADMIN_TOKEN,
    BROWSER_TOKEN,
    COMPOSITES,
    PROFILES,
    PROJECT,
    Cloud,
    answered,
    failed,
    overrides,
)
from tests.google_web import GoogleWeb

DEPLOYED = [
    *("functions", "deploy", "metaCortexMcp", "--gen2", "--region=us-central1"),
    *("--runtime=python313", "--source=build/function", "--entry-point=metaCortexMcp"),
    *("--trigger-http", "--allow-unauthenticated", "--ingress-settings=all"),
    *("--memory=1024Mi", "--cpu=1", "--concurrency=64", "--timeout=60s"),
    *("--min-instances=0", "--max-instances=10", f"--run-service-account={ACCOUNT}"),
    "--env-vars-file=build/function.env.json",
    "--set-secrets=MCP_ADMIN_TOKEN=MCP_ADMIN_TOKEN:7,"
    "MCP_CLIENT_PROFILES_JSON=MCP_CLIENT_PROFILES_JSON:7",
    *("--serve-all-traffic-latest-revision", f"--project={PROJECT}", "--format=json"),
]


def test_the_function_is_deployed_from_committed_files_with_pinned_packages(
    cloud: Cloud, capsys: pytest.CaptureFixture[str]
) -> None:
    (cloud.root / "functions/.env").write_text("SECRET=1\n")
    cloud.git("add", "--force", "--all", "functions/main.py")
    deploy(cloud, capsys)
    assert cloud.ran("functions", "deploy") == [DEPLOYED]
    staged = cloud.root / "build/function"
    assert sorted(path.name for path in staged.iterdir()) == ["main.py", "requirements.txt"]
    assert (staged / "requirements.txt").read_text() == "mcp==2.3 --hash=sha256:aa\n"


def test_the_function_is_given_its_settings_without_secrets_and_deployment(
    cloud: Cloud, capsys: pytest.CaptureFixture[str]
) -> None:
    cloud.settings(
        MCP_ALLOWED_TOOLS="search_context,fetch_context", PORT="9", DEPLOY_MEMORY_MB="8192"
    )
    deploy(cloud, capsys)
    assert json.loads((cloud.root / "build/function.env.json").read_text()) == {
        "FUNCTION_USE_ASGI": "true",
        "GEMINI_BACKEND": "vertex",
        "GOOGLE_CLOUD_PROJECT": PROJECT,
        "MCP_ALLOWED_TOOLS": "search_context,fetch_context",
        "METACORTEX_ENGINE": "firestore",
    }
    assert {"--memory=8192Mi", "--cpu=2"} <= set(cloud.ran("functions", "deploy")[0])


def test_new_secrets_are_made_by_standard_input_and_one_account_may_read_them(
    cloud: Cloud, capsys: pytest.CaptureFixture[str]
) -> None:
    deploy(cloud, capsys)
    made = [
        (line[2], given)
        for line, given in zip(cloud.lines, cloud.inputs, strict=True)
        if line[:2] == ["secrets", "create"]
    ]
    profiles = json.dumps(PROFILES)
    assert made == [("MCP_ADMIN_TOKEN", ADMIN_TOKEN), ("MCP_CLIENT_PROFILES_JSON", profiles)]
    for name in ("MCP_ADMIN_TOKEN", "MCP_CLIENT_PROFILES_JSON"):
        assert cloud.ran("secrets", "add-iam-policy-binding", name) == [
            [
                *("secrets", "add-iam-policy-binding", name),
                f"--member=serviceAccount:{ACCOUNT}",
                "--role=roles/secretmanager.secretAccessor",
                *(f"--project={PROJECT}", "--format=json"),
            ]
        ]


def test_a_secret_gets_a_version_only_when_its_value_is_another(
    cloud: Cloud, capsys: pytest.CaptureFixture[str]
) -> None:
    there = [{"name": f"projects/1/secrets/{name}"} for name in ("MCP_ADMIN_TOKEN", "OTHER")]
    member = {
        "role": "roles/secretmanager.secretAccessor",
        "members": [f"serviceAccount:{ACCOUNT}"],
    }
    cloud.answer("secrets list", answered([*there]))
    cloud.answer("secrets get-iam-policy MCP_ADMIN_TOKEN", answered({"bindings": [member]}))
    access = "secrets versions access latest --secret=MCP_ADMIN_TOKEN"
    cloud.answer(access, ADMIN_TOKEN)
    deploy(cloud, capsys)
    assert cloud.ran("secrets", "versions", "add") == []
    assert cloud.ran("secrets", "add-iam-policy-binding", "MCP_ADMIN_TOKEN") == []
    cloud.answer(access, "the-token-before-this-one")
    deploy(cloud, capsys)
    assert [line[3] for line in cloud.ran("secrets", "versions", "add")] == ["MCP_ADMIN_TOKEN"]


def test_no_secret_stands_in_a_command_line_or_in_what_is_told(
    cloud: Cloud, web: GoogleWeb, capsys: pytest.CaptureFixture[str]
) -> None:
    web.rules_in_force("old")
    seen = deploy(cloud, capsys)
    release.main(["--dry-run"], cloud.outside())
    seen += (
        cloud.output + json.dumps(cloud.lines) + json.dumps([path for _, path, _ in web.requests])
    )
    assert [token for token in (ADMIN_TOKEN, BROWSER_TOKEN, "ya29") if token in seen] == []
    assert web.tokens == {"Bearer ya29.the-account"}


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("auth list", ""),
        ("billing projects describe", answered({"billingEnabled": False})),
        ("firestore databases describe", failed("NOT_FOUND: no database")),
    ],
)
def test_nothing_is_changed_where_the_preflight_fails(
    cloud: Cloud,
    web: GoogleWeb,
    capsys: pytest.CaptureFixture[str],
    asked: str,
    answer: str,
) -> None:
    cloud.answer(asked, answer)
    assert deploy(cloud, capsys) == ("Nothing was deployed: remedy what failed, and start again")
    assert cloud.ran("secrets", "create") + cloud.ran("functions") == []
    assert {method for method, _, _ in web.requests} <= {"GET"}


def test_a_function_that_is_not_deployed_is_the_end_and_says_what_to_do(
    cloud: Cloud, capsys: pytest.CaptureFixture[str]
) -> None:
    cloud.answer("functions deploy", failed("OperationError: code=3, message=Build failed."))
    assert deploy(cloud, capsys) == (
        "The function was not deployed: OperationError: code=3, message=Build failed. Clients still"
        " reach the revision before, if there was one. For the build's own words: gcloud builds"
        " list --limit=1"
    )
    assert cloud.lines[-1][:2] == ["functions", "deploy"]


def test_a_dry_run_shows_every_change_and_makes_none(cloud: Cloud, web: GoogleWeb) -> None:
    web.rules_in_force("old")
    nothing = answered([])
    for asked in ("indexes composite list", "indexes fields list", "fields ttls list"):
        cloud.answer(f"firestore {asked}", nothing)
    assert release.main(["--dry-run"], cloud.outside()) == 0
    shown = [line.split()[3:6] for line in cloud.told if line.startswith("would run: gcloud")]
    assert shown.count(["firestore", "indexes", "composite"]) == COMPOSITES
    assert shown.count(["secrets", "create", "MCP_ADMIN_TOKEN"]) == 1
    assert ["functions", "deploy", "metaCortexMcp"] in [words[:3] for words in shown]
    sends = [line.split()[2] for line in cloud.told if line.startswith("would send: ")]
    assert sends.count("PATCH") == len(overrides()) + 1
    assert not (cloud.root / "build").exists()
    changes = {"create", "update", "add", "deploy", "add-iam-policy-binding"}
    assert [line for line in cloud.lines if changes & set(line)] == []
    assert {method for method, _, _ in web.requests} == {"GET"}


def test_a_dry_run_shows_the_plan_to_somebody_without_an_account(cloud: Cloud) -> None:
    cloud.answers = {}
    assert release.main(["--dry-run"], cloud.outside()) == 1
    assert "taking for absent what cannot be asked:" in cloud.told
    assert any(line.startswith("would run: gcloud functions deploy") for line in cloud.told)
