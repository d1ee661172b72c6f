"""Who may come in: the environment first, then the registry."""

from dataclasses import replace

import pytest

from metacortex.domain.client import ClientProfile, Credential
from metacortex.domain.errors import Conflict, NotFound
from metacortex.service.clients import CACHED_AT_MOST, CACHED_FOR
from tests.endpoint import Endpoint
from tests.world import World


def registered(world: World, client_id: str, token: str = "registered-token-01") -> ClientProfile:
    """Return a profile like that of `nowhere`, under another id."""
    principal = replace(world.principal("nowhere"), client_id=client_id)
    return ClientProfile(principal, Credential.of(token))


@pytest.mark.rule("C114a")
async def test_a_registered_client_may_come_in(world: World) -> None:
    await world.services.clients.add(registered(world, "mobile"))
    endpoint = Endpoint(world.http, "/clients/mobile/mcp", "registered-token-01")
    assert (await endpoint.ping()).status_code == 200
    assert (await endpoint.ping(token="Bearer another-token-0123")).status_code == 401


@pytest.mark.rule("C114a")
async def test_a_change_by_another_process_is_in_force_after_thirty_seconds(world: World) -> None:
    endpoint = Endpoint(world.http, "/clients/mobile/mcp", "registered-token-01")
    assert CACHED_FOR == 30_000
    assert (await endpoint.ping()).status_code == 404
    await world.registry.add(registered(world, "mobile"))
    world.clock.at += CACHED_FOR - 1
    assert (await endpoint.ping()).status_code == 404
    world.clock.at += 1
    assert (await endpoint.ping()).status_code == 200
    await world.registry.remove("mobile")
    world.clock.at += CACHED_FOR - 1
    assert (await endpoint.ping()).status_code == 200
    world.clock.at += 1
    assert (await endpoint.ping()).status_code == 404


@pytest.mark.rule("C114a")
async def test_a_change_by_this_process_is_in_force_at_once(world: World) -> None:
    clients = world.services.clients
    old, new = registered(world, "mobile"), registered(world, "mobile", "another-token-0123")
    assert await clients.find("mobile") is None
    await clients.add(old)
    assert await clients.find("mobile") == old
    assert await clients.rotate("mobile", new.credential) == new
    assert await clients.find("mobile") == new
    assert await clients.registered() == (new,)
    await clients.remove("mobile")
    assert await clients.find("mobile") is None


@pytest.mark.rule("C114a")
async def test_the_environment_comes_first_and_an_id_in_both_is_a_problem(world: World) -> None:
    clients = world.services.clients
    assert await clients.in_both() == ()
    await world.registry.add(registered(world, "claude-web"))
    await world.registry.add(registered(world, "mobile"))
    assert await clients.find("claude-web") == world.settings.profiles["claude-web"]
    assert await clients.in_both() == ("claude-web",)
    with pytest.raises(Conflict, match="'claude-web' is named by MCP_CLIENT_PROFILES_JSON"):
        await clients.add(registered(world, "claude-web"))


@pytest.mark.rule("C114a")
async def test_the_registry_tells_what_is_there_and_what_is_not(world: World) -> None:
    clients = world.services.clients
    await clients.add(registered(world, "mobile"))
    with pytest.raises(Conflict, match="'mobile' exists"):
        await clients.add(registered(world, "mobile"))
    with pytest.raises(NotFound, match="'nobody' is not registered"):
        await clients.rotate("nobody", Credential.of("another-token-0123"))
    with pytest.raises(NotFound, match="'nobody' is not registered"):
        await clients.remove("nobody")


@pytest.mark.rule("C114a")
async def test_only_the_newest_of_many_invented_ids_are_kept_in_mind(world: World) -> None:
    clients = world.services.clients
    for number in range(CACHED_AT_MOST + 2):
        assert await clients.find(f"invented-{number}") is None
    oldest, newest = "invented-0", f"invented-{CACHED_AT_MOST + 1}"
    for client_id in (oldest, newest):
        await world.registry.add(registered(world, client_id))
    # What the registry gained behind the service shows which of them it is asked for again.
    assert await clients.find(newest) is None
    assert await clients.find(oldest) == registered(world, oldest)


@pytest.mark.rule("C114a")
async def test_a_clock_that_is_set_back_keeps_no_removed_client_in_force(world: World) -> None:
    await world.registry.add(registered(world, "phone"))
    assert await world.services.clients.find("phone") is not None
    await world.registry.remove("phone")
    world.clock.at -= 3_600_000
    assert await world.services.clients.find("phone") is None


@pytest.mark.rule("C114a", "C19")
async def test_the_registry_keeps_no_token(world: World) -> None:
    profile = registered(world, "mobile")
    await world.services.clients.add(profile)
    (stored,) = await world.services.clients.registered()
    assert stored == profile
    assert "registered-token-01" not in repr(stored)


async def test_a_client_is_changed_at_once_in_this_process(world: World) -> None:
    clients = world.services.clients
    old = registered(world, "mobile")
    await clients.add(old)
    assert await clients.find("mobile") == old
    new = replace(old, origins=("https://a.example",))
    await clients.update(old, new)
    assert await clients.find("mobile") == new
    await clients.remove("mobile")
    with pytest.raises(NotFound, match="client 'mobile' is not registered"):
        await clients.update(old, new)


async def test_a_change_does_not_bring_back_a_token_that_was_replaced_meanwhile(
    world: World,
) -> None:
    clients = world.services.clients
    read = registered(world, "mobile")
    await clients.add(read)
    rotated = await clients.rotate("mobile", Credential.of("another-token-0123"))
    with pytest.raises(Conflict, match="client 'mobile' was changed meanwhile; try again"):
        await clients.update(read, replace(read, origins=("https://a.example",)))
    assert await clients.find("mobile") == rotated
