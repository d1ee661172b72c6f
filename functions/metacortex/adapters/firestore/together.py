"""Calls that are made at once: where one fails, none goes on unheard."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterable
from contextlib import asynccontextmanager
from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")
A = TypeVar("A")
B = TypeVar("B")

Call: TypeAlias = Coroutine[Any, Any, T]


async def together(calls: Iterable[Call[T]]) -> list[T]:
    """Return what each of the calls returns, in their order.

    Raises:
        Exception: the first that one of them raises; the others are cancelled.
    """
    async with _group() as group:
        tasks = [group.create_task(call) for call in calls]
    return [task.result() for task in tasks]


async def both(one: Call[A], other: Call[B]) -> tuple[A, B]:
    """Return what two calls of different kinds return, as `together` does."""
    async with _group() as group:
        first, second = group.create_task(one), group.create_task(other)
    return first.result(), second.result()


@asynccontextmanager
async def _group() -> AsyncIterator[asyncio.TaskGroup]:
    try:
        async with asyncio.TaskGroup() as group:
            yield group
    except BaseExceptionGroup as failed:
        raise failed.exceptions[0] from failed
