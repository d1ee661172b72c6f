"""How strong tokens are: whoever guesses one reads and writes a memory that the world can reach."""

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from deploy.findings import Finding, fail, ok
from metacortex.config import ADMIN_TOKEN
from metacortex.profiles import PROFILES

LEAST_CHARACTERS = 24
LEAST_BITS = 80
"""Of variety: 24 random characters of a hexadecimal token have about 90."""
LEAST_KINDS = 10
MAKE_ONE = "make one with: python3 -c 'import secrets; print(secrets.token_urlsafe(32))'"

_PLACEHOLDER = re.compile(
    "replace|change[-_ ]?(me|this)|example|placeholder|your[-_ ]|token[-_ ]?here|secret[-_ ]?here"
    "|password|insert|sample|x{6}|long-random-text"
    # Short enough to come about by chance within a random token.
    "|(?<![a-z])(dummy|todo)(?![a-z])",
    re.IGNORECASE,
)
_REPEATED = re.compile(r"(.{1,12}?)\1{2,}")
_LONGEST_BY_CHANCE = 7
"""In one of six random hexadecimal tokens a character stands three times in a row."""


def token_findings(env: Mapping[str, str]) -> Iterator[Finding]:
    """Judge every token in `env`; no finding holds one."""
    owners = list(_tokens(env))
    problems = [
        fail("tokens", f"the token of {owner} {weakness}", MAKE_ONE)
        for owner, token in owners
        if (weakness := token_weakness(token))
    ]
    problems.extend(_shared(owners))
    yield from problems
    if owners and not problems:
        yield ok("tokens", f"{len(owners)} tokens, each strong and its client's alone")


def token_weakness(token: str) -> str | None:
    """Return why a token is weak, or None."""
    if _PLACEHOLDER.search(token):
        return "looks like a placeholder"
    if len(token) < LEAST_CHARACTERS:
        return f"has fewer than {LEAST_CHARACTERS} characters"
    if any(len(found[0]) > _LONGEST_BY_CHANCE for found in _REPEATED.finditer(token)):
        return "repeats itself"
    if len(set(token)) < LEAST_KINDS:
        return f"has fewer than {LEAST_KINDS} different characters"
    if _runs(token) or _bits(token) < LEAST_BITS:
        return "has too little variety"
    return None


def _bits(token: str) -> float:
    shares = [count / len(token) for count in Counter(token).values()]
    return -sum(share * math.log2(share) for share in shares) * len(token)


def _runs(token: str) -> bool:
    """Whether most of the characters only count up or down, as in abcdef or 987654."""
    steps = [ord(after) - ord(before) for before, after in pairwise(token)]
    return sum(abs(step) == 1 for step in steps) * 2 > len(steps)


def _shared(owners: Sequence[tuple[str, str]]) -> Iterator[Finding]:
    for place, (owner, token) in enumerate(owners):
        for other, earlier in owners[:place]:
            # One that holds another is guessed with it.
            if token == earlier or (min(len(token), len(earlier)) >= 8 and _holds(token, earlier)):
                finding = f"{owner} and {other} have the same token, or nearly"
                yield fail("tokens", finding, MAKE_ONE)


def _holds(one: str, other: str) -> bool:
    return one.lower() in other.lower() or other.lower() in one.lower()


def _tokens(env: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    if admin := env.get(ADMIN_TOKEN, "").strip():
        yield "the admin", admin
    try:
        profiles = json.loads(env.get(PROFILES, "").strip() or "[]")
    except ValueError:
        # That it is no JSON is told with the settings.
        return
    for profile in profiles if isinstance(profiles, list) else []:
        if isinstance(profile, dict) and isinstance(token := profile.get("token"), str):
            yield f"client '{str(profile.get('id'))[:80]}'", token.strip()
