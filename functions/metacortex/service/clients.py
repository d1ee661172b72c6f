"""Who may come in: profiles of the environment first, then those of the registry."""

from collections.abc import Mapping
from dataclasses import replace

from metacortex.domain.client import ClientProfile, Credential
from metacortex.domain.errors import Conflict, NotFound
from metacortex.domain.moment import Milliseconds
from metacortex.ports import ClientRegistry, Clock

CACHED_FOR: Milliseconds = 30_000
"""A change in the registry is in force everywhere within this time."""
CACHED_AT_MOST = 1_000


class ClientService:
    """Looks profiles up by their id, and keeps the registry."""

    def __init__(
        self,
        admin: ClientProfile | None,
        configured: Mapping[str, ClientProfile],
        registry: ClientRegistry,
        clock: Clock,
    ) -> None:
        self.admin = admin
        self.configured = configured
        self._registry = registry
        self._clock = clock
        self._cached: dict[str, tuple[ClientProfile | None, Milliseconds]] = {}

    async def find(self, client_id: str) -> ClientProfile | None:
        """Return the profile of a client, or None.

        The registry is asked at most every 30 seconds for one id.
        """
        if client_id in self.configured:
            return self.configured[client_id]
        now = self._clock.now()
        profile, since = self._cached.get(client_id, (None, now - CACHED_FOR))
        # A clock that was set back must not keep a removed client in force.
        if 0 <= now - since < CACHED_FOR:
            return profile
        profile = await self._registry.get(client_id)
        if len(self._cached) >= CACHED_AT_MOST:
            self._cached.clear()
        self._cached[client_id] = (profile, now)
        return profile

    async def registered(self) -> tuple[ClientProfile, ...]:
        """Return the profiles of the registry, by id."""
        return await self._registry.list()

    async def in_both(self) -> tuple[str, ...]:
        """Return the ids that the environment and the registry both name, which is a configuration
        problem.
        """
        return tuple(
            profile.id for profile in await self._registry.list() if profile.id in self.configured
        )

    async def add(self, profile: ClientProfile) -> None:
        """Register a new client.

        Raises:
            Conflict: the environment or the registry has a client of this id.
        """
        self._refuse_configured(profile.id)
        if not await self._registry.add(profile):
            raise Conflict(f"client '{profile.id}' exists; rotate its token or remove it first")
        self._cached.pop(profile.id, None)

    async def named(self, client_id: str) -> ClientProfile:
        """Return the profile of a registered client, as the registry has it now.

        Raises:
            Conflict: the environment has a client of this id.
            NotFound: the registry has no such client.
        """
        self._refuse_configured(client_id)
        profile = await self._registry.get(client_id)
        if profile is None:
            raise _not_registered(client_id)
        return profile

    async def update(self, before: ClientProfile, after: ClientProfile) -> None:
        """Let a registered client, as it was read before, be as another profile of its id tells.

        Raises:
            NotFound: the registry has no client of its id any more.
            Conflict: it was changed since.
        """
        if not await self._registry.replace(before, after):
            await self.named(before.id)
            raise Conflict(f"client '{before.id}' was changed meanwhile; try again")
        self._cached.pop(before.id, None)

    async def rotate(self, client_id: str, credential: Credential) -> ClientProfile:
        """Give a registered client another credential, and return its profile.

        Raises:
            Conflict: the environment has a client of this id, or it is changed meanwhile.
            NotFound: the registry has no such client.
        """
        before = await self.named(client_id)
        rotated = replace(before, credential=credential)
        await self.update(before, rotated)
        return rotated

    async def remove(self, client_id: str) -> None:
        """Remove a registered client.

        Raises:
            Conflict: only the environment has a client of this id.
            NotFound: there is no such client.
        """
        if not await self._registry.remove(client_id):
            self._refuse_configured(client_id)
            raise _not_registered(client_id)
        self._cached.pop(client_id, None)

    def _refuse_configured(self, client_id: str) -> None:
        if client_id in self.configured:
            raise Conflict(
                f"client '{client_id}' is named by MCP_CLIENT_PROFILES_JSON, in the environment or"
                " in credentials.json of the data directory; change it there and restart the"
                " server, or choose another id"
            )


def _not_registered(client_id: str) -> NotFound:
    return NotFound(f"client '{client_id}' is not registered; see: metacortex clients list")
