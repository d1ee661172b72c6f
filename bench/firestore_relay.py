"""A server that stands before a Firestore emulator: it carries each call there, counts the
documents that are read and written on the way, and answers with a fault where it is told to.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from math import ceil
from typing import Any

import grpc
from google.cloud.firestore_v1.types import (
    BatchGetDocumentsResponse,
    CommitRequest,
    RunAggregationQueryRequest,
    RunAggregationQueryResponse,
    RunQueryRequest,
    RunQueryResponse,
)

_PASSED_ON = ("authorization", "google-cloud-resource-prefix", "x-goog-request-params")
_COUNTED_BY_ONE_READ = 1_000
_ANY_SIZE = (("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1))

NEAREST = "RunQuery findNearest"
"""A vector query, which is one kind of RunQuery."""

Messages = Sequence[bytes]


@dataclass
class Traffic:
    """What has gone over the wire: documents that were read and written, as Google bills them, and
    how often each method was called.

    A document that is not there counts as one read, a query that finds nothing as one, and a count
    as one for each thousand.
    """

    reads: int = 0
    writes: int = 0
    calls: Counter[str] = field(default_factory=Counter)

    def note(self, method: str, asked: Messages, answered: Messages) -> None:
        """Add one call that Firestore has answered."""
        self.calls[method] += 1
        if method == "BatchGetDocuments":
            found = map(BatchGetDocumentsResponse.deserialize, answered)
            self.reads += sum(bool(each.found.name or each.missing) for each in found)
        elif method == "RunQuery":
            rows = sum(bool(RunQueryResponse.deserialize(each).document.name) for each in answered)
            self.reads += max(1, rows)
        elif method == "RunAggregationQuery":
            self.reads += sum(_reads_of_aggregation(asked[0], each) for each in answered)
        elif method == "Commit":
            self.writes += sum(len(CommitRequest.deserialize(each).writes) for each in asked)


@dataclass(frozen=True)
class Fault:
    """What a call is answered with in place of what Firestore says.

    `arrived` tells that Firestore carries out the call all the same; of its messages the first
    `answered` come before the status. `messages` come instead of any, and then all is said to be
    well where `code` is OK.
    """

    code: grpc.StatusCode
    details: str = "made up"
    arrived: bool = False
    answered: int = 0
    messages: Messages = ()


Faults = Callable[[str], Awaitable[Fault | None]]


async def no_faults(method: str) -> None:
    """Carry every call."""


@dataclass
class Relay:
    """A relay that listens at `host`."""

    host: str
    traffic: Traffic = field(default_factory=Traffic)

    @asynccontextmanager
    async def counted(self) -> AsyncIterator[Traffic]:
        """Count anew what goes over the wire until the block ends."""
        outer, self.traffic = self.traffic, Traffic()
        try:
            yield self.traffic
        finally:
            self.traffic = outer


@asynccontextmanager
async def relaying(emulator: str, faults: Faults = no_faults) -> AsyncIterator[Relay]:
    """Run a relay before the emulator at this `host:port` until the block ends; `faults` is asked
    before each call, by the name of its method, or by `NEAREST`.
    """
    server = grpc.aio.server(options=_ANY_SIZE)
    port = server.add_insecure_port("127.0.0.1:0")
    relay = Relay(f"127.0.0.1:{port}")
    async with grpc.aio.insecure_channel(emulator, options=_ANY_SIZE) as upstream:
        server.add_generic_rpc_handlers((_Calls(relay, upstream, faults),))
        await server.start()
        try:
            yield relay
        finally:
            await server.stop(grace=None)


@dataclass
class _Calls:
    relay: Relay
    upstream: grpc.aio.Channel
    faults: Faults

    def service(self, details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler:
        """Return what handles a call of any method, be it answered by one message or by many."""

        async def carry(
            asked: AsyncIterator[bytes], context: "grpc.aio.ServicerContext[bytes, bytes]"
        ) -> AsyncIterator[bytes]:
            async for message in self._carry(details.method, asked, context):
                yield message

        return grpc.stream_stream_rpc_method_handler(carry)

    async def _carry(
        self,
        path: str,
        asked: AsyncIterator[bytes],
        context: "grpc.aio.ServicerContext[bytes, bytes]",
    ) -> AsyncIterator[bytes]:
        method = path.rpartition("/")[2]
        requests = [message async for message in asked]
        fault = await self.faults(_kind_of(method, requests))
        answers: Messages = ()
        if fault is None or fault.arrived:
            try:
                answers = await self._ask(path, requests, context)
            except grpc.aio.AioRpcError as error:
                await context.abort(error.code(), error.details() or "")
            self.relay.traffic.note(method, requests, answers)
        for message in answers if fault is None else [*answers[: fault.answered], *fault.messages]:
            yield message
        if fault is not None and fault.code is not grpc.StatusCode.OK:
            await context.abort(fault.code, fault.details)

    async def _ask(self, path: str, requests: Messages, context: Any) -> Messages:
        metadata = [pair for pair in context.invocation_metadata() if pair[0] in _PASSED_ON]
        # What arrives is carried out, even if who asked does not wait for the answer.
        return await asyncio.shield(self._answers(path, requests, metadata))

    async def _answers(self, path: str, requests: Messages, metadata: Any) -> Messages:
        call = self.upstream.stream_stream(path)(iter(requests), metadata=metadata)
        return [message async for message in call]


def _kind_of(method: str, asked: Messages) -> str:
    if method != "RunQuery":
        return method
    query = RunQueryRequest.deserialize(asked[0]).structured_query
    return NEAREST if "find_nearest" in query else method


def _reads_of_aggregation(asked: bytes, answered: bytes) -> int:
    """One for each thousand of what is counted, whatever else is worked out of the same."""
    query = RunAggregationQueryRequest.deserialize(asked).structured_aggregation_query
    (alias,) = [each.alias for each in query.aggregations if "count" in each]
    fields = dict(RunAggregationQueryResponse.deserialize(answered).result.aggregate_fields)
    # A count without a name stands alone.
    counted = fields[alias] if alias else next(iter(fields.values()))
    return max(1, ceil(int(counted.integer_value) / _COUNTED_BY_ONE_READ))
