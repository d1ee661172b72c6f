"""Indexes, TTL policies and security rules: made where they are missing, and waited for."""

import pytest

from tests.deploy_runs import deploy
from tests.google_cloud import (
    COMPOSITES,
    DATABASE,
    PROJECT,
    Cloud,
    answered,
    composite,
    expiring,
    overrides,
    single_fields,
)
from tests.google_web import GoogleWeb


def test_missing_indexes_are_made_and_waited_for(
    cloud: Cloud, web: GoogleWeb, capsys: pytest.CaptureFixture[str]
) -> None:
    building, ready = answered(composite("CREATING")), answered(composite())
    nothing = answered([])
    cloud.answer("firestore indexes composite list", nothing, nothing, building, building, ready)
    cloud.answer("firestore indexes fields list", nothing, nothing, answered(single_fields()))
    cloud.answer("firestore fields ttls list", nothing, nothing, answered(expiring()))
    deploy(cloud, capsys)
    created = cloud.ran("firestore", "indexes", "composite", "create")
    assert len(created) == COMPOSITES
    assert created[0] == [
        *("firestore", "indexes", "composite", "create", "--collection-group=memory_vectors"),
        *("--query-scope=collection", "--field-config=field-path=space,order=ascending"),
        "--field-config=field-path=branch_state,order=ascending",
        '--field-config=field-path=embedding,vector-config={"dimension":"768","flat":"{}"}',
        *("--database=(default)", "--async", f"--project={PROJECT}", "--format=json"),
    ]
    assert cloud.pauses == [10, 10]
    assert len(cloud.ran("functions", "deploy")) == 1


def test_a_field_that_expires_documents_and_has_its_own_indexes_is_changed_once(
    cloud: Cloud, web: GoogleWeb, capsys: pytest.CaptureFixture[str]
) -> None:
    nothing = answered([])
    cloud.answer("firestore indexes fields list", nothing, nothing, answered(single_fields()))
    cloud.answer("firestore fields ttls list", nothing, nothing, answered(expiring()))
    deploy(cloud, capsys)
    field = f"/firestore/{DATABASE}/collectionGroups/memory_events/fields/expires_at"
    encoded = field.replace("(", "%28").replace(")", "%29")
    own = {
        "queryScope": "COLLECTION_GROUP",
        "fields": [{"fieldPath": "expires_at", "order": "ASCENDING"}],
    }
    assert web.sent("PATCH", encoded) == [
        (
            f"{encoded}?updateMask=indexConfig&updateMask=ttlConfig",
            {"indexConfig": {"indexes": [own]}, "ttlConfig": {}},
        )
    ]
    assert len(web.sent("PATCH", "/firestore/")) == len(overrides())


@pytest.mark.parametrize(
    ("asked", "answer", "told"),
    [
        (
            "firestore indexes composite list",
            answered(composite("CREATING")),
            "Not ready after 1 minutes; they go on being made: run scripts/deploy again later",
        ),
        (
            "firestore indexes composite list",
            answered(composite("NEEDS_REPAIR")),
            "memory_vectors [space ASCENDING, branch_state ASCENDING, embedding (768)] is in"
            " need of repair; delete it in the console or by gcloud, and run scripts/deploy",
        ),
        (
            "firestore fields ttls list",
            answered(expiring("NEEDS_REPAIR")),
            "memory_events.expires_at is in need of repair; delete it in the console or by gcloud,"
            " and run scripts/deploy",
        ),
    ],
)
def test_indexes_that_do_not_become_ready_stop_the_deployment(
    cloud: Cloud, capsys: pytest.CaptureFixture[str], asked: str, answer: str, told: str
) -> None:
    cloud.answer(asked, answer)
    assert deploy(cloud, capsys, "--wait-minutes", "1") == told
    assert cloud.ran("secrets", "create") + cloud.ran("functions", "deploy") == []
    assert len(cloud.pauses) <= 6


def test_rules_that_are_not_ours_are_replaced(
    cloud: Cloud, web: GoogleWeb, capsys: pytest.CaptureFixture[str]
) -> None:
    web.rules_in_force("old")
    deploy(cloud, capsys)
    (made,) = web.sent("POST", f"/rules/projects/{PROJECT}/rulesets")
    content = (cloud.root / "firestore.rules").read_text()
    files = [{"name": "firestore.rules", "content": content}]
    assert made[1] == {"source": {"files": files}}
    release_name = f"projects/{PROJECT}/releases/cloud.firestore"
    assert web.sent("PATCH", "/rules/") == [
        (
            f"/rules/{release_name}",
            {"release": {"name": release_name, "rulesetName": "rulesets/two"}},
        )
    ]


def test_a_database_with_a_name_has_a_release_of_its_own(
    cloud: Cloud, web: GoogleWeb, capsys: pytest.CaptureFixture[str]
) -> None:
    cloud.settings(FIRESTORE_DATABASE="memory")
    path = f"/rules/projects/{PROJECT}/releases/cloud.firestore/memory"
    web.answer("GET", path, 404, {})
    deploy(cloud, capsys)
    ((_, body),) = web.sent("POST", f"/rules/projects/{PROJECT}/releases")
    assert body == {
        "name": f"projects/{PROJECT}/releases/cloud.firestore/memory",
        "rulesetName": "rulesets/two",
    }


def test_rules_that_google_refuses_stop_the_deployment(
    cloud: Cloud, web: GoogleWeb, capsys: pytest.CaptureFixture[str]
) -> None:
    web.rules_in_force("old")
    web.answer("POST", f"/rules/projects/{PROJECT}/rulesets", 403, {})
    assert deploy(cloud, capsys) == "Google answers 403 about the security rules"
    assert cloud.ran("secrets", "create") + cloud.ran("functions", "deploy") == []
