"""Client profiles as JSON: the array of `MCP_CLIENT_PROFILES_JSON`, and one object in the registry
(contract C112).
"""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, tzinfo
from typing import Any

from metacortex.domain.client import (
    ADMIN_ID,
    ALL_NAMESPACES,
    DEFAULT_NAMESPACE,
    DEFAULT_TENANT,
    MAX_CLIENT_ID_LENGTH,
    NAMESPACE_RULE,
    ClientProfile,
    Credential,
    Principal,
    SecretsPolicy,
    check_tenant,
    default_filter_state,
    is_namespace,
    is_provable,
)
from metacortex.domain.dates.zone import zone_of
from metacortex.domain.errors import InvalidInput
from metacortex.domain.json import JSON
from metacortex.domain.lifecycle import STATE_NAMES, BranchState
from metacortex.problems import Problems, known

PROFILES = "MCP_CLIENT_PROFILES_JSON"
"""The setting that holds the array."""
BROWSER_TOOLS = ("remember_context", "search_context", "fetch_context")
"""What a client in a browser is given, unless told otherwise: all but taking things away."""
SHORTEST_TOKEN = 16
KEYS = (
    "id",
    "token",
    "allowedTools",
    "allowedFilterStates",
    "allowedWriteStates",
    "allowedOrigins",
    "tenant",
    "namespaces",
    "secrets",
    "mayReplace",
    "timezone",
)
ID_FORM = re.compile(rf"[^/?#\x00-\x1f\x7f]{{1,{MAX_CLIENT_ID_LENGTH}}}")


def profiles_from_json(
    text: str | None,
    preferred: BranchState,
    tools: Sequence[str],
    problems: Problems,
    taken: Sequence[Credential],
) -> list[ClientProfile]:
    """Read a JSON array of profiles. What is wrong with one becomes problems that name it, never
    its token.

    `taken` are credentials that no profile may share.
    """
    if text is None:
        return []
    try:
        entries = json.loads(text)
    except (ValueError, RecursionError):
        problems.add(f"{PROFILES} is not JSON; write one array of objects on one line")
        return []
    if not isinstance(entries, list):
        problems.add(f"{PROFILES} must be a JSON array of objects")
        return []
    found: list[ClientProfile] = []
    for place, entry in enumerate(entries, 1):
        profile = profile_from_json(entry, f"profile {place}", preferred, tools, problems)
        if profile is None:
            continue
        if any(other.id == profile.id for other in found):
            problems.add(f"profile '{profile.id[:80]}': its id is used by another profile")
        if profile.credential in [*taken, *(other.credential for other in found)]:
            problems.add(
                f"profile '{profile.id[:80]}': its token is another profile's or the admin's"
            )
        found.append(profile)
    return found


def token_by_client(env: Mapping[str, str]) -> dict[str, str]:
    """Return the token of each client whose profile stands in `env`, which was read without
    problems.
    """
    entries = json.loads(env.get(PROFILES, "").strip() or "[]")
    return {entry["id"].strip(): entry["token"].strip() for entry in entries}


def profile_from_json(
    entry: object, place: str, preferred: BranchState, tools: Sequence[str], problems: Problems
) -> ClientProfile | None:
    """Read one profile, or return None where a problem makes it unusable."""
    if not isinstance(entry, dict):
        problems.add(f"{place}: must be a JSON object")
        return None
    read = _Entry(entry, place, problems)
    client_id = read.required("id")
    if client_id:
        read.place = f"profile '{client_id[:80]}'"
    token = read.required("token")
    if client_id == ADMIN_ID:
        read.problem(f"the id '{ADMIN_ID}' belongs to the admin endpoint; choose another id")
    elif client_id and not ID_FORM.fullmatch(client_id):
        read.problem(f"id must be one path segment of at most {MAX_CLIENT_ID_LENGTH} characters")
    if token and len(token) < SHORTEST_TOKEN:
        read.problem(f"token must have {SHORTEST_TOKEN} characters or more")
    if token and not is_provable(token):
        read.problem("token must be Unicode text")
        token = None
    principal = _principal(read, client_id or "", preferred, tools)
    for name in entry:
        if name not in KEYS:
            read.problem(f"unknown key '{str(name)[:80]}'; known are {', '.join(KEYS)}")
    if not client_id or not token or principal is None:
        return None
    return ClientProfile(principal, Credential.of(token), read.strings("allowedOrigins", ()))


