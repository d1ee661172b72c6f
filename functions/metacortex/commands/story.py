"""The story that `metacortex demo` tells: five sessions of engineers on one shop."""

from collections.abc import Mapping
from dataclasses import dataclass

from metacortex.domain.json import JSON


@dataclass(frozen=True, slots=True)
class Session:
    """One day's work: the episode that it is remembered by, and the facts that it taught."""

    day: str
    episode: Mapping[str, JSON]
    facts: tuple[Mapping[str, JSON], ...]
    replaces: str | None = None
    """The day whose episode it puts out of date."""


STORY = (
    Session(
        "2026-01-12",
        {
            "title": "ADR-004: tokens are JWT, signed with a shared secret",
            "content": (
                "The auth_service hands out JWT HS256 tokens. Every service checks them with the "
                "same secret, which is simple as long as there are three of them."
            ),
            "category": "adr",
            "files_touched": ["src/auth/tokens.py"],
            "entities": ["auth_service"],
        },
        (
            {
                "subject_id": "auth_service",
                "predicate": "token_format",
                "object_value": "JWT HS256",
            },
            {
                "subject_id": "auth_service",
                "predicate": "signing_key",
                "object_value": "one secret, shared by all services",
            },
        ),
    ),
    Session(
        "2026-02-09",
        {
            "title": "BUG-117: orders were charged twice after a timeout",
            "content": (
                "Root cause: the order_service repeats a posting to the payment_ledger after a "
                "timeout, and the repeated posting had another key than the first. The key is "
                "now made from the order."
            ),
            "category": "bug_root_cause",
            "files_touched": ["src/orders/retry.py", "src/payments/ledger.py"],
            "entities": ["order_service", "payment_ledger"],
        },
        (
            {
                "subject_id": "order_service",
                "predicate": "depends_on",
                "object_id": "payment_ledger",
                "singular": False,
            },
            {
                "subject_id": "order_service",
                "predicate": "retry_timeout",
                "object_value": "10 s",
                "singular": False,
            },
        ),
    ),
    Session(
        "2026-03-02",
        {
            "title": "INV-009: every posting carries an idempotency key",
            "content": (
                "Invariant: a posting to the payment_ledger carries an idempotency key and sums "
                "to zero, in one serializable transaction. Whoever changes the payment_ledger "
                "keeps both."
            ),
            "category": "invariant",
            "files_touched": ["src/payments/ledger.py"],
            "entities": ["payment_ledger"],
        },
        (
            {
                "subject_id": "payment_ledger",
                "predicate": "isolation_level",
                "object_value": "serializable, with an idempotency key",
            },
            {
                "subject_id": "payment_ledger",
                "predicate": "checks_callers_with",
                "object_id": "auth_service",
                "singular": False,
            },
        ),
    ),
    Session(
        "2026-04-20",
        {
            "title": "ADR-019: tokens are PASETO, signed with a key pair",
            "content": (
                "The auth_service hands out PASETO v4.public tokens, signed with Ed25519. With "
                "nine services a shared secret was one leak away from forged orders; a public "
                "key can be read by anybody."
            ),
            "category": "migration",
            "files_touched": ["src/auth/tokens.py", "src/auth/keys.py"],
            "entities": ["auth_service"],
        },
        (
            {
                "subject_id": "auth_service",
                "predicate": "token_format",
                "object_value": "PASETO v4.public",
            },
            {
                "subject_id": "auth_service",
                "predicate": "signing_key",
                "object_value": "Ed25519 key pair",
            },
        ),
        replaces="2026-01-12",
    ),
    Session(
        "2026-04-27",
        {
            "title": "Load test: the order_service waits longer before it repeats a posting",
            "content": (
                "Under load the payment_ledger takes up to 20 seconds, so the order_service waits "
                "for 30 before it repeats a posting. Whether 10 still holds elsewhere nobody "
                "looked up."
            ),
            "category": "session_note",
            "files_touched": ["src/orders/retry.py"],
            "entities": ["order_service", "payment_ledger"],
        },
        (
            {
                "subject_id": "order_service",
                "predicate": "retry_timeout",
                "object_value": "30 s",
                "singular": False,
            },
        ),
    ),
)
TOLD_ON = "2026-05-04"
"""When the story is over, and is asked about."""
BEFORE_THE_MIGRATION = "2026-02-01"
MIGRATED = "auth_service"
QUESTION = "What must a change of the payment_ledger keep, and how are its callers' tokens signed?"
BUDGET = 500
