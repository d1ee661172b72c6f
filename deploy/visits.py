"""What is looked at after a deployment or a rollback: the function as clients see it, and what it
left in Firestore.
"""

import asyncio
import time
from collections.abc import Iterator
from dataclasses import dataclass

from deploy.findings import Finding, fail, ok, told, warn
from deploy.google import Google
from deploy.running import Refused
from deploy.session import Session
from deploy.target import Target
from deploy.web import Web
from metacortex.config import ADMIN_TOKEN, Settings
from metacortex.domain.client import ADMIN_ID, ClientProfile
from metacortex.domain.errors import MetaCortexError
from metacortex.domain.json import JSON
from metacortex.function_settings import FUNCTION_NAME
from metacortex.profiles import BROWSER_TOOLS, token_by_client
from metacortex.smoke import smoke
from metacortex.smoke_mode import Mode
from metacortex.verdict import Verdict

HEALTH_PATH = "/healthz/"
"""Google's front end keeps /healthz for itself and answers 404; with the slash it reaches us."""
LOGS = f"read the logs: gcloud functions logs read {FUNCTION_NAME} --gen2"
GO_BACK = f"go back with scripts/rollback, and {LOGS}"


def visited(session: Session, url: str) -> bool:
    """Tell what clients see at `url`, and return whether all is well.

    Raises:
        Refused: the settings are not those of a server.
    """
    visit = Visit(url, session.target, session.settings(), session.web, session.google)
    if session.runner.dry:
        for request in visit.plan():
            session.tell(f"would send: {request}")
        return True
    return told(visit.findings(), session.tell)


@dataclass(frozen=True, slots=True)
class Visit:
    """A visit to the function at `url`."""

    url: str
    target: Target
    settings: Settings
    web: Web
    google: Google

    def plan(self) -> Iterator[str]:
        """Yield what would be sent."""
        yield f"GET {self.url}{HEALTH_PATH}"
        yield f"POST {self.url}/mcp, without a token"
        profile = browser_profile(self.settings)
        if profile is not None:
            yield f"OPTIONS {self.url}/clients/{profile.id}/mcp"
        yield f"the calls of scripts/smoke --url {self.url}/mcp --mode {Mode.ADMIN}"
        if profile is not None:
            where = f"{self.url}/clients/{profile.id}/mcp"
            yield f"the calls of scripts/smoke --url {where} --mode {Mode.BROWSER}"

    def findings(self) -> Iterator[Finding]:
        """Look at everything, and yield each finding as it is made.

        Where the function is not there at all, that is the only one.
        """
        health = self._status("health", "GET", HEALTH_PATH, 200, {})
        yield health
        if health.verdict is Verdict.FAIL:
            return
        yield self._status("no token", "POST", "/mcp", 401, {})
        profile = browser_profile(self.settings)
        if profile is None or not profile.origins:
            yield warn("browser", "no profile is a browser's", "see docs/clients.md to add one")
        else:
            yield self._preflight(profile)
        started = time.time_ns() // 1_000_000
        kept: list[str] = []
        admin = self.target.env[ADMIN_TOKEN].strip()
        yield self._smoke("admin smoke", "/mcp", admin, Mode.ADMIN, kept)
        if profile is not None:
            path, token = f"/clients/{profile.id}/mcp", token_by_client(self.target.env)[profile.id]
            yield self._smoke("browser smoke", path, token, Mode.BROWSER, [])
        yield self._memory(kept)
        yield self._event(started)

    def _status(
        self, name: str, method: str, path: str, wanted: int, headers: dict[str, str]
    ) -> Finding:
        try:
            # A body that is no message: the door must refuse before it reads one.
            body: JSON = {} if method == "POST" else None
            answer = self.web.read(f"{self.url}{path}", headers, method=method, body=body)
        except Refused as error:
            return fail(name, str(error), GO_BACK)
        if answer.status != wanted:
            finding = f"{method} {path} answers {answer.status} instead of {wanted}"
            return fail(name, finding, GO_BACK)
        return ok(name, f"{method} {path} answers {wanted}")

    def _preflight(self, profile: ClientProfile) -> Finding:
        origin = next((origin for origin in profile.origins if origin != "*"), "https://claude.ai")
        headers = {
            "Origin": origin,
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization,content-type",
        }
        return self._status("browser", "OPTIONS", f"/clients/{profile.id}/mcp", 204, headers)

    def _smoke(self, name: str, path: str, token: str, mode: Mode, kept: list[str]) -> Finding:
        try:
            kept.extend(asyncio.run(smoke(f"{self.url}{path}", token, mode, _silent)))
        except MetaCortexError as error:
            return fail(name, error.sentence, GO_BACK)
        return ok(name, f"{path} does what a client needs")

    def _memory(self, kept: list[str]) -> Finding:
        if not kept:
            return fail("memory", "the smoke test kept none", GO_BACK)
        store, tenant = self.target.store, self._tenant()
        path = f"tenants/{tenant}/{store.collection}/{kept[0]}"
        try:
            found = self.google.document(store.database, path)
        except Refused as error:
            return fail("memory", str(error), "let this account read Firestore")
        if found is None:
            return fail("memory", f"{path} is not in Firestore", GO_BACK)
        return ok("memory", f"{path} is in Firestore")

    def _event(self, started: int) -> Finding:
        try:
            answer = self.google.query(
                self.target.store.database, f"tenants/{self._tenant()}", _newest_event()
            )
        except Refused as error:
            return fail("event", str(error), "let this account read Firestore")
        found = [row["document"]["fields"] for row in answer if "document" in row]
        # Both clocks are Google's or kept by NTP; a minute is more than they differ.
        if not found or int(found[0]["timestamp"]["integerValue"]) < started - 60_000:
            return fail("event", "the smoke test left none in Firestore", GO_BACK)
        return ok("event", "the admin's last call is in Firestore")

    def _tenant(self) -> str:
        admin = self.settings.admin
        assert admin is not None, "the settings of a deployment are those of a server"
        return admin.principal.tenant


def _silent(step: str) -> None:
    """Tell nothing: a finding says how all the steps went."""


def _newest_event() -> dict[str, object]:
    """Return the query for the admin's newest event, in a shape that has its index."""
    mine = {
        "fieldFilter": {
            "field": {"fieldPath": "client_id"},
            "op": "EQUAL",
            "value": {"stringValue": ADMIN_ID},
        }
    }
    order = [
        {"field": {"fieldPath": name}, "direction": "DESCENDING"}
        for name in ("timestamp", "recorded_at")
    ]
    return {
        "from": [{"collectionId": "memory_events"}],
        "where": mine,
        "orderBy": order,
        "limit": 1,
    }


def browser_profile(settings: Settings) -> ClientProfile | None:
    """Return the first profile that does what a browser's should, and no more."""
    for profile in settings.profiles.values():
        tools = profile.principal.tools
        if tools >= set(BROWSER_TOOLS) and "deprecate_context" not in tools:
            return profile
    return None
