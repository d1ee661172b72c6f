"""Client profiles in Firestore, at its root. A token is stored as its digest only."""

from collections.abc import Mapping
from itertools import count
from typing import TYPE_CHECKING, Any

from metacortex.adapters.firestore.connection import Connection
from metacortex.adapters.firestore.layout import CLIENTS, key_of
from metacortex.domain.client import ClientProfile, Credential, Principal, SecretsPolicy
from metacortex.domain.dates.zone import zone_of
from metacortex.domain.lifecycle import BranchState

if TYPE_CHECKING:
    from google.cloud.firestore_v1.async_client import AsyncClient
    from google.cloud.firestore_v1.async_document import AsyncDocumentReference


class FirestoreClientRegistry:
    """The `ClientRegistry` of one database."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def get(self, client_id: str) -> ClientProfile | None:
        async def get(client: "AsyncClient") -> ClientProfile | None:
            stored = (await _place(client, client_id).get(retry=None)).to_dict()
            return _load(stored) if stored else None

        return await self._connection.read(get)

    async def list(self) -> tuple[ClientProfile, ...]:
        async def everyone(client: "AsyncClient") -> tuple[ClientProfile, ...]:
            found = client.collection(CLIENTS).stream(retry=None)
            profiles = [_load(snapshot.to_dict() or {}) async for snapshot in found]
            return tuple(sorted(profiles, key=lambda profile: profile.id))

        return await self._connection.read(everyone)

    async def add(self, profile: ClientProfile) -> bool:
        attempts = count(1)

        async def add(client: "AsyncClient") -> bool:
            from google.api_core.exceptions import AlreadyExists

            first = next(attempts) == 1
            place = _place(client, profile.id)
            try:
                await place.create(_dump(profile), retry=None)
            except AlreadyExists:
                if first:
                    return False
                # An attempt of this call whose answer was lost may have stored it.
                stored = (await place.get(retry=None)).to_dict()
                return stored is not None and _load(stored) == profile
            return True

        return await self._connection.write(add)

    async def replace(self, before: ClientProfile, after: ClientProfile) -> bool:
        async def replace(client: "AsyncClient") -> bool:
            from metacortex.adapters.firestore.failures import TAKEN

            found = await _place(client, before.id).get(retry=None)
            stored = found.to_dict()
            if not stored or _load(stored) not in (before, after):
                return False
            unchanged = client.write_option(last_update_time=found.update_time)
            try:
                await found.reference.update(_dump(after), option=unchanged, retry=None)
            except TAKEN:
                return False
            return True

        return await self._connection.write(replace)

    async def remove(self, client_id: str) -> bool:
        tried = False

        async def remove(client: "AsyncClient") -> bool:
            from google.api_core.exceptions import NotFound

            nonlocal tried
            place = _place(client, client_id)
            if not await _is_there(place):
                # An attempt of this call whose answer was lost may have deleted it.
                return tried
            tried = True
            try:
                await place.delete(client.write_option(exists=True), retry=None)
            except NotFound:
                return False
            return True

        return await self._connection.write(remove)


async def _is_there(place: "AsyncDocumentReference") -> bool:
    return bool((await place.get([], retry=None)).exists)


def _place(client: "AsyncClient", client_id: str) -> "AsyncDocumentReference":
    return client.collection(CLIENTS).document(key_of(client_id))


def _dump(profile: ClientProfile) -> dict[str, Any]:
    principal = profile.principal
    return {
        "id": profile.id,
        "tenant": principal.tenant,
        "tools": sorted(principal.tools),
        "filter_states": [state.value for state in principal.filter_states],
        "write_states": sorted(state.value for state in principal.write_states),
        "default_filter_state": principal.default_filter_state.value,
        "namespaces": list(principal.namespaces),
        "secrets": principal.secrets.value,
        "may_replace": principal.may_replace,
        "timezone": str(principal.zone),
        "origins": list(profile.origins),
        "token_sha256": profile.credential.sha256,
    }


def _load(stored: Mapping[str, Any]) -> ClientProfile:
    principal = Principal(
        tenant=stored["tenant"],
        client_id=stored["id"],
        tools=frozenset(stored["tools"]),
        filter_states=tuple(map(BranchState, stored["filter_states"])),
        write_states=frozenset(map(BranchState, stored["write_states"])),
        default_filter_state=BranchState(stored["default_filter_state"]),
        namespaces=tuple(stored["namespaces"]),
        secrets=SecretsPolicy(stored["secrets"]),
        # Profiles of 0.1.0 say neither.
        may_replace=stored.get("may_replace", False),
        zone=zone_of(stored.get("timezone", "UTC")),
    )
    return ClientProfile(principal, Credential(stored["token_sha256"]), tuple(stored["origins"]))
