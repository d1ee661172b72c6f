"""Counting the memories of a tenant, in one pass over its rows and one over its vectors."""

import sqlite3
from collections import Counter

from metacortex.adapters.sqlite.conditions import reach_of
from metacortex.domain.details import Kind
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.stats import MOST_TOPICS, MemoryStats, Reach, most_common
from metacortex.domain.vector import EmbeddingSpace
from metacortex.domain.words.terms import TERM_SPACE

_COUNT = (
    "SELECT m.namespace, m.kind, m.branch_state, m.topic, s.model, s.dimension,"
    " m.term_space IS NOT :term_space, count(*), sum(length(CAST(m.content AS BLOB))"
    " + coalesce(length(CAST(m.retrieval_text AS BLOB)), 0))"
    " FROM memories AS m JOIN embedding_spaces AS s ON s.key = m.space"
    " WHERE {in_reach} GROUP BY 1, 2, 3, 4, 5, 6, 7"
)
_MEASURE_VECTORS = (
    "SELECT coalesce(sum(length(v.vector)), 0) FROM memories AS m"
    " CROSS JOIN vectors AS v ON v.memory = m.key WHERE {in_reach}"
)


def stats_of(connection: sqlite3.Connection, tenant: str, reach: Reach) -> MemoryStats:
    """Return the numbers of one snapshot, as `MemoryStore.stats` tells."""
    in_reach, of_reach = reach_of(tenant, reach)
    bound = {**of_reach, "term_space": TERM_SPACE}
    states, kinds = Counter[BranchState](), Counter[Kind]()
    namespaces, topics = Counter[str](), Counter[str]()
    spaces = Counter[EmbeddingSpace]()
    unindexed = text_bytes = 0
    for row in connection.execute(_COUNT.format(in_reach=in_reach), bound):
        namespace, kind, state, topic, model, dimension, is_unindexed, count, length = row
        states[BranchState(state)] += count
        kinds[Kind(kind)] += count
        namespaces[namespace] += count
        topics[topic] += count
        spaces[EmbeddingSpace(model, dimension)] += count
        unindexed += count if is_unindexed else 0
        text_bytes += length
    measured = connection.execute(_MEASURE_VECTORS.format(in_reach=in_reach), bound)
    (vector_bytes,) = measured.fetchone()
    return MemoryStats(
        states,
        kinds,
        most_common(namespaces),
        most_common(topics, MOST_TOPICS),
        spaces,
        unindexed,
        text_bytes,
        vector_bytes,
    )
