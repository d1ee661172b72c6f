"""Sealed tokens: what was given comes back, and only to whom and for what it was given."""

import json
from base64 import urlsafe_b64decode
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metacortex.domain.client import Principal, whole_tenant
from metacortex.domain.errors import InvalidInput
from metacortex.domain.json import JSON
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.sealed import Purpose, opened, seal
from metacortex.service.seals import Seals
from tests.samples import NOW
from tests.world import World

SECRET = bytes(range(32))
CURSOR = Purpose("list_things", "cursor", 1_000, "list again without it")
FOREIGN = "^cursor is not one that list_things gave to this client; list again without it$"
PAYLOADS = st.dictionaries(st.text(max_size=4), st.none() | st.integers() | st.text(max_size=8))
NAMES = st.text("ab,\"[é", max_size=4)  # fmt: skip


def of(client_id: str, tenant: str) -> Principal:
    return whole_tenant(client_id, tenant, BranchState.ACTIVE)


ADA = of("ada", "acme")
TOKEN = seal(SECRET, CURSOR, ADA, {"at": 1}, NOW)


@given(PAYLOADS, NAMES, NAMES, st.binary(min_size=32, max_size=32))
def test_what_was_sealed_comes_back(
    payload: dict[str, JSON], client_id: str, tenant: str, secret: bytes
) -> None:
    bearer = of(client_id, tenant)
    token = seal(secret, CURSOR, bearer, payload, NOW)
    assert opened(secret, CURSOR, bearer, token, NOW + 999) == payload


@given(PAYLOADS)
def test_a_token_can_stand_in_a_url_as_it_is(payload: dict[str, JSON]) -> None:
    token = seal(SECRET, CURSOR, ADA, payload, NOW)
    assert token.isascii()
    assert token.replace("-", "").replace("_", "").isalnum()


@given(st.integers(0, len(TOKEN) - 1), st.characters())
def test_a_token_in_which_any_character_differs_is_refused(at: int, other: str) -> None:
    if other != TOKEN[at]:
        with pytest.raises(InvalidInput, match=FOREIGN):
            opened(SECRET, CURSOR, ADA, TOKEN[:at] + other + TOKEN[at + 1 :], NOW)


@given(st.text() | st.integers(0, len(TOKEN) - 1).map(lambda end: TOKEN[:end]))
def test_any_other_text_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match=FOREIGN):
        opened(SECRET, CURSOR, ADA, text, NOW)


@pytest.mark.parametrize("extra", ["=", "==", "A", "\n", " ", "\ud800"])
def test_a_token_with_more_behind_it_is_refused(extra: str) -> None:
    with pytest.raises(InvalidInput, match=FOREIGN):
        opened(SECRET, CURSOR, ADA, TOKEN + extra, NOW)


@given(NAMES, NAMES, NAMES, NAMES)
def test_a_token_is_good_for_its_own_tenant_client_and_purpose_alone(
    client_id: str, tenant: str, tool: str, argument: str
) -> None:
    given = (client_id, tenant, tool, argument)
    if given != ("ada", "acme", "list_things", "cursor"):
        other = replace(CURSOR, tool=tool, argument=argument)
        with pytest.raises(InvalidInput):
            opened(SECRET, other, of(client_id, tenant), TOKEN, NOW)


@given(NAMES, NAMES, NAMES, NAMES)
def test_names_that_only_join_alike_do_not_share_tokens(
    client_id: str, tenant: str, other_id: str, other_tenant: str
) -> None:
    same = (client_id, tenant) == (other_id, other_tenant)
    token = seal(SECRET, CURSOR, of(client_id, tenant), {}, NOW)
    assert (token == seal(SECRET, CURSOR, of(other_id, other_tenant), {}, NOW)) == same


def test_a_token_under_another_secret_is_refused() -> None:
    with pytest.raises(InvalidInput, match=FOREIGN):
        opened(bytes(32), CURSOR, ADA, TOKEN, NOW)


def test_a_token_ends_with_its_lifetime() -> None:
    with pytest.raises(InvalidInput, match=r"^cursor has expired; list again without it$"):
        opened(SECRET, CURSOR, ADA, TOKEN, NOW + 1_000)


def test_a_token_does_not_hold_what_it_is_bound_to() -> None:
    body = urlsafe_b64decode(TOKEN + "=" * (-len(TOKEN) % 4))[32:]
    assert json.loads(body) == [NOW + 1_000, {"at": 1}]


async def test_every_instance_opens_what_another_has_sealed(world: World) -> None:
    here, there = (Seals(world.store, world.clock) for _ in range(2))
    token = await here.seal(CURSOR, ADA, {"at": 1})
    assert await there.opened(CURSOR, ADA, token) == {"at": 1}
    world.clock.at += CURSOR.lifetime
    with pytest.raises(InvalidInput, match="expired"):
        await here.opened(CURSOR, ADA, token)
