"""The secret of one database: a document at its root, made at its first need."""

from typing import TYPE_CHECKING

from metacortex.adapters.firestore.connection import Connection
from metacortex.adapters.firestore.layout import SECRET

if TYPE_CHECKING:
    from google.cloud.firestore_v1.async_client import AsyncClient
    from google.cloud.firestore_v1.async_document import AsyncDocumentReference

_FIELD = "secret"


async def secret_of(connection: Connection, offered: bytes) -> bytes:
    """Return the secret, which `offered` becomes where there is none."""

    async def kept(client: "AsyncClient") -> bytes:
        from google.api_core.exceptions import AlreadyExists

        place = client.document(SECRET)
        if stored := await _stored(place):
            return stored
        try:
            await place.create({_FIELD: offered}, retry=None)
        except AlreadyExists:
            # Another instance was first.
            return await _stored(place) or offered
        return offered

    return await connection.write(kept)


async def _stored(place: "AsyncDocumentReference") -> bytes | None:
    secret: bytes | None = ((await place.get(retry=None)).to_dict() or {}).get(_FIELD)
    return secret
