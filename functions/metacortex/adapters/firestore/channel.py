"""The gRPC channel under a client of Firestore: one of our own, since the library fixes options
that decide how soon a lost connection is given up and made anew.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import grpc
from google.api_core.exceptions import Unknown
from google.cloud.firestore_v1.async_client import AsyncClient
from google.cloud.firestore_v1.services.firestore.async_client import FirestoreAsyncClient
from google.cloud.firestore_v1.services.firestore.transports.grpc_asyncio import (
    FirestoreGrpcAsyncIOTransport,
)

from metacortex.domain.errors import StoreUnusable

OPTIONS = (
    ("grpc.max_send_message_length", -1),
    ("grpc.max_receive_message_length", -1),
    ("grpc.keepalive_time_ms", 30_000),
    # Else a new channel would take over the connection of the one that it replaces.
    ("grpc.use_local_subchannel_pool", 1),
    # Else a store that was away for minutes would be found again only minutes after its return. The
    # longest, drawn out by a fifth, is shorter than the shortest pauses of one call together.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 250),
    ("grpc.min_reconnect_backoff_ms", 4_000),
)
"""The first three are those of the library."""


def new_client(project: str | None, database: str) -> AsyncClient:
    """Return a client with a channel of its own. Nothing is sent before it is used.

    Raises:
        StoreUnusable: neither the settings nor the credentials name a project.
    """
    try:
        client = AsyncClient(project=project, database=database)
    except OSError as error:
        raise StoreUnusable(
            "Firestore cannot be used: the Google credentials name no project; set"
            " GOOGLE_CLOUD_PROJECT"
        ) from error
    transport = FirestoreGrpcAsyncIOTransport(host=client._target, channel=_channel(client))
    # The library has no public way to give an asynchronous client a channel.
    client._firestore_api_internal = FirestoreAsyncClient(transport=transport)
    return client


def _channel(client: AsyncClient) -> grpc.aio.Channel:
    interceptors = (_ReadableAnswer(), _ReadableStream())
    if client._emulator_host is not None:
        return grpc.aio.insecure_channel(
            client._emulator_host, options=OPTIONS, interceptors=interceptors
        )
    return FirestoreGrpcAsyncIOTransport.create_channel(
        client._target,
        credentials=client._credentials,
        options=OPTIONS,
        interceptors=interceptors,
    )


class _ReadableAnswer(grpc.aio.UnaryUnaryClientInterceptor):  # type: ignore[misc]
    """Refuses an answer that could not be read, which gRPC hands on as None."""

    async def intercept_unary_unary(
        self, call: "Callable[[Any, Any], Awaitable[Any]]", details: Any, request: Any
    ) -> Any:
        answer = await call(details, request)
        _check(await answer)
        return answer


class _ReadableStream(grpc.aio.UnaryStreamClientInterceptor):  # type: ignore[misc]
    """Refuses a message of a stream that could not be read, which gRPC hands on as None."""

    async def intercept_unary_stream(
        self, call: "Callable[[Any, Any], Awaitable[Any]]", details: Any, request: Any
    ) -> AsyncIterator[Any]:
        return _checked(await call(details, request))


async def _checked(messages: AsyncIterator[Any]) -> AsyncIterator[Any]:
    async for message in messages:
        _check(message)
        yield message


def _check(message: object) -> None:
    if message is None:
        # Its types are not told.
        raise Unknown("The answer cannot be read.")  # type: ignore[no-untyped-call]
