"""Indexes, exemptions and TTL policies: judged, made where they are missing, and waited for."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from deploy.findings import Finding, Tell, fail, ok, warn
from deploy.google import Google
from deploy.index_shapes import (
    DEFAULT_KINDS,
    Document,
    Field,
    Index,
    IndexField,
    Wanted,
    deployed_building,
    deployed_expiring,
    deployed_indexes,
    deployed_kinds,
    wanted,
)
from deploy.running import Gcloud, Refused
from metacortex import index_file
from metacortex.config import Settings
from metacortex.domain.errors import ConfigurationError
from metacortex.verdict import Verdict

REWRITE = "the Firebase CLI alone deploys it; for that, write it anew as docs/deployment.md says"
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
    building: frozenset[Field] = frozenset()


def needed_indexes(settings: Settings) -> Wanted:
    """Return all that the queries need."""
    return wanted(index_file.needed(settings))


def file_findings(settings: Settings, root: Path) -> Iterator[Finding]:
    """Judge the committed file, which the Firebase CLI goes by."""
    try:
        content = index_file.committed(root / index_file.NAME) or {}
    except ConfigurationError as error:
        yield Finding("index file", Verdict.WARN, error.sentence)
        return
    found = index_file.disagreements(settings, content)
    for finding in found:
        yield warn("index file", finding, REWRITE)
    if not found:
        yield ok("index file", f"{index_file.NAME} covers the queries")


def ask_deployed(gcloud: Gcloud, database: str) -> Deployed:
    """Return what the database has.

    Raises:
        Refused: gcloud cannot tell.
    """
    where = f"--database={database}"
    fields = gcloud.ask("firestore", "indexes", "fields", "list", where) or ()
    return Deployed(
        deployed_indexes(gcloud.ask("firestore", "indexes", "composite", "list", where) or ()),
        deployed_expiring(gcloud.ask("firestore", "fields", "ttls", "list", where) or ()),
        deployed_kinds(fields),
        deployed_building(fields),
    )


def index_findings(needed: Wanted, there: Deployed) -> Iterator[Finding]:
    """Judge what a database has by what the queries need."""
    found = list(_differences(needed, there))
    yield from found
    if not found:
        finding = f"{len(needed.indexes)} indexes and {len(needed.expiring)} TTL policies are ready"
        yield ok("indexes", finding)
    ours = {index.collection for index in needed.indexes}
    extra = [index for index in there.state_by_index if index.collection in ours]
    for index in set(extra) - set(needed.indexes):
        remedy = "it costs writes and storage; delete it in the console when no revision needs it"
        yield warn("indexes", f"nothing needs {index}", remedy)


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
            yield fail("indexes", f"{field} has not the indexes that it should have", CREATE)
        elif field in there.building:
            yield fail("indexes", f"the indexes of {field} are creating", _remedy("CREATING"))


def _worded(state: str | None) -> str:
    if state == "NEEDS_REPAIR":
        return "in need of repair"
    return "missing" if state is None else state.lower().replace("_", " ")


def _remedy(state: str | None) -> str:
    if state == "NEEDS_REPAIR":
        return REPAIR
    return CREATE if state is None else "wait, and look again"


def make_missing(google: Google, database: str, needed: Wanted, there: Deployed) -> int:
    """Start to make what is missing, and return how many there were.

    Raises:
        Refused: Google would not.
    """
    indexes = [index for index in needed.indexes if index not in there.state_by_index]
    for index in indexes:
        google.gcloud.change(*_creation(index), f"--database={database}", "--async")
    # Not by gcloud: it cannot name the indexes of a collection group, and it would take two
    # operations for a field that also expires documents.
    changes = list(_field_changes(needed, there))
    for field, change in changes:
        google.change_field(database, field.collection, field.path, change)
    return len(indexes) + len(changes)


def _creation(index: Index) -> Iterator[str]:
    yield from ("firestore", "indexes", "composite", "create")
    yield f"--collection-group={index.collection}"
    yield f"--query-scope={index.scope.lower().replace('_', '-')}"
    yield from (f"--field-config={_field_config(field)}" for field in index.fields)


def _field_changes(needed: Wanted, there: Deployed) -> Iterator[tuple[Field, Document]]:
    for field in dict.fromkeys((*needed.kinds_by_field, *needed.expiring)):
        change: dict[str, Document] = {}
        kinds = needed.kinds_by_field.get(field)
        if kinds is not None and there.kinds_by_field.get(field, DEFAULT_KINDS) != kinds:
            change["indexConfig"] = {"indexes": [*_own(field, kinds)]}
        if field in needed.expiring and field not in there.state_by_expiring:
            change["ttlConfig"] = {}
        if change:
            yield field, change


def _own(field: Field, kinds: frozenset[tuple[str, str]]) -> Iterator[Document]:
    for kind, scope in sorted(kinds):
        name = "arrayConfig" if kind == "CONTAINS" else "order"
        yield {"queryScope": scope, "fields": [{"fieldPath": field.path, name: kind}]}


def _field_config(field: IndexField) -> str:
    if isinstance(field.kind, int):
        # Written as in Google's documentation, where both values are texts.
        vector = json.dumps({"dimension": str(field.kind), "flat": "{}"}, separators=(",", ":"))
        return f"field-path={field.path},vector-config={vector}"
    name = "array-config" if field.kind == "CONTAINS" else "order"
    return f"field-path={field.path},{name}={field.kind.lower()}"


def wait_until_ready(
    gcloud: Gcloud,
    database: str,
    needed: Wanted,
    tell: Tell,
    pause: Pause,
    minutes: int,
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