def _principal(
    read: "_Entry", client_id: str, preferred: BranchState, tools: Sequence[str]
) -> Principal | None:
    allowed = read.known("allowedTools", (), tools, "tool", required=True)
    seen = [
        BranchState(state)
        for state in read.known("allowedFilterStates", (preferred.value,), STATE_NAMES, "state")
    ]
    written = read.known(
        "allowedWriteStates", ("active", "wip"), STATE_NAMES, "state", may_be_empty=True
    )
    tenant = read.text("tenant") or DEFAULT_TENANT
    try:
        check_tenant(tenant)
    except InvalidInput as error:
        read.problem(error.sentence)
    secrets = read.text("secrets") or SecretsPolicy.REDACT.value
    if secrets not in tuple(SecretsPolicy):
        read.problem(f"secrets must be one of {', '.join(SecretsPolicy)}")
        secrets = SecretsPolicy.REDACT.value
    namespaces, zone = _namespaces(read), _zone(read)
    if not seen:
        return None
    return Principal(
        tenant=tenant,
        client_id=client_id,
        tools=frozenset(allowed),
        filter_states=tuple(seen),
        write_states=frozenset(BranchState(state) for state in written),
        default_filter_state=default_filter_state(preferred, seen),
        namespaces=namespaces,
        secrets=SecretsPolicy(secrets),
        may_replace=read.flag("mayReplace"),
        zone=zone,
    )


def _zone(read: "_Entry") -> tzinfo:
    try:
        return zone_of(read.text("timezone") or "UTC")
    except InvalidInput as error:
        read.problem(error.sentence)
        return UTC


def _namespaces(read: "_Entry") -> tuple[str, ...]:
    namespaces = read.strings("namespaces", (DEFAULT_NAMESPACE,), may_be_empty=False)
    if ALL_NAMESPACES in namespaces:
        if len(namespaces) > 1:
            read.problem("namespaces must be ['*'] alone, or names without '*'")
        return (ALL_NAMESPACES,)
    for name in namespaces:
        if not is_namespace(name):
            read.problem(f"namespace '{name[:80]}' {NAMESPACE_RULE}")
    return namespaces or (DEFAULT_NAMESPACE,)


class _Entry:
    """One JSON object, whose problems are told under its place or id."""

    def __init__(self, entry: Mapping[str, Any], place: str, problems: Problems) -> None:
        self._entry = entry
        self.place = place
        self._problems = problems

    def problem(self, sentence: str) -> None:
        self._problems.add(f"{self.place}: {sentence}")

    def text(self, key: str) -> str | None:
        value = self._entry.get(key)
        if value is not None and not isinstance(value, str):
            self.problem(f"{key} must be a string")
            return None
        return (value or "").strip() or None

    def flag(self, key: str) -> bool:
        value = self._entry.get(key)
        if value is not None and not isinstance(value, bool):
            self.problem(f"{key} must be true or false")
        return value is True

    def required(self, key: str) -> str | None:
        value = self.text(key)
        if value is None and isinstance(self._entry.get(key), str | None):
            self.problem(f"{key} is required")
        return value

    def strings(
        self, key: str, default: tuple[str, ...], *, may_be_empty: bool = True
    ) -> tuple[str, ...]:
        value = self._entry.get(key)
        if value is None:
            return default
        if not isinstance(value, list) or any(not isinstance(member, str) for member in value):
            self.problem(f"{key} must be a list of strings")
            return default
        members = tuple(dict.fromkeys(member.strip() for member in value if member.strip()))
        if not members and not may_be_empty:
            self.problem(f"{key} must not be empty")
        return members

    def known(
        self,
        key: str,
        default: tuple[str, ...],
        all_known: Sequence[str],
        what: str,
        *,
        required: bool = False,
        may_be_empty: bool = False,
    ) -> tuple[str, ...]:
        if required and self._entry.get(key) is None:
            self.problem(f"{key} is required")
            return default
        members = self.strings(key, default, may_be_empty=may_be_empty)
        return known(members, all_known, f"{self.place}: {key}", what, self._problems)


def profile_as_json(profile: ClientProfile) -> dict[str, JSON]:
    """Return the profile without its credential, with the keys of `MCP_CLIENT_PROFILES_JSON`."""
    principal = profile.principal
    return {
        "id": profile.id,
        "allowedTools": sorted(principal.tools),
        "allowedFilterStates": [state.value for state in principal.filter_states],
        "allowedWriteStates": sorted(state.value for state in principal.write_states),
        "allowedOrigins": list(profile.origins),
        "tenant": principal.tenant,
        "namespaces": list(principal.namespaces),
        "secrets": principal.secrets.value,
        "mayReplace": principal.may_replace,
        "timezone": str(principal.zone),
    }
