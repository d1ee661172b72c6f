"""Gemini on loopback: the wire of the Gemini API and of Vertex AI, or as badly as a test wants.

It refuses what Gemini refuses: another path, more texts than fit a request, a content of several
parts, a title without the task of a document.
"""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event
from typing import Any, TypeAlias

from tests.embedding_endpoint import Answer, bag_of_words
from tests.loopback import QuietHandler, answering

PATH = re.compile(
    r"/(?:v1beta|v1beta1/projects/(?P<project>[\w-]+)/locations/(?P<location>[\w-]+)"
    r"/publishers/google)/models/(?P<model>[\w.-]+):(?P<method>\w+)"
)
DESCRIPTION = "A settings screen with the button Save and the error E1042."


@dataclass
class Asked:
    """One request: where it went, its headers and its body."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def method(self) -> str:
        """What the model was asked to do, empty for a path that Gemini has not."""
        found = PATH.fullmatch(self.path)
        return found["method"] if found else ""

    @property
    def on_vertex(self) -> bool:
        """Whether it went to the wire of Vertex AI."""
        return "/projects/" in self.path

    @property
    def contents(self) -> list[dict[str, Any]]:
        """The contents to embed, each with what is asked of it."""
        if self.method == "batchEmbedContents":
            return [
                {**each, **each.get("embedContentConfig", {})} for each in self.body["requests"]
            ]
        return [{**self.body, **self.body.get("embedContentConfig", {})}]

    @property
    def texts(self) -> list[str]:
        """The texts to embed, or those beside an image."""
        holders = self.body.get("contents")
        if holders is None:
            holders = [each["content"] for each in self.contents]
        return [part["text"] for each in holders for part in each["parts"] if "text" in part]

    @property
    def data(self) -> object:
        """The JSON that stands in the last line of the one text."""
        (text,) = self.texts
        return json.loads(text.split("\n")[-1])


MakeAnswer: TypeAlias = Callable[[Asked], Answer]


@dataclass
class GeminiEndpoint:
    """Embeds a text as the bag of its words. `answers` come before that, one for each request."""

    url: str = ""
    answers: list[MakeAnswer] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    released: Event = field(default_factory=Event)

    def answer(self, asked: Asked) -> Answer:
        """Note a request and answer it."""
        self.asked.append(asked)
        make = self.answers.pop(0) if self.answers else right
        return make(asked)

    def hang(self, asked: Asked) -> Answer:
        """Answer only when the test is over."""
        self.released.wait()
        return right(asked)


def right(asked: Asked) -> Answer:
    """Answer as Gemini does, and as the server of credentials."""
    if asked.path == "/token":
        return said({"access_token": "a-fresh-token", "expires_in": 3600, "token_type": "Bearer"})
    if asked.method == "generateContent":
        return described(DESCRIPTION)
    if asked.method not in ("batchEmbedContents", "embedContent"):
        return refused(404, "NOT_FOUND")
    batched = asked.method == "batchEmbedContents"
    if len(asked.contents) > (1 if asked.on_vertex else 100) or not all(
        map(_is_embeddable, asked.contents)
    ):
        return refused(400, "INVALID_ARGUMENT")
    rows = [
        {
            "values": bag_of_words(each["content"]["parts"][0]["text"])[
                : each["outputDimensionality"]
            ]
        }
        for each in asked.contents
    ]
    return said({"embeddings": rows} if batched else {"embedding": rows[0]})


def _is_embeddable(each: dict[str, Any]) -> bool:
    (part, *more) = each["content"]["parts"]
    titled = "title" in each and each.get("taskType") != "RETRIEVAL_DOCUMENT"
    return bool(part["text"]) and not more and not titled


def said(body: object) -> Answer:
    """Answer with this JSON."""
    return Answer(json.dumps(body).encode(), headers={"Content-Type": "application/json"})


def vectors(*rows: list[Any]) -> MakeAnswer:
    """Answer with these vectors, however many were asked for."""
    return lambda asked: said({"embeddings": [{"values": row} for row in rows]})


def described(*texts: str, reason: str = "STOP") -> Answer:
    """Answer with a description in so many parts."""
    parts = [{"text": text} for text in texts]
    content = {"role": "model", "parts": parts} if parts else {"role": "model"}
    return said({"candidates": [{"content": content, "finishReason": reason, "index": 0}]})


def refused(
    status: int, reason: str, *details: dict[str, Any], quoted: object = None, **headers: str
) -> Answer:
    """Refuse in the form of google.rpc.Status; the message quotes the request, as some do."""
    error = {"code": status, "message": f"{quoted}", "status": reason, "details": list(details)}
    body = json.dumps({"error": error}).encode()
    return Answer(body, status, {"Content-Type": "application/json", **headers})


def retry_info(delay: str) -> dict[str, Any]:
    """Return the detail by which Google says when to come back."""
    return {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}


def of_status(status: int, *details: dict[str, Any], **headers: str) -> MakeAnswer:
    """Refuse with a status, and quote what was asked and by whom."""
    return lambda asked: refused(
        status, "UNKNOWN", *details, quoted=[asked.body, asked.headers], **headers
    )


def dropped(asked: Asked) -> Answer:
    """Promise more than is sent, and hang up."""
    return Answer(b'{"embeddings": [', headers={"Content-Length": "1000"})


@contextmanager
def serve_gemini() -> Iterator[GeminiEndpoint]:
    """Serve an endpoint for as long as a test takes."""
    endpoint = GeminiEndpoint()

    class Handler(QuietHandler):
        # Head and body in one piece: the second of two waits 40 ms for the receipt of the first.
        wbufsize = 1 << 16

        def do_POST(self) -> None:
            size = int(self.headers["Content-Length"])
            headers = {name.lower(): value for name, value in self.headers.items()}
            sent = self.rfile.read(size)
            # Who asks for a token sends a form.
            body = json.loads(sent) if "json" in headers["content-type"] else {}
            asked = Asked(self.path, headers, body)
            answer = endpoint.answer(asked)
            self.send_response(answer.status)
            for name, value in {"Content-Length": str(len(answer.body)), **answer.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer.body)
            self.close_connection = "Content-Length" in answer.headers

    with answering(Handler) as endpoint.url:
        try:
            yield endpoint
        finally:
            endpoint.released.set()
