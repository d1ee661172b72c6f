"""Makes the indexes, exemptions and TTL policies that are missing, and waits for them."""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from deploy.findings import Finding, Tell, fail, ok
from deploy.index_shapes import (
    COLLECTION,
    DEFAULT_KINDS,
    Document,
    Field,
    Index,
    IndexField,
    Wanted,
    deployed_expiring,
    deployed_indexes,
    deployed_kinds,
)
from deploy.running import ROOT, Gcloud, Refused

INDEX_FILE = "firestore.indexes.json"
WAIT_MINUTES = 30
PAUSE_SECONDS = 10
CREATE = "scripts/deploy makes it"
REPAIR = "delete it in the console or by gcloud, and run scripts/deploy"
Pause: TypeAlias = Callable[[float], None]


@dataclass(frozen=True, slots=True)
class Deployed:
    """What a database has: states of indexes and TTL policies, and what exemptions leave."""

    state_by_index: Mapping[Index, str]
    state_by_expiring: Mapping[Field, str]
    kinds_by_field: Mapping[Field, frozenset[tuple[str, str]]]


def committed(root: Path = ROOT) -> Document:
    """Return the content of the committed file.

    Raises:
        Refused: it is not there, or no JSON.
    """
    try:
        content = json.loads((root / INDEX_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Refused(f"{INDEX_FILE} cannot be read; restore it from git") from error
    return {"indexes": (), "fieldOverrides": (), **content}


def ask_deployed(gcloud: Gcloud, database: str) -> Deployed:
    """Return what the database has.

    Raises:
        Refused: gcloud cannot tell.
    """
    where = f"--database={database}"
    return Deployed(
        deployed_indexes(gcloud.ask("firestore", "indexes", "composite", "list", where) or ()),
        deployed_expiring(gcloud.ask("firestore", "fields", "ttls", "list", where) or ()),
        deployed_kinds(gcloud.ask("firestore", "indexes", "fields", "list", where) or ()),
    )


def index_findings(needed: Wanted, there: Deployed) -> Iterator[Finding]:
    """Judge what a database has by what the queries need."""
    found = list(_differences(needed, there))
    yield from found
    if not found:
        finding = f"{len(needed.indexes)} indexes and {len(needed.expiring)} TTL policies are ready"
        yield ok("indexes", finding)


def _differences(needed: Wanted, there: Deployed) -> Iterator[Finding]:
    for index in needed.indexes:
        state = there.state_by_index.get(index)
        if state != "READY":
            yield fail("indexes", f"{index} is {_worded(state)}", _remedy(state))
    for field in needed.expiring:
        state = there.state_by_expiring.get(field)
        if state != "ACTIVE":
            yield fail("TTL policies", f"{field} is {_worded(state)}", _remedy(state))
    for field, kinds in needed.kinds_by_field.items():
        if there.kinds_by_field.get(field, DEFAULT_KINDS) != kinds:
            yield fail("indexes", f"the exemption of {field} is not as the file has it", CREATE)


def _worded(state: str | None) -> str:
    return "missing" if state is None else state.lower().replace("_", " ")


def _remedy(state: str | None) -> str:
    if state == "NEEDS_REPAIR":
        return REPAIR
    return CREATE if state is None else "wait, and look again"


def make_missing(gcloud: Gcloud, database: str, needed: Wanted, there: Deployed) -> int:
    """Start to make what is missing, and return how many there were.

    Raises:
        Refused: gcloud would not, or cannot say it.
    """
    lines = list(_lines(needed, there))
    for line in lines:
        gcloud.change("firestore", *line, f"--database={database}", "--async")
    return len(lines)


def _lines(needed: Wanted, there: Deployed) -> Iterator[tuple[str, ...]]:
    for index in needed.indexes:
        if index not in there.state_by_index:
            yield (
                *("indexes", "composite", "create", f"--collection-group={index.collection}"),
                f"--query-scope={_dashed(index.scope)}",
                *(f"--field-config={_field_config(field)}" for field in index.fields),
            )
    for field, kinds in needed.kinds_by_field.items():
        if there.kinds_by_field.get(field, DEFAULT_KINDS) != kinds:
            named = ("indexes", "fields", "update", field.path)
            yield (*named, f"--collection-group={field.collection}", *_exemption(kinds))
    for field in needed.expiring:
        if field not in there.state_by_expiring:
            named = ("fields", "ttls", "update", field.path)
            yield (*named, f"--collection-group={field.collection}", "--enable-ttl")


def _field_config(field: IndexField) -> str:
    if isinstance(field.kind, int):
        # As Google's documentation writes it: gcloud wants both values as text.
        vector = json.dumps({"dimension": str(field.kind), "flat": "{}"}, separators=(",", ":"))
        return f"field-path={field.path},vector-config={vector}"
    return f"field-path={field.path},{_kind_option(field.kind)}"


def _kind_option(kind: str) -> str:
    name = "array-config" if kind == "CONTAINS" else "order"
    return f"{name}={kind.lower()}"


def _exemption(kinds: frozenset[tuple[str, str]]) -> tuple[str, ...]:
    if any(scope != COLLECTION for _, scope in kinds):
        raise Refused(
            "gcloud cannot make an exemption for a collection group; run: firebase deploy --only"
            " firestore:indexes"
        )
    return tuple(f"--index={_kind_option(kind)}" for kind, _ in sorted(kinds)) or (
        "--disable-indexes",
    )


def _dashed(scope: str) -> str:
    return scope.lower().replace("_", "-")


def wait_until_ready(
    gcloud: Gcloud,
    database: str,
    needed: Wanted,
    tell: Tell,
    pause: Pause = time.sleep,
    minutes: int = WAIT_MINUTES,
) -> None:
    """Wait until all that is needed is ready.

    Raises:
        Refused: one is broken, it took longer than `minutes`, or gcloud cannot tell.
    """
    before = -1
    for _ in range(max(1, minutes * 60 // PAUSE_SECONDS)):
        open_findings = list(_differences(needed, ask_deployed(gcloud, database)))
        if not open_findings:
            return
        if broken := [found for found in open_findings if found.remedy == REPAIR]:
            raise Refused(f"{broken[0].finding}; {broken[0].remedy}")
        if len(open_findings) != before:
            before = len(open_findings)
            tell(f"      {before} not ready yet, such as: {open_findings[0].finding}")
        pause(PAUSE_SECONDS)
    raise Refused(
        f"Not ready after {minutes} minutes; they go on being made: run scripts/deploy again later"
    )
