"""Client profiles as JSON."""

import json
from collections.abc import Sequence
from datetime import UTC
from typing import Any

import pytest

from metacortex.config import Settings
from metacortex.domain.client import (
    ClientProfile,
    Credential,
    SecretsPolicy,
    default_filter_state,
)
from metacortex.domain.dates.zone import zone_of
from metacortex.domain.errors import ConfigurationError
from metacortex.domain.lifecycle import BranchState
from metacortex.problems import Problems
from metacortex.profiles import profile_as_json, profile_from_json

TOOLS = ("remember_context", "search_context", "fetch_context", "deprecate_context")
ADMIN = "admin-token-0123456789"
TOKEN = "client-token-0123456789"
NOT_JSON = "MCP_CLIENT_PROFILES_JSON is not JSON; write one array of objects on one line"
LEAST: dict[str, Any] = {"id": "web", "token": TOKEN, "allowedTools": ["search_context"]}


def profiles(*entries: object, **env: str) -> Sequence[ClientProfile]:
    text = json.dumps(entries)
    env = {"MCP_ADMIN_TOKEN": ADMIN, "MCP_CLIENT_PROFILES_JSON": text, **env}
    return tuple(Settings.from_env(env, TOOLS).profiles.values())


def problems(*entries: object, text: str | None = None) -> tuple[str, ...]:
    env = {
        "MCP_ADMIN_TOKEN": ADMIN,
        "MCP_CLIENT_PROFILES_JSON": json.dumps(entries) if text is None else text,
    }
    with pytest.raises(ConfigurationError) as raised:
        Settings.from_env(env, TOOLS)
    assert TOKEN not in raised.value.sentence
    assert ADMIN not in raised.value.sentence
    return raised.value.problems


@pytest.mark.rule("C112", "C115")
def test_a_profile_that_says_the_least_has_the_defaults_of_the_contract() -> None:
    (profile,) = profiles(LEAST)
    principal = profile.principal
    assert (profile.id, profile.origins) == ("web", ())
    assert profile.credential == Credential.of(TOKEN)
    assert (principal.tenant, principal.namespaces) == ("default", ("default",))
    assert principal.tools == {"search_context"}
    assert principal.filter_states == (BranchState.ACTIVE,)
    assert principal.write_states == {BranchState.ACTIVE, BranchState.WIP}
    assert principal.default_filter_state is BranchState.ACTIVE
    assert principal.secrets is SecretsPolicy.REDACT
    assert not principal.may_replace
    assert principal.zone is UTC


@pytest.mark.rule("C112", "C115")
def test_a_profile_that_says_nothing_of_states_sees_the_default_one() -> None:
    (profile,) = profiles(LEAST, DEFAULT_FILTER_STATE="merged")
    assert profile.principal.filter_states == (BranchState.MERGED,)


@pytest.mark.rule("C112")
def test_a_profile_may_say_everything_and_is_trimmed() -> None:
    (profile,) = profiles(
        {
            "id": " web ",
            "token": f" {TOKEN} ",
            "allowedTools": [" search_context ", "fetch_context", "search_context"],
            "allowedFilterStates": ["wip ", "active", "wip"],
            "allowedWriteStates": [],
            "allowedOrigins": [" https://a.example ", "*", "", "*"],
            "tenant": " acme.1 ",
            "namespaces": [" team ", "docs/public", "team"],
            "secrets": "keep",
            "mayReplace": True,
            "timezone": " Europe/Berlin ",
        }
    )
    principal = profile.principal
    assert (profile.id, profile.origins) == ("web", ("https://a.example", "*"))
    assert profile.credential.is_proved_by(TOKEN.encode())
    assert principal.tools == {"search_context", "fetch_context"}
    assert principal.filter_states == (BranchState.WIP, BranchState.ACTIVE)
    assert principal.write_states == frozenset()
    assert (principal.tenant, principal.namespaces) == ("acme.1", ("team", "docs/public"))
    assert principal.secrets is SecretsPolicy.KEEP
    assert principal.may_replace
    assert principal.zone == zone_of("Europe/Berlin")


@pytest.mark.rule("C112")
def test_the_first_namespace_is_written_to_and_all_are_read() -> None:
    (profile,) = profiles(LEAST | {"namespaces": ["team", "docs"]})
    principal = profile.principal
    assert principal.own_namespace == "team"
    assert [principal.may_read(name) for name in ("team", "docs", "other")] == [True, True, False]
    assert [principal.may_change(name) for name in ("team", "docs")] == [True, False]


@pytest.mark.rule("C112")
def test_a_star_reads_all_namespaces_and_writes_to_default() -> None:
    (profile,) = profiles(LEAST | {"namespaces": ["*"]})
    principal = profile.principal
    assert (principal.reads_all, principal.own_namespace) == (True, "default")
    assert principal.may_read("anything")
    assert principal.may_change("anything")


@pytest.mark.rule("C115")
@pytest.mark.parametrize(
    ("allowed", "default"),
    [
        ([BranchState.WIP, BranchState.ACTIVE], BranchState.ACTIVE),
        ([BranchState.WIP, BranchState.MERGED], BranchState.WIP),
    ],
)
def test_the_default_state_is_the_preferred_one_if_it_may_be_seen(
    allowed: list[BranchState], default: BranchState
) -> None:
    assert default_filter_state(BranchState.ACTIVE, allowed) is default


@pytest.mark.rule("C113")
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "{not json",
            "MCP_CLIENT_PROFILES_JSON is not JSON; write one array of objects on one line",
        ),
        ("{}", "MCP_CLIENT_PROFILES_JSON must be a JSON array of objects"),
        ('["x"]', "profile 1: must be a JSON object"),
        ("[null]", "profile 1: must be a JSON object"),
        (
            "[" * 100_000,
            "MCP_CLIENT_PROFILES_JSON is not JSON; write one array of objects on one line",
        ),
    ],
)
def test_what_is_no_array_of_objects_is_a_problem(text: str, problem: str) -> None:
    assert problems(text=text) == (problem,)


