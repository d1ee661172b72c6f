"""Tokens that only this store's servers can make: see `metacortex.domain.sealed`."""

from collections.abc import Mapping
from secrets import token_bytes

from metacortex.domain import sealed
from metacortex.domain.client import Principal
from metacortex.domain.json import JSON
from metacortex.domain.sealed import SECRET_SIZE, Purpose
from metacortex.ports import Clock, MemoryStore


class Seals:
    """Seals and opens tokens under the store's secret, so that any instance can check them."""

    def __init__(self, store: MemoryStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._secret: bytes | None = None

    async def seal(
        self, purpose: Purpose, principal: Principal, payload: Mapping[str, JSON]
    ) -> str:
        """Return a token that this principal may bring back."""
        return sealed.seal(await self.secret(), purpose, principal, payload, self._clock.now())

    async def opened(
        self, purpose: Purpose, principal: Principal, token: str
    ) -> Mapping[str, JSON]:
        """Return the payload of a token.

        Raises:
            InvalidInput: as `metacortex.domain.sealed.opened` does.
        """
        return sealed.opened(await self.secret(), purpose, principal, token, self._clock.now())

    async def secret(self) -> bytes:
        """Return the store's secret, from which all keys are derived."""
        if self._secret is None:
            self._secret = await self._store.secret(token_bytes(SECRET_SIZE))
        return self._secret
