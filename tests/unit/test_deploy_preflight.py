"""scripts/preflight: every finding with its remedy, nothing changed, and no secret shown."""

import json

import pytest

from deploy import preflight
from tests.deploy_runs import failures
from tests.google_cloud import (
    ACCOUNT,
    ADMIN_TOKEN,
    BROWSER_TOKEN,
    BUILDER,
    PROJECT,
    Cloud,
    answered,
    composite,
    expiring,
    failed,
)
from tests.google_web import GoogleWeb

CHANGES = {"create", "update", "add", "delete", "deploy", "add-iam-policy-binding", "enable"}


def test_where_all_is_well_every_check_says_so(cloud: Cloud) -> None:
    assert failures(cloud) == []
    names = {line.split(":")[0].removeprefix("ok    ") for line in cloud.told}
    assert names == {
        *("git", "runtime", "gcloud", "firebase", "login", "billing", "APIs", "service account"),
        *(
            "build account",
            "database",
            "request log",
            "settings",
            "tokens",
            "index file",
            "models",
            "indexes",
            "rules",
        ),
    }


def test_it_changes_nothing(cloud: Cloud, web: GoogleWeb) -> None:
    failures(cloud)
    assert [line for line in cloud.lines if CHANGES & set(line)] == []
    assert {method for method, _, _ in web.requests} == {"GET"}
    assert set(cloud.inputs) == {""}


def test_checks_and_tests_are_run_and_must_be_green(cloud: Cloud) -> None:
    assert preflight.main([], cloud.outside()) == 0
    assert "ok    scripts/test: green" in cloud.told
    (cloud.root / "scripts/test").write_text("#!/bin/sh\nexit 3\n")
    cloud.git("commit", "--quiet", "-am", "Red")
    assert preflight.main([], cloud.outside()) == 1
    assert "fail  scripts/test: it ended with status 3; mend what it says" in cloud.told


def test_a_dry_run_shows_the_tests_and_runs_them_not(cloud: Cloud) -> None:
    (cloud.root / "scripts/test").write_text("#!/bin/sh\nexit 3\n")
    cloud.git("commit", "--quiet", "-am", "Red")
    assert preflight.main(["--dry-run"], cloud.outside()) == 0
    assert "would run: scripts/test" in cloud.told
    assert f"$ gcloud services list --enabled --project={PROJECT} --format=json" in cloud.told


def test_a_file_that_is_not_committed_is_told(cloud: Cloud) -> None:
    (cloud.root / "functions/main.py").write_text("app = 2\n")
    assert failures(cloud) == ["git: 1 files are not committed; commit or remove them"]


def test_without_gcloud_there_is_where_to_get_it_and_nothing_more_is_asked(cloud: Cloud) -> None:
    (cloud.commands / "gcloud").unlink()
    told = failures(cloud)
    assert told == [
        "gcloud: the Google Cloud command line is not installed; "
        "install it: https://cloud.google.com/sdk/docs/install"
    ]


def test_without_a_login_the_project_is_not_asked_about(cloud: Cloud) -> None:
    cloud.answer("auth list", "")
    assert failures(cloud) == ["login: nobody is logged in; run: gcloud auth login"]
    assert cloud.ran("services") == []
    assert (
        "warn  project: nothing on Google Cloud was looked at: project, models, indexes, rules;"
        " remedy the failure above, and start again"
    ) in cloud.told


@pytest.mark.parametrize(
    ("asked", "answer", "told"),
    [
        (
            "billing projects describe",
            answered({"billingEnabled": False}),
            "billing: the project has no billing plan, and functions need one; run: gcloud billing"
            f" projects link {PROJECT} --billing-account=ACCOUNT",
        ),
        (
            "billing projects describe",
            failed("The caller does not have permission."),
            "billing: The caller does not have permission; check the project's name, and that this"
            " account may see its billing",
        ),
        (
            "services list",
            answered([{"config": {"name": "run.googleapis.com"}}]),
            "APIs: 7 are not enabled; run: gcloud services enable cloudfunctions.googleapis.com"
            " cloudbuild.googleapis.com artifactregistry.googleapis.com firestore.googleapis.com"
            " secretmanager.googleapis.com firebaserules.googleapis.com aiplatform.googleapis.com"
            f" --project={PROJECT}",
        ),
        (
            "iam service-accounts describe",
            failed("NOT_FOUND: Unknown service account"),
            "service account: NOT_FOUND: Unknown service account; make it: see docs/deployment.md",
        ),
        (
            "projects get-iam-policy",
            answered(
                {
                    "bindings": [
                        {"role": "roles/datastore.user", "members": [f"serviceAccount:{ACCOUNT}"]}
                    ]
                }
            ),
            "service account: it lacks roles/aiplatform.user; run: gcloud projects"
            f" add-iam-policy-binding {PROJECT} --member=serviceAccount:{ACCOUNT}"
            " --role=roles/aiplatform.user",
        ),
        (
            "firestore databases describe",
            failed("NOT_FOUND: The database (default) does not exist"),
            "database: '(default)': NOT_FOUND: The database (default) does not exist; run: gcloud"
            " firestore databases create --database='(default)' --location=us-central1"
            f" --type=firestore-native --project={PROJECT}",
        ),
        (
            "firestore databases describe",
            answered({"type": "DATASTORE_MODE", "locationId": "nam5"}),
            "database: '(default)' is in Datastore mode; name another in FIRESTORE_DATABASE, in"
            " native mode",
        ),
        (
            "firestore indexes composite list",
            answered(composite("CREATING")),
            "indexes: memory_vectors [space ASCENDING, branch_state ASCENDING, embedding (768)] is"
            " creating; wait, and look again",
        ),
        (
            "firestore fields ttls list",
            answered([]),
            "TTL policies: memory_events.expires_at is missing; scripts/deploy makes it",
        ),
        (
            "firestore fields ttls list",
            answered(expiring("NEEDS_REPAIR")),
            "TTL policies: memory_events.expires_at is in need of repair; delete it in the console"
            " or by gcloud, and run scripts/deploy",
        ),
        (
            "firestore indexes fields list",
            answered([]),
            "indexes: memory_vectors.content has not the indexes that it should have;"
            " scripts/deploy makes it",
        ),
    ],
)
def test_what_is_wrong_with_the_project_is_told_with_its_remedy(
    cloud: Cloud, asked: str, answer: str, told: str
) -> None:
    cloud.answer(asked, answer)
    assert told in failures(cloud)


