"""Who may come in: profiles of the environment first, then those of the registry."""

from collections.abc import Mapping

from metacortex.domain.client import ClientProfile
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
        profile, until = self._cached.get(client_id, (None, now))
        if now < until:
            return profile
        profile = await self._registry.get(client_id)
        if len(self._cached) >= CACHED_AT_MOST:
            self._cached.clear()
        self._cached[client_id] = (profile, now + CACHED_FOR)
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
        if profile.id in self.configured:
            raise Conflict(
                f"client '{profile.id}' is named by MCP_CLIENT_PROFILES_JSON; choose another id"
            )
        if not await self._registry.add(profile):
            raise Conflict(f"client '{profile.id}' exists; rotate its token or remove it first")
        self._cached.pop(profile.id, None)

    async def replace(self, profile: ClientProfile) -> None:
        """Replace a registered client by its id.

        Raises:
            NotFound: the registry has no such client.
        """
        if not await self._registry.replace(profile):
            raise NotFound(
                f"client '{profile.id}' is not registered; 'clients list' shows those that are"
            )
        self._cached.pop(profile.id, None)

    async def remove(self, client_id: str) -> None:
        """Remove a registered client.

        Raises:
            NotFound: the registry has no such client.
        """
        if not await self._registry.remove(client_id):
            raise NotFound(
                f"client '{client_id}' is not registered; 'clients list' shows those that are"
            )
        self._cached.pop(client_id, None)
