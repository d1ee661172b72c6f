"""Google's interfaces on a loopback address: security rules, models, fields and documents."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from deploy.web import Addresses
from metacortex.domain.json import JSON
from tests.google_cloud import PROJECT, RULES
from tests.loopback import QuietHandler, answering


@dataclass
class GoogleWeb:
    """What it answers to each method and path, and what it was sent."""

    url: str
    answers: dict[str, tuple[int, JSON]] = field(default_factory=dict)
    requests: list[tuple[str, str, JSON]] = field(default_factory=list)
    tokens: set[str | None] = field(default_factory=set)

    @property
    def addresses(self) -> Addresses:
        """Where its services are."""
        return Addresses(
            rules=f"{self.url}/rules",
            firestore=f"{self.url}/firestore",
            gemini=f"{self.url}/gemini",
            vertex=f"{self.url}/vertex/{{host}}",
        )

    def answer(self, method: str, path: str, status: int, body: JSON) -> None:
        """Set the answer to requests whose path begins so."""
        self.answers[f"{method} {path}"] = status, body

    def sent(self, method: str, path: str = "") -> list[tuple[str, JSON]]:
        """Return path and body of the requests that begin so."""
        return [
            (asked, body)
            for used, asked, body in self.requests
            if used == method and asked.startswith(path)
        ]

    def rules_in_force(self, content: str) -> None:
        """Have a release of these rules."""
        ruleset = f"projects/{PROJECT}/rulesets/one"
        release: JSON = {"name": f"projects/{PROJECT}/releases/x", "rulesetName": ruleset}
        files: JSON = {"source": {"files": [{"name": "firestore.rules", "content": content}]}}
        self.answer("GET", f"/rules/projects/{PROJECT}/releases/cloud.firestore", 200, release)
        self.answer("GET", f"/rules/{ruleset}", 200, files)


@contextmanager
def google_web() -> Iterator[GoogleWeb]:
    """Answer as Google does where all is well, until the block ends."""

    class Handler(QuietHandler):
        def answer(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            content = self.rfile.read(length)
            web.requests.append((self.command, self.path, json.loads(content or b"null")))
            web.tokens.add(self.headers.get("Authorization"))
            asked = f"{self.command} {self.path}"
            fitting = [begun for begun in web.answers if asked.startswith(begun)]
            status, body = web.answers[max(fitting, key=len)] if fitting else (404, {"error": {}})
            answer = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        do_GET = do_POST = do_PATCH = answer

    with answering(Handler) as url:
        web = GoogleWeb(url)
        web.rules_in_force(RULES)
        web.answer("GET", "/vertex/", 200, {"name": "publishers/google/models/x"})
        web.answer("GET", "/gemini/", 200, {"name": "models/x"})
        web.answer("POST", f"/rules/projects/{PROJECT}/rulesets", 200, {"name": "rulesets/two"})
        web.answer("POST", f"/rules/projects/{PROJECT}/releases", 200, {})
        web.answer("PATCH", "/", 200, {})
        yield web
