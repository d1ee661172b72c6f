"""Where the settings of a deployment come from, and how their file is read."""

from pathlib import Path

import pytest

from deploy.environment_file import DEPLOY_FILE, given_settings, known_settings
from deploy.function import cpus
from deploy.project_checks import near
from deploy.running import Refused

FILE = """# The first deployment
GOOGLE_CLOUD_PROJECT=my-project   # a comment
export DEPLOY_REGION="us-east1"
MCP_CLIENT_PROFILES_JSON='[{"id": "a b", "token": "x#y"}]'
SERVICE_NAME=
"""


def written(root: Path, text: str, name: str = DEPLOY_FILE) -> Path:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text)
    return root


def test_the_file_is_read_as_a_shell_reads_it(tmp_path: Path) -> None:
    given = given_settings({}, None, written(tmp_path, FILE))
    assert (given.source, given.unknown) == (DEPLOY_FILE, ())
    assert given.settings == {
        "GOOGLE_CLOUD_PROJECT": "my-project",
        "DEPLOY_REGION": "us-east1",
        "MCP_CLIENT_PROFILES_JSON": '[{"id": "a b", "token": "x#y"}]',
        "SERVICE_NAME": "",
    }


def test_where_there_is_a_file_the_environment_does_not_count(tmp_path: Path) -> None:
    env = {"METACORTEX_EMBEDDER": "use", "DEPLOY_REGION": "europe-west1"}
    given = given_settings(env, None, written(tmp_path, FILE))
    assert "METACORTEX_EMBEDDER" not in given.settings
    assert given.settings["DEPLOY_REGION"] == "us-east1"


def test_without_a_file_the_environment_gives_what_is_a_setting(tmp_path: Path) -> None:
    given = given_settings({"PATH": "/bin", "DEPLOY_REGION": "us-east1"}, None, tmp_path)
    assert (given.settings, given.source) == ({"DEPLOY_REGION": "us-east1"}, "the environment")


def test_names_that_are_no_settings_are_noticed_but_for_those_of_opentelemetry(
    tmp_path: Path,
) -> None:
    root = written(tmp_path, "DEPLOY_REGOIN=x\nOTEL_TRACES_SAMPLER=always_on\n", "other.env")
    assert given_settings({}, "other.env", root).unknown == ("DEPLOY_REGOIN",)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("A=1\nno value here\n", "line 2 is no NAME=value"),
        ("A='never ends\n", "line 1 has a quote that does not end"),
        ("A=[1, 2]\n", "line 1 has a value with spaces: put it in single quotes"),
    ],
)
def test_a_line_that_cannot_be_read_is_told_without_what_it_holds(
    tmp_path: Path, text: str, told: str
) -> None:
    with pytest.raises(Refused) as refusal:
        given_settings({}, None, written(tmp_path, text))
    assert str(refusal.value) == f"'{DEPLOY_FILE}' cannot be read: {told}"


def test_a_file_that_was_named_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="is not there"):
        given_settings({}, "other.env", tmp_path)


def test_the_settings_that_are_known_are_those_of_the_example() -> None:
    assert {"MCP_ADMIN_TOKEN", "DEPLOY_REGION", "GEMINI_BACKEND"} <= known_settings()


@pytest.mark.parametrize(
    ("memory_mb", "count"), [(512, 1), (4_096, 1), (4_097, 2), (16_384, 4), (32_768, 8)]
)
def test_memory_comes_with_the_processors_that_cloud_run_wants_for_it(
    memory_mb: int, count: int
) -> None:
    assert cpus(memory_mb) == count


@pytest.mark.parametrize(
    ("location", "region", "is_near"),
    [
        ("us-central1", "us-central1", True),
        ("nam5", "us-east1", True),
        ("eur3", "europe-west4", True),
        ("eur3", "us-east1", False),
        ("asia-east1", "asia-east2", False),
    ],
)
def test_a_database_is_near_in_the_same_region_or_a_multi_region_around_it(
    location: str, region: str, is_near: bool
) -> None:
    assert near(location, region) is is_near