def test_an_index_for_other_vectors_is_missing_and_the_old_one_is_mentioned(cloud: Cloud) -> None:
    cloud.answer("firestore indexes composite list", answered(composite(dimension=1536)))
    assert len(failures(cloud)) == 10
    assert (
        "warn  indexes: nothing needs memory_windows [space ASCENDING, branch_state ASCENDING,"
        " embedding (1536)]; it costs writes and storage; delete it in the console when no revision"
        " needs it"
    ) in cloud.told


def test_an_index_file_for_another_dimension_is_told(cloud: Cloud) -> None:
    cloud.settings(GEMINI_EMBEDDING_DIMENSIONS="1536")
    failures(cloud)
    assert (
        "warn  index file: it is for vectors of 768 numbers, and gemini-embedding-001 makes 1536;"
        " the Firebase CLI alone deploys it; for that, write it anew as docs/deployment.md says"
    ) in cloud.told


def test_a_database_far_away_is_worth_a_warning(cloud: Cloud) -> None:
    cloud.settings(DEPLOY_REGION="europe-west1")
    assert failures(cloud) == []
    assert any(line.startswith("warn  database: '(default)' is in nam5") for line in cloud.told)


def test_a_request_log_that_keeps_tokens_is_worth_a_warning(cloud: Cloud) -> None:
    cloud.answer("logging sinks describe _Default", answered({"name": "_Default"}))
    assert failures(cloud) == []
    assert (
        "warn  request log: Cloud Run's request log would keep the tokens of clients that have them"
        " in the URL; run: gcloud logging sinks update _Default"
        " --add-exclusion='name=tokens-in-urls,filter=httpRequest.requestUrl:\"auth_token=\"'"
        f" --project={PROJECT}"
    ) in cloud.told


def test_an_account_that_may_not_build_is_worth_a_warning(cloud: Cloud) -> None:
    roles = [
        {"role": role, "members": [f"serviceAccount:{ACCOUNT}"]}
        for role in ("roles/datastore.user", "roles/aiplatform.user")
    ]
    cloud.answer("projects get-iam-policy", answered({"bindings": roles}))
    assert failures(cloud) == []
    assert (
        f"warn  build account: {BUILDER} lacks roles/cloudbuild.builds.builder, and the build may"
        f" fail for it; run: gcloud projects add-iam-policy-binding {PROJECT}"
        f" --member=serviceAccount:{BUILDER} --role=roles/cloudbuild.builds.builder"
    ) in cloud.told


def test_a_build_account_of_ones_own_is_not_judged(cloud: Cloud) -> None:
    own = f"projects/{PROJECT}/serviceAccounts/builder@{PROJECT}.iam.gserviceaccount.com"
    cloud.answer("builds get-default-service-account", answered({"serviceAccountEmail": own}))
    assert failures(cloud) == []
    assert f"ok    build account: builder@{PROJECT}.iam.gserviceaccount.com" in cloud.told


def test_a_build_account_that_cannot_be_asked_about_is_worth_a_warning(cloud: Cloud) -> None:
    cloud.answer("builds get-default-service-account", failed("PERMISSION_DENIED"))
    assert failures(cloud) == []
    assert (
        "warn  build account: PERMISSION_DENIED; let the account that builds have"
        " roles/cloudbuild.builds.builder"
    ) in cloud.told


def test_rules_that_are_not_ours_are_told(cloud: Cloud, web: GoogleWeb) -> None:
    web.rules_in_force("rules_version = '2';\n// everybody\n")
    assert failures(cloud) == [
        "rules: the security rules in force are not those of firestore.rules; scripts/deploy puts"
        " ours in force"
    ]


def test_without_an_account_of_its_own_the_function_is_not_deployed(cloud: Cloud) -> None:
    cloud.settings(DEPLOY_SERVICE_ACCOUNT=None)
    assert failures(cloud) == [
        "service account: without one the function runs as the project's default account, an"
        " editor; make one (docs/deployment.md), and set DEPLOY_SERVICE_ACCOUNT to it"
    ]


def test_without_a_project_there_is_how_to_name_one(
    cloud: Cloud, capsys: pytest.CaptureFixture[str]
) -> None:
    cloud.settings(GOOGLE_CLOUD_PROJECT=None)
    cloud.answer("config get-value", "")
    assert preflight.main([], cloud.outside()) == 1
    assert capsys.readouterr().err == (
        "No project is named; set GOOGLE_CLOUD_PROJECT, or run: gcloud config set project ID\n"
    )


def test_no_token_is_shown_or_stands_in_a_command_line(cloud: Cloud) -> None:
    failures(cloud, "--dry-run")
    seen = cloud.output + json.dumps(cloud.lines)
    assert [token for token in (ADMIN_TOKEN, BROWSER_TOKEN, "ya29") if token in seen] == []
