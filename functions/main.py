"""The entry of a server: hands the ASGI app to whoever runs it, and reads the environment.

`app` is for an ASGI server, `metaCortexMcp` for Cloud Functions and for the Firebase CLI.
"""

import os
import sys

from metacortex.loading import uncollected

with uncollected():
    from functions_framework import aio
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Mount
    from starlette.types import Receive, Scope, Send

    from metacortex import logs
    from metacortex.firebase_endpoint import firebase_endpoint
    from metacortex.serving import create_app

logs.configure(sys.stderr, human=False, project=os.environ.get("GOOGLE_CLOUD_PROJECT"))
app = create_app(os.environ)


class Handover(Response):
    """A response that lets the app answer. The request's body is still unread before it."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the app answer."""
        await app(scope, receive, send)


@aio.http
async def metaCortexMcp(request: Request) -> Response:
    """Answer the first request of a process, and take all later ones from the framework."""
    # Its routes answer some methods and two paths by themselves, in plain text.
    request.app.router.routes[:] = [Mount("", app=app)]
    return Handover()


# Only the Firebase CLI sets it, where it asks what there is to deploy or to emulate.
if "ADMIN_PORT" in os.environ:
    metaCortexMcp.__firebase_endpoint__ = firebase_endpoint(os.environ)  # type: ignore[attr-defined]
