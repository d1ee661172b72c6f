"""The door in front of all that needs a token: who may come in, and what is said to those who may
not.

The steps stand in `Visit.pass_door` in the order of contract C8, and go on in the room behind it:
the first that refuses answers, and no later one runs.
"""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from time import monotonic
from typing import Protocol
from uuid import uuid4

from starlette.responses import JSONResponse, Response
from starlette.types import Message, Receive, Scope, Send

from metacortex.domain.client import DEFAULT_TENANT, ClientProfile, Principal
from metacortex.domain.errors import ConfigurationError, MetaCortexError, Unavailable
from metacortex.service.rejections import Rejection
from metacortex.service.services import Services
from metacortex.transport.auth import CHALLENGE, proves
from metacortex.transport.body import Disconnected, declares_too_much
from metacortex.transport.cors import with_cors
from metacortex.transport.mcp.endpoint import McpEndpoint
from metacortex.transport.routes import McpPath, MemoryPath

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Served:
    """What stands behind the door once the configuration is known."""

    services: Services
    mcp: McpEndpoint
    public_url: str | None = None
    """The address to state, in place of the one that a request names."""


class Refused(Exception):
    """A step of the door refuses. `reason` is that of the event; None leaves none."""

    def __init__(self, response: Response, reason: str | None = None) -> None:
        super().__init__(reason)
        self.response = response
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Guest:
    """A request that the door has let in, and what it may be answered with."""

    principal: Principal
    served: Served
    scope: Scope
    receive: Receive
    send: Send
    reject: Callable[[int, str], Awaitable[None]]
    """Leaves the event of a rejection with this status and reason."""


class Room(Protocol):
    """What a path leads to."""

    @property
    def target(self) -> McpPath | MemoryPath:
        """The path."""
        ...

    @property
    def method(self) -> str:
        """The only method that is served."""
        ...

    def wrong_method(self) -> Response:
        """Return the answer to any other, once the token is right."""
        ...

    async def welcome(self, guest: Guest) -> None:
        """Answer a request with the right token and method.

        Raises:
            Refused: something else is wrong with it.
        """
        ...


class Visit:
    """One request to a room."""

    def __init__(
        self,
        connect: Callable[[], Served],
        room: Room,
        scope: Scope,
        receive: Receive,
        send: Send,
    ) -> None:
        self._connect = connect
        self._room = room
        self._target = room.target
        self._scope = scope
        self._receive = receive
        self._send = send
        self._started = monotonic()
        self._answered = False

    async def serve(self) -> None:
        """Answer, whatever happens."""
        try:
            await self._serve_or_refuse()
        except Disconnected:
            return
        except asyncio.CancelledError:
            # The server stops and can wait no longer.
            if not self._answered:
                await self._out_of_service(Unavailable("The server stopped")).response(
                    self._scope, self._receive, self._sent
                )
            raise
        except Exception:
            # The boundary: nothing of a fault but its id may reach the caller.
            request_id = str(uuid4())
            logger.exception("A request failed unexpectedly", extra={"request_id": request_id})
            if not self._answered:
                answer = JSONResponse(
                    {"error": "Internal server error", "requestId": request_id}, 500
                )
                await answer(self._scope, self._receive, self._sent)

    async def _serve_or_refuse(self) -> None:
        try:
            await self._room.welcome(await self.pass_door())
        except Refused as refused:
            if refused.reason is not None:
                await self._record_rejection(refused.response.status_code, refused.reason)
            await refused.response(self._scope, self._receive, self._sent)

    async def pass_door(self) -> Guest:
        """Return the request as one that may come in.

        Raises:
            Refused: it may not.
        """
        if declares_too_much(self._scope):
            raise Refused(too_large(), "body_too_large")
        served = self._served()
        profile = await self._profile(served.services)
        self._check_origin(profile)
        if self._scope["method"] == "OPTIONS":
            raise Refused(Response(status_code=204))
        if not proves(profile, self._scope, may_come_in_url=not self._target.is_admin):
            headers = {"WWW-Authenticate": CHALLENGE}
            raise Refused(JSONResponse({"error": "Unauthorized"}, 401, headers), "unauthorized")
        if self._scope["method"] != self._room.method:
            raise Refused(self._room.wrong_method(), "method_not_allowed")
        return Guest(
            profile.principal,
            served,
            self._scope,
            self._receive,
            self._sent,
            self._record_rejection,
        )

    def _served(self) -> Served:
        try:
            return self._connect()
        except MetaCortexError as error:
            raise self._out_of_service(error) from error

    async def _profile(self, services: Services) -> ClientProfile:
        try:
            profile = await self._named_on_path(services)
        except MetaCortexError as error:
            raise self._out_of_service(error) from error
        if profile is None:
            raise Refused(JSONResponse({"error": "Not found"}, 404), "unknown_client")
        return profile

    async def _named_on_path(self, services: Services) -> ClientProfile | None:
        if self._target.is_admin:
            return services.clients.admin
        return await services.clients.find(self._target.client_id)

    def _check_origin(self, profile: ClientProfile) -> None:
        origins = [
            value.decode("latin-1") for name, value in self._scope["headers"] if name == b"origin"
        ]
        if not all(profile.admits(origin) for origin in origins):
            raise Refused(JSONResponse({"error": "Origin not allowed"}, 403), "origin_not_allowed")
        if origins:
            self._send = with_cors(self._send, origins[0], self._room.method)

    def _out_of_service(self, error: MetaCortexError) -> Refused:
        request_id = str(uuid4())
        problems = error.problems if isinstance(error, ConfigurationError) else (error.sentence,)
        for problem in problems:
            logger.error("%s", problem, extra={"request_id": request_id})
        return Refused(JSONResponse({"error": "Service unavailable", "requestId": request_id}, 503))

    async def _record_rejection(self, status_code: int, reason: str) -> None:
        try:
            services = self._connect().services
            profile = await self._named_on_path(services)
        except MetaCortexError:
            return
        rejection = Rejection(
            tenant=profile.principal.tenant if profile else DEFAULT_TENANT,
            client_id=_without_query(self._target.client_id),
            method=self._scope["method"],
            path=_without_query(self._scope["path"]),
            status_code=status_code,
            reason=reason,
        )
        await services.activity.reject(rejection, round((monotonic() - self._started) * 1000))

    async def _sent(self, message: Message) -> None:
        self._answered = True
        await self._send(message)


def _without_query(text: str) -> str:
    # Some clients encode the question mark too, and what follows it may be a token.
    return re.split(r"[?;&]", text, maxsplit=1)[0]


def too_large() -> Response:
    """Return the answer to a body over the limit."""
    # The rest of the body is never read, so the connection cannot be used again.
    return JSONResponse({"error": "Request body too large"}, 413, {"Connection": "close"})
