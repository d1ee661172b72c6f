"""The settings of the engine: a file on one machine, Firestore in a function."""

import pytest

from metacortex.domain.errors import ConfigurationError
from metacortex.engine_settings import (
    EngineSettings,
    FirestoreSettings,
    SqliteSettings,
    engine_settings,
)
from metacortex.problems import Problems
from metacortex.reading import Reader

FIRESTORE = FirestoreSettings(None, "(default)", "memory_vectors", None)


def engine(**env: str) -> EngineSettings:
    """Return the engine that an environment names.

    Raises:
        ConfigurationError: with every problem that was found.
    """
    problems = Problems()
    found = engine_settings(Reader(env, problems))
    problems.raise_any()
    return found


@pytest.mark.parametrize("host", ["localhost:8088", "[::1]:8088", "firestore_1:65535"])
def test_an_emulator_may_be_on_any_host_and_know_projects_of_any_length(host: str) -> None:
    project = "test-" + "0" * 32
    found = engine(
        METACORTEX_ENGINE="firestore", FIRESTORE_EMULATOR_HOST=host, GOOGLE_CLOUD_PROJECT=project
    )
    assert found == FirestoreSettings(project, "(default)", "memory_vectors", host)


def test_on_one_machine_it_is_a_file() -> None:
    assert engine() == SqliteSettings(512)
    assert engine(METACORTEX_CACHE_MB="64") == SqliteSettings(64)


def test_a_deployed_function_uses_firestore_unless_another_engine_is_named() -> None:
    assert engine(FUNCTION_TARGET="metaCortexMcp") == FIRESTORE
    named = engine(FUNCTION_TARGET="metaCortexMcp", METACORTEX_ENGINE="sqlite")
    assert named == SqliteSettings(512)


def test_everything_of_firestore_can_be_set() -> None:
    assert engine(
        METACORTEX_ENGINE="firestore",
        GOOGLE_CLOUD_PROJECT="harbour",
        FIRESTORE_DATABASE="memories",
        MEMORY_COLLECTION="team-memories",
        FIRESTORE_EMULATOR_HOST="127.0.0.1:8790",
    ) == FirestoreSettings("harbour", "memories", "team-memories", "127.0.0.1:8790")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("METACORTEX_ENGINE", "postgres"),
        *(
            ("MEMORY_COLLECTION", value)
            for value in ("1st", "a/b", "__x__", "a" * 65, "clients", "memory_events", "tenants")
        ),
        *(
            ("FIRESTORE_EMULATOR_HOST", value)
            for value in ("nonsense", "http://127.0.0.1:8088", "127.0.0.1:99999", "a:0", ":8088")
        ),
        *(("FIRESTORE_DATABASE", value) for value in ("bad name/€", "Memories", "abc", "memory-")),
        *(
            ("GOOGLE_CLOUD_PROJECT", value)
            for value in ("bad/project name", "demo-é", "short", "a" * 31, "1-project", "project-")
        ),
    ],
)
def test_a_wrong_value_is_one_problem_that_names_the_setting(name: str, value: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        engine(**{name: value})
    (sentence,) = raised.value.problems
    assert sentence.startswith(name)
