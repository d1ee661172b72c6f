"""An embedding endpoint as OpenAI's, on loopback, that takes half a second for each answer and
holds any number of requests meanwhile.
"""

import asyncio
import json

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

SECONDS = 0.5
DIMENSION = 64


_held: list[int] = [0]


async def embed(request: Request) -> Response:
    """Answer with one vector for each text."""
    texts = (await request.json())["input"]
    _held.append(_held[-1] + 1)
    await asyncio.sleep(SECONDS)
    _held.append(_held[-1] - 1)
    vector = [1.0] * DIMENSION
    rows = [{"index": place, "embedding": vector} for place in range(len(texts))]
    return Response(json.dumps({"object": "list", "data": rows}), media_type="application/json")


async def most_held(_: Request) -> Response:
    """Answer with the most requests that were held at once since this was last asked."""
    most = max(_held)
    del _held[:-1]
    return Response(str(most))


app = Starlette(
    routes=[
        Route("/v1/embeddings", embed, methods=["POST"]),
        Route("/v1/most_held", most_held),
    ]
)
