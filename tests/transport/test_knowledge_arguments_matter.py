"""No argument that a tool of knowledge advertises is without effect."""

import pytest

from tests.arguments import OF_KNOWLEDGE, ByArgument, check_arguments
from tests.endpoint import Endpoint, Json

STATED: Json = {"subject_id": "pump-2", "predicate": "tested_with", "object_value": "seal A"}

EPISODE: tuple[tuple[str, object], ...] = (
    ("title", "U"),
    ("content", "Another text."),
    ("category", "adr"),
    ("files_touched", ["src/pay.py"]),
    ("entities", ["Ledger"]),
    ("topic", "t"),
    ("tags", ["a"]),
    ("importance", 0.9),
    ("session_id", "s"),
    ("valid_from", "2026-01"),
    ("valid_until", "2027-01"),
    ("namespace", "team"),
)
"""A value for each argument of an episode."""


@pytest.mark.case("K02")
async def test_every_advertised_argument_changes_the_answer(admin: Endpoint) -> None:
    """A row for each argument: two calls that differ in nothing else must answer differently."""
    episode = await admin.save("The pump was tested.", kind="episode")
    stated = [await admin.state("relay", "firmware", f"4.{n}") for n in range(2)]
    by_argument: ByArgument = {
        **{
            ("record_episode", name): (
                {"title": "T", "content": f"With {name}."},
                {"title": "T", "content": f"With {name}.", name: value},
            )
            for name, value in EPISODE
        },
        **{
            ("upsert_fact", name): (
                {**STATED, "category": name},
                {**STATED, "category": name, name: value},
            )
            for name, value in (("subject_id", "pump-3"), ("predicate", "sealed_with"))
        },
        ("upsert_fact", "object_id"): (
            {"subject_id": "pump-4", "predicate": "beside", "object_id": "pump-5"},
            {"subject_id": "pump-4", "predicate": "beside", "object_id": "pump-6"},
        ),
        **{
            ("upsert_fact", name): (
                {**STATED, "subject_id": f"pump {name} 1"},
                {**STATED, "subject_id": f"pump {name} 1", name: value},
            )
            for name, value in (
                ("object_value", "seal B"),
                ("singular", False),
                ("category", "test"),
                ("importance", "vital"),
                ("confidence", "low"),
                ("valid_from", "2026-01"),
                ("valid_until", "2027-01"),
                ("source_episode_id", episode["id"]),
                ("namespace", "team"),
            )
        },
        ("fact_context", "fact_id"): (
            {"fact_id": stated[0]["id"]},
            {"fact_id": stated[1]["id"]},
        ),
    }
    await check_arguments(admin, by_argument, OF_KNOWLEDGE)
