"""Credentials that the server makes for itself: made once, and kept for their owner alone."""

import json
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from metacortex.bootstrap import TOOL_NAMES
from metacortex.config import Settings
from metacortex.credentials import credentials_file, make_missing, with_stored
from metacortex.domain.errors import ConfigurationError, StoreUnusable

GIVEN = {"MCP_ADMIN_TOKEN": "given-token-0123456789"}


def permissions(path: Path) -> int:
    """Return who may do what with a file."""
    return stat.S_IMODE(path.stat().st_mode)


def test_what_nobody_has_set_is_made_and_stays(tmp_path: Path) -> None:
    made = make_missing({}, tmp_path)
    assert make_missing({}, tmp_path) == made
    assert with_stored({}, tmp_path) == made


def test_what_is_made_is_a_valid_configuration(tmp_path: Path) -> None:
    settings = Settings.from_env(make_missing({}, tmp_path), TOOL_NAMES)
    assert {profile.id: profile.origins for profile in settings.profiles.values()} == {
        "chatgpt-web": ("https://chatgpt.com",),
        "claude-web": ("https://claude.ai",),
    }
    tools = {tuple(sorted(profile.principal.tools)) for profile in settings.profiles.values()}
    assert tools == {("fetch_context", "remember_context", "search_context")}


def test_the_file_and_its_folder_are_for_their_owner_alone(tmp_path: Path) -> None:
    make_missing({}, tmp_path / "memory")
    assert permissions(tmp_path / "memory") == 0o700
    assert permissions(credentials_file(tmp_path / "memory")) == 0o600


def test_no_two_makings_are_alike(tmp_path: Path) -> None:
    assert make_missing({}, tmp_path / "a") != make_missing({}, tmp_path / "b")


def test_the_environment_goes_before_the_file(tmp_path: Path) -> None:
    make_missing({}, tmp_path)
    assert with_stored(GIVEN, tmp_path)["MCP_ADMIN_TOKEN"] == GIVEN["MCP_ADMIN_TOKEN"]


def test_what_the_environment_names_is_not_stored(tmp_path: Path) -> None:
    make_missing(GIVEN, tmp_path)
    stored = json.loads(credentials_file(tmp_path).read_text())
    assert list(stored) == ["MCP_CLIENT_PROFILES_JSON"]


def test_nothing_is_stored_where_nothing_is_missing(tmp_path: Path) -> None:
    env = {**GIVEN, "MCP_CLIENT_PROFILES_JSON": "[]"}
    assert make_missing(env, tmp_path) == env
    assert not credentials_file(tmp_path).exists()


def test_a_part_that_is_missing_later_is_made_and_the_rest_kept(tmp_path: Path) -> None:
    profiles = make_missing(GIVEN, tmp_path)["MCP_CLIENT_PROFILES_JSON"]
    later = make_missing({"MCP_ADMIN_TOKEN": " "}, tmp_path)
    assert later["MCP_CLIENT_PROFILES_JSON"] == profiles
    assert later["MCP_ADMIN_TOKEN"].startswith("mcx_")


def test_reading_makes_nothing(tmp_path: Path) -> None:
    assert with_stored({}, tmp_path / "memory") == {}
    assert not (tmp_path / "memory").exists()


def test_starts_at_the_same_moment_agree(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: json.dumps(make_missing({}, tmp_path)), range(8)))
    assert len(set(made)) == 1


def test_what_a_killed_start_left_behind_does_not_matter(tmp_path: Path) -> None:
    credentials_file(tmp_path).with_suffix(".new").write_text("{")
    made = make_missing({}, tmp_path)
    assert with_stored({}, tmp_path) == made


@pytest.mark.parametrize("text", ["", "{", "[]", '{"MCP_ALLOWED_TOOLS":"x"}', '{"a":1}', "\xff"])
def test_a_broken_file_is_named_and_kept(tmp_path: Path, text: str) -> None:
    path = credentials_file(tmp_path)
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(ConfigurationError, match=r"credentials\.json' holds no credentials"):
        make_missing({}, tmp_path)
    assert path.read_bytes() == text.encode("latin-1")


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    credentials_file(tmp_path).mkdir()
    with pytest.raises(ConfigurationError, match=r"credentials\.json' cannot be read"):
        with_stored({}, tmp_path)


def test_a_folder_that_cannot_be_written_is_named_with_its_setting(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreUnusable, match="METACORTEX_DATA_DIR"):
        make_missing({}, tmp_path / "file" / "memory")
