"""The nearest memories by their first vectors alone."""

import sqlite3
from collections.abc import Iterator
from operator import itemgetter

import numpy as np

from metacortex.adapters.sqlite.cache import Cache
from metacortex.adapters.sqlite.chunks import Chunk, Vectors
from metacortex.adapters.sqlite.legs import MARGIN, exact_cosines, highest, products
from metacortex.adapters.sqlite.recent import recent_of
from metacortex.adapters.sqlite.records import Floats, Mask
from metacortex.adapters.sqlite.search import corpus_of
from metacortex.domain.search import Match, MemoryFilter
from metacortex.domain.vector import EmbeddingSpace, Vector


def nearest(
    connection: sqlite3.Connection,
    cache: Cache,
    tenant: str,
    space: EmbeddingSpace,
    vector: "Vector",
    where: MemoryFilter,
    limit: int,
) -> tuple[Match, ...]:
    """Return the nearest memories, as `MemoryStore.nearest` tells."""
    query = np.frombuffer(vector, dtype=np.float32)
    corpus = corpus_of(connection, cache, tenant, space)
    if corpus is None:
        return ()
    names = corpus.names
    near = [
        each
        for chunk in corpus.chunks
        for each in _best(chunk, chunk.records.used.passing(where, names), query, limit)
    ]
    cosine_by_key = dict(sorted(near, key=itemgetter(1), reverse=True)[:limit])
    memory_by_key = recent_of(connection, cache, tenant).of(connection, cosine_by_key)
    return tuple(Match(memory_by_key[key], cosine) for key, cosine in cosine_by_key.items())


def _best(chunk: Chunk, passing: Mask, query: Floats, limit: int) -> Iterator[tuple[int, float]]:
    """Return the keys of the `limit` nearest memories of a chunk, with their cosines."""
    vectors, keys = chunk.vectors.used, chunk.records.used.keys
    # The windows of a memory stand together.
    firsts = np.diff(vectors.rows, prepend=-1) != 0
    windows = np.flatnonzero(firsts & passing[vectors.rows])
    if len(windows) > limit:
        of_window = products(vectors.vectors, windows, query)
        windows = windows[of_window >= highest(of_window, limit) - 4 * MARGIN]
    owners = Vectors(np.arange(len(windows), dtype=np.int32), vectors.vectors[windows])
    cosines = exact_cosines(owners, query, len(windows)).tolist()
    return zip(keys[vectors.rows[windows]].tolist(), cosines, strict=True)
