"""Findings in SQLite: a row each, which goes with either of the two memories that it names."""

import json
import sqlite3
from collections.abc import Mapping, Sequence

from metacortex.adapters.sqlite.changes import apply
from metacortex.adapters.sqlite.database import Database
from metacortex.adapters.sqlite.facts import timeline_of
from metacortex.adapters.sqlite.lookup import get
from metacortex.domain.knowledge.findings import (
    Finding,
    FindingStatus,
    Revision,
    check_as_decided,
    read_finding,
)
from metacortex.domain.knowledge.resolving import (
    NO_ALIASES,
    as_left_by,
    begun,
    check_alone,
    replaced_by,
    replacements_of,
)
from metacortex.domain.lifecycle import Change, ChangeKind

_UPSERT = (
    "INSERT INTO findings"
    " (tenant, id, namespace, status, changed_at, resolution_id, kept_id, given_up_id, body)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (tenant, id) DO UPDATE SET"
    " status = excluded.status, changed_at = excluded.changed_at,"
    " resolution_id = excluded.resolution_id, kept_id = excluded.kept_id,"
    " given_up_id = excluded.given_up_id, body = excluded.body"
)
_SELECT_OF_STATUS = (
    "SELECT body FROM findings WHERE tenant = :tenant AND status = :status"
    " AND (:namespaces IS NULL OR namespace IN (SELECT value FROM json_each(:namespaces)))"
    " ORDER BY changed_at DESC, id LIMIT :limit"
)
_SELECT_ONE = "SELECT body FROM findings WHERE tenant = ? AND id = ?"
_SELECT_NAMED = (
    "SELECT body FROM findings WHERE tenant = :tenant"
    " AND (id IN (SELECT value FROM json_each(:ids))"
    " OR resolution_id IN (SELECT value FROM json_each(:ids))) ORDER BY id"
)


class SqliteFindingStore:
    """The `FindingStore` of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def keep(
        self,
        tenant: str,
        revisions: Sequence[Revision],
        changes: Sequence[Change] = (),
        aliases: Mapping[str, Sequence[str]] = NO_ALIASES,
    ) -> None:
        def keep(connection: sqlite3.Connection) -> None:
            for change in changes:
                _settle(connection, tenant, change, aliases)
            for revision in revisions:
                check_as_decided(revision, _stored(connection, tenant, revision.after.id))
                _put(connection, tenant, revision.after)

        await self._database.write(keep)

    async def findings(
        self,
        tenant: str,
        namespaces: Sequence[str] | None,
        status: FindingStatus,
        limit: int | None = None,
    ) -> tuple[Finding, ...]:
        named = None if namespaces is None else json.dumps([*namespaces])
        bound = {"tenant": tenant, "status": status.value, "namespaces": named}
        return await self._select(
            _SELECT_OF_STATUS, {**bound, "limit": -1 if limit is None else limit}
        )

    async def named(self, tenant: str, ids: Sequence[str]) -> tuple[Finding, ...]:
        return await self._select(_SELECT_NAMED, {"tenant": tenant, "ids": json.dumps([*ids])})

    async def _select(self, query: str, bound: dict[str, str | int | None]) -> tuple[Finding, ...]:
        return await self._database.read(
            lambda connection: tuple(
                read_finding(json.loads(body)) for (body,) in connection.execute(query, bound)
            )
        )


def _settle(
    connection: sqlite3.Connection,
    tenant: str,
    change: Change,
    aliases: Mapping[str, Sequence[str]],
) -> None:
    asked = (change.subject_id, *replacements_of((change,)))
    found = [get(connection, tenant, id_) for id_ in asked]
    fact = as_left_by(change, {memory.id: memory for memory in found if memory is not None})
    if change.kind is ChangeKind.REOPENED:
        others = aliases.get(fact.details.subject_id, ())
        timeline = timeline_of(connection, tenant, begun(fact), others)
        check_alone(fact, timeline, replaced_by(change))
    apply(connection, tenant, change)


def _stored(connection: sqlite3.Connection, tenant: str, id_: str) -> Finding | None:
    row = connection.execute(_SELECT_ONE, (tenant, id_)).fetchone()
    return read_finding(json.loads(row[0])) if row else None


def _put(connection: sqlite3.Connection, tenant: str, finding: Finding) -> None:
    row = (
        tenant,
        finding.id,
        finding.namespace,
        finding.status.value,
        finding.changed_at,
        finding.resolution_id,
        finding.kept_id,
        finding.given_up_id,
        json.dumps(finding.as_json()),
    )
    # What has been forgotten meanwhile takes its findings along.
    if None not in (get(connection, tenant, id_) for id_ in (finding.kept_id, finding.given_up_id)):
        connection.execute(_UPSERT, row)
