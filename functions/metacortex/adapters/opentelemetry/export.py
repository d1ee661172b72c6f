"""How spans get to the collector: on a thread of their own, and an answer waits for them only so
long.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from time import monotonic

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter

from metacortex.version import VERSION

LONGEST_SECONDS = 1.0
PAUSE_SECONDS = 30.0
"""For how long no answer waits, once an export took longer than it may."""


class Export:
    """The library, set up to send to `url`.

    What else it can be told (headers, sampler, resource, sizes, timeouts) it reads from the
    environment, where every program that uses it looks.
    """

    def __init__(
        self,
        url: str,
        longest: float = LONGEST_SECONDS,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._longest = longest
        self._clock = clock
        self._waits_from = clock()
        self._exporter: SpanExporter = OTLPSpanExporter(url)
        self._processor = BatchSpanProcessor(self._exporter)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="traces")
        provider = TracerProvider(resource=_resource(), shutdown_on_exit=False)
        provider.add_span_processor(self._processor)
        self.tracer = provider.get_tracer("metacortex", VERSION)

    async def sent(self) -> None:
        """Wait until every span that has ended is sent, if the collector is quick."""
        if self._clock() >= self._waits_from and not await self._done(self._processor.force_flush):
            self._waits_from = self._clock() + PAUSE_SECONDS

    async def aclose(self) -> None:
        """Send what has ended, if the collector is quick, and end the library's threads."""
        if not await self._done(self._processor.shutdown):
            # It would go on trying to reach a collector that is down.
            self._exporter.shutdown()
        self._thread.shutdown(wait=False)

    async def _done(self, work: Callable[[], object]) -> bool:
        """Do some work of the library's, and return whether it was done in time."""
        working = asyncio.get_running_loop().run_in_executor(self._thread, work)
        done, _ = await asyncio.wait({working}, timeout=self._longest)
        return bool(done)


def _resource() -> Resource:
    """Return what the environment says that this program is, and our name where it says none."""
    said = Resource.create()
    if str(said.attributes["service.name"]).startswith("unknown_service"):
        return said.merge(Resource({"service.name": "metacortex", "service.version": VERSION}))
    return said
