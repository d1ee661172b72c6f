"""The Firestore emulator is looked for where people have it, in one order."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from metacortex.commands.emulator import find_jar, running_emulator
from metacortex.domain.errors import ConfigurationError, StoreUnusable

IN_SDK = "platform/cloud-firestore-emulator/cloud-firestore-emulator.jar"


def made(path: Path) -> Path:
    """Return a file that is there now."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o755)
    return path


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """An environment with a home and a path that hold nothing."""
    return {"HOME": str(tmp_path / "home"), "PATH": str(tmp_path / "bin")}


def with_gcloud(tmp_path: Path) -> Path:
    """Install gcloud as packages do, by a link on the path, and return its emulator."""
    program = made(tmp_path / "sdk" / "bin" / "gcloud")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "gcloud").symlink_to(program)
    return made(tmp_path / "sdk" / IN_SDK)


async def run(env: Mapping[str, str]) -> None:
    """Run the emulator of an environment, and end it at once."""
    async with running_emulator(env):
        pass


def test_a_file_that_is_named_comes_first(env: dict[str, str], tmp_path: Path) -> None:
    with_gcloud(tmp_path)
    named = made(tmp_path / "mine.jar")
    assert find_jar({**env, "FIRESTORE_EMULATOR_JAR": str(named)}) == named


def test_the_sdk_of_gcloud_comes_before_another_and_before_firebase(
    env: dict[str, str], tmp_path: Path
) -> None:
    other = made(tmp_path / "other" / IN_SDK)
    home = made(tmp_path / "home" / "google-cloud-sdk" / IN_SDK)
    made(tmp_path / "home/.cache/firebase/emulators/cloud-firestore-emulator-v1.19.8.jar")
    assert find_jar(env) == home
    assert find_jar({**env, "CLOUDSDK_ROOT_DIR": str(tmp_path / "other")}) == other
    assert find_jar({**env, "CLOUDSDK_ROOT_DIR": "/nowhere"}) == home
    ours = with_gcloud(tmp_path)
    assert find_jar({**env, "CLOUDSDK_ROOT_DIR": str(tmp_path / "other")}) == ours


@pytest.mark.parametrize("setting", [None, "FIREBASE_EMULATORS_PATH"])
def test_of_firebases_downloads_the_newest_is_taken(
    env: dict[str, str], tmp_path: Path, setting: str | None
) -> None:
    cache = tmp_path / "cache" if setting else tmp_path / "home/.cache/firebase/emulators"
    for version in ("1.9.9", "1.19.8", "1.20.2"):
        made(cache / f"cloud-firestore-emulator-v{version}.jar")
    found = find_jar({**env, setting: str(cache)} if setting else env, usual_sdks=())
    assert found == cache / "cloud-firestore-emulator-v1.20.2.jar"


def test_where_there_is_none_it_is_said_how_to_install_it(env: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError) as raised:
        find_jar(env, usual_sdks=())
    assert "run: gcloud components install cloud-firestore-emulator" in raised.value.sentence


def test_a_named_file_that_is_not_there_is_told(env: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError, match="and there is no such file"):
        find_jar({**env, "FIRESTORE_EMULATOR_JAR": "/nowhere.jar"})


async def test_where_there_is_no_java_it_is_said_how_to_install_it(env: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError, match="there is no java on the PATH; install version"):
        await run(env)


@pytest.mark.parametrize(
    ("host", "told"),
    [
        ("8088", "must be a host and a port"),
        ("here:there", "must be a host and a port"),
        ("127.0.0.1:99999", "must be a host and a port up to 65535"),
        ("127.0.0.1:1", "none answers; start it there, or unset"),
    ],
)
async def test_an_emulator_that_is_said_to_run_and_does_not_is_told(
    env: dict[str, str], host: str, told: str
) -> None:
    with pytest.raises(ConfigurationError, match=told):
        await run({**env, "FIRESTORE_EMULATOR_HOST": host})


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("echo; echo no such port", "did not start; it said: no such port"),
        ("echo java.lang.UnsupportedClassVersionError: 65.0", "needs a newer Java"),
        (":", "did not start$"),
    ],
)
async def test_an_emulator_that_does_not_start_is_told_with_its_last_words(
    env: dict[str, str], tmp_path: Path, said: str, told: str
) -> None:
    made(tmp_path / "bin" / "java").write_text(f"#!/bin/sh\n{said} >&2\nexit 1\n")
    jar = made(tmp_path / "emulator.jar")
    with pytest.raises(StoreUnusable, match=told):
        await run({**env, "FIRESTORE_EMULATOR_JAR": str(jar)})
