"""Since and until when a memory is true, as clients are told it."""

from metacortex.domain.dates.parsing import as_written, as_written_until
from metacortex.domain.details import Kind
from metacortex.domain.json import JSON
from metacortex.domain.memory import Memory


def validity_json(memory: Memory) -> dict[str, JSON]:
    """Return the bounds that are known: the start by its first moment and the end by the last that
    it takes in, but that of a fact by the first moment without, where the next one starts.
    """
    told: dict[str, JSON] = {}
    if memory.valid_from is not None:
        told["valid_from"] = as_written(memory.valid_from)
    if memory.valid_until is not None:
        written = as_written if memory.kind is Kind.FACT else as_written_until
        told["valid_until"] = written(memory.valid_until)
    return told
