"""Under a filter that says more than what is pushed, nobody knows how many of the nearest must be
read before enough of them pass. Where no more than a few thousand records pass what is pushed, the
labels of all of them are read, and then whole what passes: texts and vectors are most of a record.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from metacortex.adapters.firestore.documents import (
    LABEL_FIELDS,
    NO_TEXTS,
    SCORED_FIELDS,
    load_memory,
)
from metacortex.adapters.firestore.known import Known, cosine_of, scored
from metacortex.adapters.firestore.layout import VECTOR_FIELD, Tenant
from metacortex.adapters.firestore.meaning import READ_WHOLE
from metacortex.adapters.firestore.parts import Part
from metacortex.adapters.firestore.queries import Row, best_cosines
from metacortex.adapters.firestore.statistics import Statistics
from metacortex.adapters.firestore.together import both, together
from metacortex.adapters.firestore.vectors import read_named
from metacortex.domain.question import Question
from metacortex.domain.search import MemoryFilter, passes

WINDOW_FIELDS = ("memory_id", "space", VECTOR_FIELD)

Stored = Mapping[str, dict[str, Any]]


async def read_narrowed(
    tenant: Tenant,
    over: Sequence[Part],
    statistics: Statistics,
    question: Question,
    where: MemoryFilter,
) -> dict[str, Known] | None:
    """Return all memories that pass the filter, or None where too many pass what is pushed."""
    if await statistics.rows(over, [], READ_WHOLE) > READ_WHOLE:
        return None
    # One more than may be: others may have written since it was counted.
    answers = await together(
        replace(part, fields=LABEL_FIELDS).everything(READ_WHOLE + 1) for part in over
    )
    labels = [record for answer in answers for record in answer]
    passed = {
        id_: stored
        for id_, stored in labels
        if passes(load_memory(id_, {**NO_TEXTS, **stored}), where)
    }
    if max(len(labels), sum(stored["windows"] for stored in passed.values())) > READ_WHOLE:
        return None
    fields = (*SCORED_FIELDS, VECTOR_FIELD) if question.vector else SCORED_FIELDS
    records, of_windows = await both(
        read_named(tenant.client, [tenant.memory(id_) for id_ in passed], fields),
        _windows(tenant, question, passed),
    )
    return scored(records, question, where, of_windows)


async def _windows(tenant: Tenant, question: Question, passed: Stored) -> dict[str, float]:
    """Return the cosine of the best further window of each memory."""
    vector, space = question.vector, str(question.space)
    if vector is None:
        return {}
    places = [
        tenant.window(id_, n)
        for id_, stored in passed.items()
        if stored["space"] == space
        for n in range(1, stored["windows"])
    ]
    found = await read_named(tenant.client, places, WINDOW_FIELDS)
    return best_cosines(
        Row(stored["memory_id"], cosine_of(vector, stored[VECTOR_FIELD]), None)
        for _, stored in found
        if stored["space"] == space
    )
