"""Use in SQLite: a row for each memory that ever came back, which goes with its memory."""

from collections.abc import Mapping

from metacortex.adapters.sqlite.conditions import reach_of
from metacortex.adapters.sqlite.database import Database
from metacortex.adapters.sqlite.rows import MEMORY_COLUMNS, load_memory
from metacortex.domain.stats import Reach
from metacortex.domain.use import Use, Used

_ADD = (
    "INSERT INTO memory_use (tenant, memory_id, access_count, last_accessed_at)"
    " SELECT tenant, id, :count, :last FROM memories WHERE tenant = :tenant AND id = :id"
    " ON CONFLICT (tenant, memory_id) DO UPDATE"
    " SET access_count = access_count + excluded.access_count,"
    " last_accessed_at = max(last_accessed_at, excluded.last_accessed_at)"
)
_SELECT_MOST = (
    f"SELECT u.access_count, u.last_accessed_at, {MEMORY_COLUMNS} FROM memories AS m"
    " JOIN memory_use AS u ON u.tenant = m.tenant AND u.memory_id = m.id"
    " WHERE {in_reach} ORDER BY u.access_count DESC, u.last_accessed_at DESC, m.id LIMIT :limit"
)


class SqliteUseLog:
    """The `UseLog` of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, tenant: str, uses: Mapping[str, Use]) -> None:
        rows = [
            {
                "tenant": tenant,
                "id": memory_id,
                "count": use.access_count,
                "last": use.last_accessed_at,
            }
            for memory_id, use in uses.items()
        ]
        await self._database.write(lambda connection: connection.executemany(_ADD, rows).rowcount)

    async def most_used(self, tenant: str, reach: Reach, limit: int) -> tuple[Used, ...]:
        in_reach, of_reach = reach_of(tenant, reach)
        select, bound = _SELECT_MOST.format(in_reach=in_reach), {**of_reach, "limit": limit}
        return await self._database.read(
            lambda connection: tuple(
                Used(load_memory(cells), Use(count, last))
                for count, last, *cells in connection.execute(select, bound)
            )
        )
