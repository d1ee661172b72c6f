"""An embedding endpoint on loopback that answers as OpenAI's does, or as badly as a test wants."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event
from typing import Any
from zlib import crc32

from tests.loopback import QuietHandler, answering

DIMENSION = 64


@dataclass
class Answer:
    """What the endpoint sends: a status, headers and a body."""

    body: bytes = b"{}"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class EmbeddingEndpoint:
    """Embeds a text as the bag of its words. `answers` come before that, one for each request.

    Each of them makes an answer of the texts that were asked for.
    """

    url: str = ""
    answers: list[Callable[[list[str]], Answer]] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    released: Event = field(default_factory=Event)

    def answer(self, request: dict[str, Any], key: str | None) -> Answer:
        """Note a request and answer it."""
        self.requests.append(request)
        self.keys.append(key)
        make = self.answers.pop(0) if self.answers else right
        return make(request["input"])

    def hang(self, texts: list[str]) -> Answer:
        """Answer only when the test is over."""
        self.released.wait()
        return right(texts)


def right(texts: list[str]) -> Answer:
    """Answer with one vector for each text, the last first: their index says which is whose."""
    rows = [{"index": place, "embedding": bag_of_words(text)} for place, text in enumerate(texts)]
    return rows_answer(rows[::-1])


def rows_answer(rows: list[dict[str, Any]]) -> Answer:
    """Answer with these rows."""
    return Answer(json.dumps({"object": "list", "data": rows}).encode())


def bag_of_words(text: str) -> list[float]:
    """Return the counts of a text's words, each in a place of its own."""
    numbers = [0.0] * DIMENSION
    for word in re.findall(r"\w+", text.casefold()) or [""]:
        numbers[crc32(word.encode()) % DIMENSION] += 1.0
    return numbers


@contextmanager
def serve_embeddings() -> Iterator[EmbeddingEndpoint]:
    """Serve an endpoint for as long as a test takes."""
    endpoint = EmbeddingEndpoint()

    class Handler(QuietHandler):
        def do_POST(self) -> None:
            size = int(self.headers["Content-Length"])
            answer = endpoint.answer(
                json.loads(self.rfile.read(size)), self.headers["Authorization"]
            )
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body)

    with answering(Handler) as url:
        endpoint.url = f"{url}/v1"
        try:
            yield endpoint
        finally:
            endpoint.released.set()
