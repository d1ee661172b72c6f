"""What `ClientRegistry` promises."""

from dataclasses import replace

import pytest

from metacortex.domain.client import ClientProfile, Credential, Principal, SecretsPolicy
from metacortex.domain.dates.zone import zone_of
from metacortex.domain.lifecycle import BranchState
from metacortex.ports import ClientRegistry


def a_profile(client_id: str = "claude-web") -> ClientProfile:
    principal = Principal(
        tenant="acme",
        client_id=client_id,
        tools=frozenset({"search_context", "fetch_context"}),
        filter_states=(BranchState.WIP, BranchState.ACTIVE),
        write_states=frozenset({BranchState.WIP}),
        default_filter_state=BranchState.ACTIVE,
        namespaces=("docs/public", "default"),
        secrets=SecretsPolicy.REFUSE,
        may_replace=True,
        zone=zone_of("Europe/Berlin"),
    )
    return ClientProfile(principal, Credential.of("a token of a client"), ("https://claude.ai",))


async def test_a_profile_comes_back_equal(client_registry: ClientRegistry) -> None:
    assert await client_registry.add(a_profile())
    assert await client_registry.get("claude-web") == a_profile()


async def test_an_id_is_taken_once(client_registry: ClientRegistry) -> None:
    await client_registry.add(a_profile())
    other = replace(a_profile(), origins=())
    assert not await client_registry.add(other)
    assert await client_registry.get("claude-web") == a_profile()


async def test_profiles_are_listed_by_id(client_registry: ClientRegistry) -> None:
    assert await client_registry.list() == ()
    for client_id in ("b", "c", "a"):
        await client_registry.add(a_profile(client_id))
    assert await client_registry.list() == (a_profile("a"), a_profile("b"), a_profile("c"))


async def test_replacing_renews_a_profile_by_its_id(client_registry: ClientRegistry) -> None:
    assert not await client_registry.replace(a_profile(), a_profile())
    await client_registry.add(a_profile())
    await client_registry.add(a_profile("other"))
    rotated = replace(a_profile(), credential=Credential.of("another token"))
    assert await client_registry.replace(a_profile(), rotated)
    assert await client_registry.list() == (rotated, a_profile("other"))
    assert await client_registry.replace(a_profile(), rotated)


@pytest.mark.parametrize(
    "meanwhile",
    [
        replace(a_profile(), credential=Credential.of("another token")),
        replace(a_profile(), origins=()),
    ],
    ids=["rotated", "updated"],
)
async def test_what_was_changed_since_it_was_read_is_not_replaced(
    client_registry: ClientRegistry, meanwhile: ClientProfile
) -> None:
    await client_registry.add(a_profile())
    assert await client_registry.replace(a_profile(), meanwhile)
    late = replace(a_profile(), origins=("https://a.example",))
    assert not await client_registry.replace(a_profile(), late)
    assert await client_registry.get("claude-web") == meanwhile


async def test_removing_deletes_one_profile(client_registry: ClientRegistry) -> None:
    await client_registry.add(a_profile("a"))
    await client_registry.add(a_profile("b"))
    assert await client_registry.remove("a")
    assert not await client_registry.remove("a")
    assert await client_registry.list() == (a_profile("b"),)


@pytest.mark.parametrize(
    "client_id", ["", "a/b", "CLAUDE-WEB", "\ud800", "claude-web\x00", "x" * 9_999], ids=ascii
)
async def test_any_other_string_is_no_client(
    client_registry: ClientRegistry, client_id: str
) -> None:
    await client_registry.add(a_profile())
    assert await client_registry.get(client_id) is None
    assert not await client_registry.remove(client_id)
