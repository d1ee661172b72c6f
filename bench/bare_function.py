"""The yardstick as a function: the bare server, handed its requests by the functions framework."""

import asyncio

from functions_framework import aio
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from bench.bare import app

_lives: list[asyncio.Task[None]] = []


class Handover(Response):
    """A response that lets the bare server answer."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the bare server answer."""
        await app(scope, receive, send)


@aio.http
async def bare(_: Request) -> Response:
    """Hand a request over. The first one starts the server, since a function has no lifespan."""
    if not _lives:
        started = asyncio.Event()
        _lives.append(asyncio.ensure_future(_live(started)))
        await started.wait()
    return Handover()


async def _live(started: asyncio.Event) -> None:
    async with app.router.lifespan_context(app):
        started.set()
        await asyncio.Event().wait()
