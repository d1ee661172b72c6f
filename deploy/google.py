"""Google's services that gcloud has no command for, with the account that gcloud has."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from deploy.running import Gcloud, Refused
from deploy.web import GOOGLE, Addresses, Answer, Web

OK = 200
ABSENT = 404
TOO_MANY = 429
SERVER_FAULT = 500


class Google:
    """Google's own interfaces, for one project."""

    def __init__(self, gcloud: Gcloud, web: Web, addresses: Addresses = GOOGLE) -> None:
        self.gcloud = gcloud
        self.web = web
        self.addresses = addresses
        self._token: str | None = None

    @property
    def project(self) -> str:
        """The project that all of it is about."""
        return self.gcloud.project

    def headers(self) -> Mapping[str, str]:
        """Return what proves the account of gcloud. It is secret, and never shown.

        Raises:
            Refused: gcloud has no account.
        """
        if self._token is None:
            self._token = self.gcloud.text("auth", "print-access-token").strip()
        # A person's own account needs a project to be billed to.
        return {"Authorization": f"Bearer {self._token}", "X-Goog-User-Project": self.project}

    def released_rules(self, release: str) -> str | None:
        """Return the security rules that a release has in force, None where there is none.

        Raises:
            Refused: Google cannot tell.
        """
        url = f"{self._rules}/releases/{quote(release)}"
        answer = self.web.read(url, self.headers())
        if answer.status == ABSENT:
            return None
        name = _whole(answer, "the security rules")["rulesetName"]
        ruleset = self.web.read(f"{self.addresses.rules}/{name}", self.headers())
        files = _whole(ruleset, "the security rules")["source"]["files"]
        return "\n".join(str(file["content"]) for file in files)

    def release_rules(self, release: str, content: str, *, new: bool) -> None:
        """Put security rules in force.

        Raises:
            Refused: Google would not.
        """
        source = {"files": [{"name": "firestore.rules", "content": content}]}
        rules = "the security rules"
        made = self._change("POST", f"{self._rules}/rulesets", {"source": source}, rules)
        name = f"projects/{self.project}/releases/{release}"
        entry = {"name": name, "rulesetName": (made or {}).get("name")}
        if new:
            self._change("POST", f"{self._rules}/releases", entry, rules)
        else:
            url = f"{self.addresses.rules}/{quote(name)}"
            self._change("PATCH", url, {"release": entry}, rules)

    def change_field(self, database: str, collection: str, field: str, change: Any) -> None:
        """Change how a field of a collection is indexed, and whether it expires documents.

        Raises:
            Refused: Google would not.
        """
        where = f"projects/{self.project}/databases/{quote(database)}/collectionGroups"
        mask = "&".join(f"updateMask={name}" for name in sorted(change))
        url = f"{self.addresses.firestore}/{where}/{quote(collection)}/fields/{quote(field)}?{mask}"
        self._change("PATCH", url, change, f"the field {collection}.{field}")

    def document(self, database: str, path: str) -> Any:
        """Return a document of Firestore, None where there is none.

        Raises:
            Refused: Firestore cannot tell.
        """
        answer = self.web.read(f"{self._documents(database)}/{quote(path)}", self.headers())
        return None if answer.status == ABSENT else _whole(answer, f"the document {path}")

    def query(self, database: str, parent: str, query: Any) -> Any:
        """Return what Firestore answers to a structured query below `parent`.

        Raises:
            Refused: Firestore cannot tell.
        """
        url = f"{self._documents(database)}/{quote(parent)}:runQuery"
        body = {"structuredQuery": query}
        answer = self.web.read(url, self.headers(), method="POST", body=body)
        return _whole(answer, f"the documents of {parent}")

    @property
    def _rules(self) -> str:
        return f"{self.addresses.rules}/projects/{self.project}"

    def _documents(self, database: str) -> str:
        where = f"projects/{self.project}/databases/{quote(database)}/documents"
        return f"{self.addresses.firestore}/{where}"

    def _change(self, method: str, url: str, body: Any, what: str) -> Any:
        headers = {} if self.web.dry else self.headers()
        answer = self.web.change(method, url, headers, body)
        return None if answer is None else _whole(answer, what)


def _whole(answer: Answer, what: str) -> Any:
    if answer.status == OK:
        return answer.json()
    busy = answer.status == TOO_MANY or answer.status >= SERVER_FAULT
    advice = "; start again in some minutes" if busy else ""
    raise Refused(f"Google answers {answer.status} about {what}{advice}")
