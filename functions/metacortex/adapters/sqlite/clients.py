"""Client profiles in SQLite. A token is stored as its digest only."""

import json
import sqlite3

from metacortex.adapters.sqlite.database import Database
from metacortex.domain.client import ClientProfile, Credential, Principal, SecretsPolicy
from metacortex.domain.dates.zone import zone_of
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.text import is_unicode

_COLUMNS = "profile, token_sha256, id"
_SELECT = f"SELECT {_COLUMNS} FROM clients WHERE id = ?"
_SELECT_ALL = f"SELECT {_COLUMNS} FROM clients ORDER BY id"
_INSERT = f"INSERT INTO clients ({_COLUMNS}) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
_UPDATE = "UPDATE clients SET profile = ?, token_sha256 = ? WHERE id = ?"
_DELETE = "DELETE FROM clients WHERE id = ?"


class SqliteClientRegistry:
    """The `ClientRegistry` of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, client_id: str) -> ClientProfile | None:
        def get(connection: sqlite3.Connection) -> ClientProfile | None:
            cells = connection.execute(_SELECT, (client_id,)).fetchone()
            return _load(*cells) if cells else None

        return await self._database.read(get) if is_unicode(client_id) else None

    async def list(self) -> tuple[ClientProfile, ...]:
        return await self._database.read(
            lambda connection: tuple(_load(*cells) for cells in connection.execute(_SELECT_ALL))
        )

    async def add(self, profile: ClientProfile) -> bool:
        return await self._change(_INSERT, _dump(profile))

    async def replace(self, before: ClientProfile, after: ClientProfile) -> bool:
        def replace(connection: sqlite3.Connection) -> bool:
            cells = connection.execute(_SELECT, (before.id,)).fetchone()
            if cells is None or _load(*cells) not in (before, after):
                return False
            connection.execute(_UPDATE, _dump(after))
            return True

        return await self._database.write(replace)

    async def remove(self, client_id: str) -> bool:
        return is_unicode(client_id) and await self._change(_DELETE, (client_id,))

    async def _change(self, statement: str, bound: tuple[str | bytes, ...]) -> bool:
        return await self._database.write(
            lambda connection: connection.execute(statement, bound).rowcount == 1
        )


def _dump(profile: ClientProfile) -> tuple[str, bytes, str]:
    principal = profile.principal
    text = json.dumps(
        {
            "tenant": principal.tenant,
            "tools": sorted(principal.tools),
            "filter_states": principal.filter_states,
            "write_states": sorted(principal.write_states),
            "default_filter_state": principal.default_filter_state,
            "namespaces": principal.namespaces,
            "secrets": principal.secrets,
            "may_replace": principal.may_replace,
            "timezone": str(principal.zone),
            "origins": profile.origins,
        }
    )
    return text, profile.credential.sha256, profile.id


def _load(text: str, token_sha256: bytes, client_id: str) -> ClientProfile:
    stored = json.loads(text)
    principal = Principal(
        tenant=stored["tenant"],
        client_id=client_id,
        tools=frozenset(stored["tools"]),
        filter_states=tuple(map(BranchState, stored["filter_states"])),
        write_states=frozenset(map(BranchState, stored["write_states"])),
        default_filter_state=BranchState(stored["default_filter_state"]),
        namespaces=tuple(stored["namespaces"]),
        secrets=SecretsPolicy(stored["secrets"]),
        # Profiles of 0.1.0 say neither.
        may_replace=stored.get("may_replace", False),
        zone=zone_of(stored.get("timezone", "UTC")),
    )
    return ClientProfile(principal, Credential(token_sha256), tuple(stored["origins"]))