@pytest.mark.rule("C113", "C112", "C114")
@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"id": None}, "profile 1: id is required"),
        ({"id": "  "}, "profile 1: id is required"),
        ({"id": 5}, "profile 1: id must be a string"),
        ({"id": "a/b"}, "profile 'a/b': id must be one path segment"),
        ({"id": "x" * 129}, f"profile '{'x' * 80}': id must be one path segment"),
        ({"id": "default"}, "profile 'default': the id 'default' belongs to the admin"),
        ({"token": None}, "profile 'web': token is required"),
        ({"token": "  "}, "profile 'web': token is required"),
        ({"token": 5}, "profile 'web': token must be a string"),
        ({"token": "\ud83d-0123456789-0123456789"}, "profile 'web': token must be Unicode text"),
        ({"token": "short"}, "profile 'web': token must have 16 characters or more"),
        ({"token": ADMIN}, "profile 'web': its token is another profile's or the admin's"),
        ({"allowedTools": None}, "profile 'web': allowedTools is required"),
        ({"allowedTools": []}, "profile 'web': allowedTools must not be empty"),
        ({"allowedTools": [" "]}, "profile 'web': allowedTools must not be empty"),
        ({"allowedTools": "search_context"}, "profile 'web': allowedTools must be a list"),
        ({"allowedTools": [5]}, "profile 'web': allowedTools must be a list of strings"),
        ({"allowedTools": ["nope"]}, "profile 'web': allowedTools names the unknown tool 'nope'"),
        ({"allowedFilterStates": []}, "profile 'web': allowedFilterStates must not be empty"),
        (
            {"allowedFilterStates": ["archived"]},
            "profile 'web': allowedFilterStates names the unknown state 'archived'",
        ),
        (
            {"allowedWriteStates": ["archived"]},
            "profile 'web': allowedWriteStates names the unknown state 'archived'",
        ),
        ({"allowedOrigins": "*"}, "profile 'web': allowedOrigins must be a list of strings"),
        *(
            ({"tenant": tenant}, "profile 'web': tenant must be 1 to 64 of")
            for tenant in ("a/b", ".a", "__a", "x" * 65, "ü")
        ),
        ({"tenant": ["acme"]}, "profile 'web': tenant must be a string"),
        ({"namespaces": []}, "profile 'web': namespaces must not be empty"),
        ({"namespaces": ["*", "team"]}, "profile 'web': namespaces must be ['*'] alone"),
        *(
            ({"namespaces": [name]}, f"profile 'web': namespace '{name[:80]}' must be 1 to 64 of")
            for name in (".a", "/a", "__a", "x" * 65, "te am")
        ),
        ({"secrets": "ignore"}, "profile 'web': secrets must be one of redact, refuse, keep"),
        ({"mayReplace": "true"}, "profile 'web': mayReplace must be true or false"),
        (
            {"timezone": "Berlin"},
            "profile 'web': timezone must be a name such as Europe/Berlin or UTC",
        ),
        ({"timezone": 1}, "profile 'web': timezone must be a string"),
        ({"allowedtools": []}, "profile 'web': unknown key 'allowedtools'; known are id, token"),
    ],
)
def test_each_error_names_the_profile_and_the_key(changed: dict[str, Any], words: str) -> None:
    (problem,) = problems(LEAST | changed)
    assert problem.startswith(words)


@pytest.mark.rule("C113", "C112")
def test_an_id_or_a_token_may_stand_only_once() -> None:
    other = LEAST | {"token": "other-token-0123456789"}
    assert problems(LEAST, other) == ("profile 'web': its id is used by another profile",)
    other = LEAST | {"id": "app"}
    assert problems(LEAST, other) == (
        "profile 'app': its token is another profile's or the admin's",
    )


@pytest.mark.rule("C113")
def test_an_absent_setting_names_no_clients() -> None:
    assert Settings.from_env({"MCP_ADMIN_TOKEN": ADMIN}, TOOLS).profiles == {}
    assert profiles() == ()


@pytest.mark.rule("C114a", "C114")
def test_a_profile_is_shown_without_its_credential_and_reads_back() -> None:
    said = {"namespaces": ["team"], "tenant": "acme", "secrets": "refuse", "mayReplace": True}
    said |= {"timezone": "Asia/Tokyo"}
    (profile,) = profiles(LEAST | said)
    shown = profile_as_json(profile)
    assert TOKEN not in json.dumps(shown)
    found = Problems()
    entry = {**shown, "token": TOKEN}
    assert profile_from_json(entry, "it", BranchState.ACTIVE, TOOLS, found) == profile
    found.raise_any()


@pytest.mark.rule("C19")
def test_a_credential_compares_digests_of_equal_length() -> None:
    credential = Credential.of(TOKEN)
    assert len(credential.sha256) == 32
    assert credential.is_proved_by(TOKEN.encode())
    for wrong in (b"", b"x", TOKEN.encode()[:-1], TOKEN.encode() + b"x", b"\xff\xfe\x00" * 9):
        assert not credential.is_proved_by(wrong)


@pytest.mark.rule("C19")
def test_a_token_that_is_no_unicode_text_is_proved_by_its_bytes() -> None:
    """The environment gives undecodable bytes as lone surrogates."""
    assert Credential.of("caf\udce9-token-0123456789").is_proved_by(b"caf\xe9-token-0123456789")
    assert TOKEN not in repr(Credential.of(TOKEN))
