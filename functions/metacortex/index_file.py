"""The file firestore.indexes.json: what it must hold for the settings, and where it does not."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from metacortex.adapters.firestore.indexes import index_file
from metacortex.config import Settings
from metacortex.domain.errors import ConfigurationError
from metacortex.domain.json import JSON
from metacortex.engine_settings import FirestoreSettings
from metacortex.model_adapters import build_embedder

NAME = "firestore.indexes.json"
COMMITTED = Path(__file__).resolve().parents[2] / NAME
"""Beside the program in a clone; what is deployed as a function has no such file."""
REMEDY = f"run metacortex indexes > {NAME} with these settings, and deploy the indexes"


def needed(settings: Settings) -> Mapping[str, JSON]:
    """Return what the file must hold. Asking for the dimension loads no model.

    Raises:
        ConfigurationError: the engine is not Firestore, which alone has such indexes.
    """
    if not isinstance(settings.engine, FirestoreSettings):
        raise ConfigurationError(
            ["Only Firestore has indexes to deploy; set METACORTEX_ENGINE to firestore"]
        )
    return index_file(settings.engine.collection, build_embedder(settings.embedder).space.dimension)


def written(content: Mapping[str, JSON]) -> str:
    """Return a content as the text of the file, each index and each field on a line of its own."""
    lists = [f"  {json.dumps(name)}: [\n{_lines(_parts(content, name))}\n  ]" for name in content]
    return "{\n" + ",\n".join(lists) + "\n}"


def committed(path: Path = COMMITTED) -> Mapping[str, JSON] | None:
    """Return the content of the file, or None where there is none.

    Raises:
        ConfigurationError: it is no JSON object.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        content = None
    if not isinstance(content, dict):
        raise ConfigurationError([f"{NAME} cannot be read; {REMEDY}"])
    return content


def disagreements(settings: Settings, content: Mapping[str, JSON]) -> list[str]:
    """Return each way in which the content of a file does not do for the settings. What it holds
    beyond that is not told.

    Raises:
        ConfigurationError: the engine is not Firestore.
    """
    wanted = needed(settings)
    there = frozenset(_indexes(content))
    indexes = [*_indexes(wanted)]
    of_vectors = {index.collection for index in indexes if index.dimension is not None}
    missing = [index for index in indexes if index not in there]
    found = dict.fromkeys(
        _worded(index, there, settings, searched=index.collection in of_vectors)
        for index in missing
    )
    # One remedy mends both, and fields of a collection that is not meant would only repeat it.
    return list(found or dict.fromkeys(_misconfigured(wanted, content)))


@dataclass(frozen=True, slots=True)
class _Index:
    """An index as it is compared; `dimension` is None where no vector is indexed."""

    collection: str
    scope: str
    fields: tuple[str, ...]
    dimension: int | None


def _lines(parts: Sequence[Mapping[str, JSON]]) -> str:
    return ",\n".join(f"    {json.dumps(part)}" for part in parts)


def _worded(index: _Index, there: frozenset[_Index], settings: Settings, *, searched: bool) -> str:
    collections = {other.collection for other in there if other.dimension is not None}
    if searched and index.collection not in collections:
        names = ", ".join(sorted(collections)) or "no collection"
        return f"it has vector indexes for {names}, and searches go over {index.collection}"
    if index.dimension is not None:
        dimensions = {other.dimension for other in there if other.dimension is not None}
        if index.dimension not in dimensions:
            numbers = ", ".join(map(str, sorted(dimensions)))
            model = build_embedder(settings.embedder).space.model
            return f"it is for vectors of {numbers} numbers, and {model} makes {index.dimension}"
    return f"it lacks the index of {index.collection} by {', '.join(index.fields)}"


def _misconfigured(wanted: Mapping[str, JSON], content: Mapping[str, JSON]) -> Iterator[str]:
    there = frozenset(_overrides(content))
    for override in _overrides(wanted):
        if override not in there:
            collection, name, _ = override
            yield f"it does not configure {collection}.{name} as the queries need it"


def _indexes(content: Mapping[str, JSON]) -> Iterator[_Index]:
    for index in _parts(content, "indexes"):
        # An exported file names what Google adds to every index by itself.
        fields = [each for each in _parts(index, "fields") if each.get("fieldPath") != "__name__"]
        yield _Index(
            str(index.get("collectionGroup")),
            str(index.get("queryScope")),
            tuple(f"{each.get('fieldPath')} {each.get('order', '')}".strip() for each in fields),
            next((number for each in fields if (number := _dimension(each)) is not None), None),
        )


def _dimension(field: Mapping[str, JSON]) -> int | None:
    vector = field.get("vectorConfig")
    dimension = vector.get("dimension") if isinstance(vector, dict) else None
    return dimension if isinstance(dimension, int) else None


def _overrides(content: Mapping[str, JSON]) -> Iterator[tuple[str, str, str]]:
    for override in _parts(content, "fieldOverrides"):
        indexes = [
            (str(index.get("order", index.get("arrayConfig"))), str(index.get("queryScope")))
            for index in _parts(override, "indexes")
        ]
        expires = " ttl" if override.get("ttl") else ""
        yield (
            str(override.get("collectionGroup")),
            str(override.get("fieldPath")),
            f"{sorted(indexes)}{expires}",
        )


def _parts(content: Mapping[str, JSON], name: str) -> Sequence[Mapping[str, JSON]]:
    parts = content.get(name)
    return [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
