"""What the services of a test speak to: a real engine, and made-up models and clock."""

from metacortex.adapters.local.secrets import LibrarySecretScanner
from metacortex.adapters.local.tokens import O200kTokenCounter
from metacortex.bootstrap import Outside
from metacortex.engines import Engine
from metacortex.model_ports import Embedder, ImageDescriber, Judge, Reranker
from metacortex.ports import Clock
from tests.fakes import FakeDescriber, FakeEmbedder, FixedClock


def outside_of(
    engine: Engine,
    *,
    embedder: Embedder | None = None,
    describer: ImageDescriber | None = None,
    clock: Clock | None = None,
    reranker: Reranker | None = None,
    judge: Judge | None = None,
) -> Outside:
    """Return what stands around an engine, made up where it is not given."""
    return Outside(
        engine,
        embedder or FakeEmbedder(),
        describer or FakeDescriber(),
        LibrarySecretScanner(),
        clock or FixedClock(),
        O200kTokenCounter(),
        judge,
        reranker=reranker,
    )
