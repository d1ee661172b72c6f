"""Which tokens a deployment refuses, and that it names their owners alone."""

import json
import secrets

import pytest

from deploy.tokens import token_findings, token_weakness
from metacortex.verdict import Verdict


@pytest.mark.parametrize(
    ("token", "weakness"),
    [
        ("replace-this-admin-token", "looks like a placeholder"),
        ("another-long-random-text", "looks like a placeholder"),
        ("Change-Me-0a8s7d6f5g4h3j2k1l", "looks like a placeholder"),
        ("my-password-0a8s7d6f5g4h3j2k1l", "looks like a placeholder"),
        ("todo-0a8s7d6f5g4h3j2k1lqpwoei", "looks like a placeholder"),
        ("k8Jw2pQ0rT7vB5n", "has fewer than 24 characters"),
        ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "repeats itself"),
        ("abc123abc123abc123abc123abc123ab", "repeats itself"),
        ("aAbBaBbAabABbaBAAbaBbABaabBAbAbB", "has fewer than 10 different characters"),
        ("abcdefghijklmnopqrstuvwxyz012345", "has too little variety"),
    ],
)
def test_a_token_that_can_be_guessed_is_weak(token: str, weakness: str) -> None:
    assert token_weakness(token) == weakness


@pytest.mark.parametrize("length", [18, 24, 32, 64])
def test_random_tokens_are_strong(length: int) -> None:
    tokens = [secrets.token_urlsafe(length) for _ in range(200)]
    tokens += [secrets.token_hex(24) for _ in range(200)]
    assert [token for token in tokens if token_weakness(token)] == []


def findings(admin: str, *tokens: str) -> list[str]:
    profiles = [{"id": f"client-{n}", "token": token} for n, token in enumerate(tokens)]
    env = {"MCP_ADMIN_TOKEN": admin, "MCP_CLIENT_PROFILES_JSON": json.dumps(profiles)}
    found = list(token_findings(env))
    assert all(token not in str(finding) for finding in found for token in (admin, *tokens))
    return [finding.finding for finding in found if finding.verdict is Verdict.FAIL]


def test_tokens_of_two_clients_must_differ_in_more_than_a_bit() -> None:
    one, other = secrets.token_hex(24), secrets.token_urlsafe(24)
    assert findings(one, other) == []
    assert findings(one, f"{one}-for-client") == [
        "client 'client-0' and the admin have the same token, or nearly"
    ]
    assert findings(one, other, other) == [
        "client 'client-1' and client 'client-0' have the same token, or nearly"
    ]


def test_each_weak_token_is_told_with_its_owner() -> None:
    assert findings("replace-this-admin-token", "replace-this-chatgpt-token") == [
        "the token of the admin looks like a placeholder",
        "the token of client 'client-0' looks like a placeholder",
    ]


def test_profiles_that_are_no_json_are_left_to_the_settings() -> None:
    env = {"MCP_ADMIN_TOKEN": "", "MCP_CLIENT_PROFILES_JSON": "[{"}
    assert list(token_findings(env)) == []
