"""All vectors of a tenant in one space, as they stood at one moment; and how they follow writes.

A matrix never changes: a later one shares its blocks, so that a search may go on with the one that
it began with.
"""

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from metacortex.adapters.sqlite.windows import (
    WINDOW_COLUMNS,
    Integers,
    Names,
    Windows,
    read_windows,
)
from metacortex.domain.vector import EmbeddingSpace

BLOCK = 65_536
"""How many windows are scored in one piece: few calls of the product, and growing copies little."""

_SELECT_PROGRESS = "SELECT generation, seq FROM tenants WHERE tenant = ?"
_SELECT_CHANGED = "SELECT key FROM memories WHERE tenant = ? AND seq > ?"
# CROSS JOIN keeps the order of the loops, and with it that of the rows: no vector is sorted.
_SELECT_ARRIVED = (
    f"SELECT {WINDOW_COLUMNS} FROM memories AS m CROSS JOIN vectors AS v ON v.memory = m.key"
    " WHERE m.tenant = ? AND m.seq > ?"
    " AND m.space = (SELECT key FROM embedding_spaces WHERE model = ? AND dimension = ?)"
    " ORDER BY m.seq, m.key, v.n"
)


@dataclass(frozen=True, slots=True)
class Block:
    """Up to `BLOCK` windows, of which the first `size` are in use."""

    windows: Windows
    size: int

    @property
    def used(self) -> Windows:
        """The rows in use."""
        return self.windows.part(0, self.size)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a tenant's writes have come. A new generation means that rows were deleted."""

    generation: int
    seq: int


@dataclass(frozen=True, slots=True)
class Matrix:
    """The vectors of one tenant in one space, as they stood at `progress`."""

    progress: Progress
    blocks: tuple[Block, ...] = ()
    names: Names = field(default_factory=Names)

    @property
    def nbytes(self) -> int:
        """How much memory its blocks take."""
        return sum(block.windows.nbytes for block in self.blocks)

    @property
    def is_half_gone(self) -> bool:
        """Whether so many rows are out of date that reading all anew is better."""
        gone = sum(block.used.gone() for block in self.blocks)
        return 2 * gone > sum(block.size for block in self.blocks)


def progress_of(connection: sqlite3.Connection, tenant: str) -> Progress:
    """Return how far the tenant's writes have come in this snapshot."""
    return Progress(*(connection.execute(_SELECT_PROGRESS, (tenant,)).fetchone() or (0, 0)))


def load(
    connection: sqlite3.Connection, tenant: str, space: EmbeddingSpace, progress: Progress
) -> Matrix:
    """Return the matrix of this snapshot, read from nothing."""
    return _with_arrived(
        connection, tenant, space, Matrix(Progress(progress.generation, -1)), progress
    )


def follow(
    connection: sqlite3.Connection,
    tenant: str,
    space: EmbeddingSpace,
    matrix: Matrix,
    progress: Progress,
) -> Matrix:
    """Return the matrix of this snapshot, made from an earlier one of the same generation."""
    if matrix.progress == progress:
        return matrix
    changed = connection.execute(_SELECT_CHANGED, (tenant, matrix.progress.seq)).fetchall()
    blocks = _without(matrix.blocks, np.array(changed, dtype=np.int64).reshape(-1))
    lean = Matrix(matrix.progress, blocks, matrix.names)
    if lean.is_half_gone:
        return load(connection, tenant, space, progress)
    return _with_arrived(connection, tenant, space, lean, progress)


def _with_arrived(
    connection: sqlite3.Connection,
    tenant: str,
    space: EmbeddingSpace,
    matrix: Matrix,
    progress: Progress,
) -> Matrix:
    arrived = connection.execute(
        _SELECT_ARRIVED, (tenant, matrix.progress.seq, space.model, space.dimension)
    )
    blocks = _with(matrix.blocks, read_windows(arrived, space.dimension, matrix.names))
    return Matrix(progress, blocks, matrix.names)


def _without(blocks: tuple[Block, ...], keys: Integers) -> tuple[Block, ...]:
    return tuple(Block(block.windows.without(keys), block.size) for block in blocks)


def _with(blocks: tuple[Block, ...], arrivals: Iterable[Windows]) -> tuple[Block, ...]:
    """Return the blocks with what has arrived behind them.

    Rows beyond the size of the last block are seen by nobody, so they are written in place.
    """
    grown = list(blocks)
    for arrived in arrivals:
        rest = arrived
        if grown and grown[-1].size < BLOCK:
            grown[-1], rest = _filled(grown[-1], arrived)
        if len(rest):
            grown.append(Block(rest, len(rest)))
    return tuple(grown)


def _filled(block: Block, arrived: Windows) -> tuple[Block, Windows]:
    """Return the block with as many more rows as it may hold, and the rows that it may not."""
    taken = min(BLOCK - block.size, len(arrived))
    size = block.size + taken
    windows = block.windows
    if len(windows) < size:
        windows = block.used.with_room(min(BLOCK, size + size // 2))
    windows.put(block.size, arrived.part(0, taken))
    return Block(windows, size), arrived.part(taken, len(arrived))
