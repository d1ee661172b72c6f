"""Fingerprints: when two writes are the same write."""

import json
from dataclasses import fields, replace
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metacortex.domain.details import EpisodeCategory, EpisodeDetails, Kind, details_json
from metacortex.domain.identity import fingerprint_of, immutable_digest
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import (
    Author,
    Image,
    Labels,
    Memory,
    Modality,
    NewMemory,
    Origin,
    TokenCount,
)
from metacortex.domain.moment import Moment, Precision
from tests.samples import a_memory

TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
IMAGES = st.none() | st.builds(
    Image, st.binary(min_size=1, max_size=4), st.sampled_from(["a", "b"])
)
WRITES = st.builds(
    NewMemory,
    content=TEXT,
    topic=TEXT,
    branch_state=st.sampled_from(BranchState),
    artifact_refs=st.lists(TEXT, max_size=3).map(tuple),
    image=IMAGES,
)


@pytest.mark.rule("C97", "C97a")
@pytest.mark.parametrize(
    ("new", "expected"),
    [
        (
            NewMemory("We use Ktor for shared Android and iOS networking."),
            "e221d8a8fe4605ef11d085563817b62c64c6844dd0b2c50025eb65161a5bc1b7",
        ),
        (
            NewMemory(
                "Écran des réglages 🙂",
                "ui-settings",
                BranchState.WIP,
                ("gs://bucket/a.png", "gs://bucket/b.png"),
                Image(b"ABC", "image/png"),
            ),
            "5ea0853216b23c260994af7ce544f50c893b8764ed9d184ea751864a7fc4a525",
        ),
    ],
)
def test_the_two_fingerprints_of_the_contract_come_out(new: NewMemory, expected: str) -> None:
    assert fingerprint_of(new, "default") == expected


@pytest.mark.rule("C97", "C97a")
def test_an_absent_part_is_null_and_nothing_else_is_in_the_fingerprint() -> None:
    parts = {
        "version": 3,
        "namespace": "team",
        "topic": "general",
        "branch_state": "active",
        "content": None,
        "image_mime_type": "image/gif",
        "image_sha256": sha256(b"GIF").hexdigest(),
        "artifact_refs": [],
    }
    compact = json.dumps(parts, ensure_ascii=False, separators=(",", ":"))
    new = NewMemory(image=Image(b"GIF", "image/gif"))
    assert fingerprint_of(new, "team") == sha256(compact.encode()).hexdigest()


@pytest.mark.rule("C97a")
def test_every_field_of_a_write_has_its_place_in_the_fingerprint() -> None:
    """A new field without a row here fails: it must be appended, so that old fingerprints stay."""
    base = NewMemory("x", image=Image(b"x", "image/png"))
    varied: dict[str, Any] = {
        "content": "y",
        "topic": "y",
        "branch_state": BranchState.WIP,
        "artifact_refs": ("y",),
        "image": Image(b"y", "image/png"),
        "labels": Labels(kind=Kind.NOTE),
        "supersedes": ("y",),
    }
    # Which secrets were taken out, and who worded it from what, tells how the text came about; the
    # write is what was left, with what it replaces.
    how = {"redacted", "sources", "origin"}
    assert varied.keys() | how == {field.name for field in fields(NewMemory)}
    prints = {fingerprint_of(replace(base, **{name: varied[name]}), "default") for name in varied}
    prints |= {
        fingerprint_of(base, "default"),
        fingerprint_of(base, "other"),
        fingerprint_of(replace(base, image=Image(b"x", "image/gif")), "default"),
    }
    assert len(prints) == len(varied) + 3


SAID_BESIDE: dict[str, Any] = {
    "kind": Kind.EPISODE,
    "tags": ("y",),
    "session_id": "y",
    "title": "y",
    "valid_from": Moment(1),
    "valid_until": Moment(1),
    "category": EpisodeCategory.ADR,
    "files_touched": ("y",),
    "entities": ("y",),
}


@pytest.mark.rule("C97a")
def test_every_label_has_its_place_in_the_fingerprint_but_importance() -> None:
    """The namespace is told apart, and a memory of other importance is the same memory."""
    assert {*SAID_BESIDE, "importance", "namespace"} == {field.name for field in fields(Labels)}
    episode = Labels(kind=Kind.EPISODE)
    varied = [replace(episode, **{name: value}) for name, value in SAID_BESIDE.items()]
    writes = [NewMemory("x", labels=labels) for labels in (Labels(), *varied)]
    assert len({fingerprint_of(new, "default") for new in writes}) == len(writes)
    same = (Labels(importance=0.9), Labels(namespace="y"), Labels())
    assert len({fingerprint_of(NewMemory("x", labels=each), "default") for each in same}) == 1


@pytest.mark.rule("C97a")
@pytest.mark.parametrize("name", ["tags", "files_touched", "entities"])
def test_a_list_is_the_same_in_any_order(name: str) -> None:
    named: list[dict[str, Any]] = [{name: ("a", "b")}, {name: ("b", "a")}]
    one, other = (NewMemory("x", labels=Labels(Kind.EPISODE, **each)) for each in named)
    assert fingerprint_of(one, "default") == fingerprint_of(other, "default")


@pytest.mark.rule("C97")
@given(WRITES, WRITES, TEXT, TEXT)
def test_fingerprints_are_equal_exactly_where_the_writes_are(
    one: NewMemory, other: NewMemory, here: str, there: str
) -> None:
    equal = (one, here) == (other, there)
    assert (fingerprint_of(one, here) == fingerprint_of(other, there)) is equal
    assert fingerprint_of(replace(one), here) == fingerprint_of(one, here)


@pytest.mark.rule("C97")
@given(TEXT, TEXT)
def test_a_fingerprint_keeps_the_boundaries_of_its_fields(left: str, right: str) -> None:
    splits = [
        NewMemory(left + right, "t"),
        NewMemory(left, "t" + right),
        NewMemory(left, right + "t"),
        NewMemory(left, "t", artifact_refs=(right,)),
        NewMemory("x", "t", artifact_refs=(left, right)),
        NewMemory("x", "t", artifact_refs=(left + right,)),
        NewMemory("x", "t", artifact_refs=(f'{left}","{right}',)),
    ]
    distinct = {(new.content, new.topic, new.artifact_refs) for new in splits}
    assert len({fingerprint_of(new, "default") for new in splits}) == len(distinct)


MUTABLE = {"branch_state", "superseded_by", "updated_at", "valid_until", "importance", "entities"}
OTHER: dict[str, Any] = {
    "id": "m2",
    "namespace": "other",
    "content": "other",
    "topic": "other",
    "branch_state": BranchState.WIP,
    "kind": Kind.EPISODE,
    "details": EpisodeDetails("other"),
    "modality": Modality.MIXED,
    "created_at": 1,
    "updated_at": 1,
    "recorded_at": 1,
    "written_by": Author("claude-web", "Mira"),
    "retrieval_text": "other",
    "artifact_refs": ("other",),
    "tags": ("other",),
    "session_id": "other",
    "importance": 0.9,
    "entities": ("other",),
    "superseded_by": "other",
    "valid_from": Moment(1, Precision.DAY),
    "valid_until": Moment(1),
    "origin": Origin.IMPORTED,
    "sources": ("other",),
    "recalled_from": ("other",),
    "token_count": TokenCount(1, "other"),
    "salt": "other",
    "sha256": "other",
}


def test_the_immutable_digest_covers_exactly_what_never_changes() -> None:
    memory = a_memory()
    assert set(OTHER) == {field.name for field in fields(Memory)}
    for name, value in OTHER.items():
        changed = immutable_digest(replace(memory, **{name: value}))
        assert (changed == immutable_digest(memory)) is (
            name in MUTABLE | {"sha256", "token_count"}
        ), name


@pytest.mark.parametrize(
    ("title", "written", "expected"),
    [
        (
            None,
            '{"title": null}',
            "539f13b0be28d1f60a7e234ad52c27d5c4921263cb8e0074404734dc71edda50",
        ),
        (
            "The night of the flood",
            '{"title": "The night of the flood"}',
            "33786a08c82e16cfdc74d3cec1b77c851d6d2a06ae509f4020b503e9a35bbe96",
        ),
    ],
)
def test_an_episode_with_no_more_than_a_title_has_the_digest_that_it_always_had(
    title: str | None, written: str, expected: str
) -> None:
    details = EpisodeDetails(title)
    assert json.dumps(details_json(details)) == written
    episode = a_memory(kind=Kind.EPISODE, details=details)
    assert immutable_digest(episode, version=1) == expected


def test_the_precision_of_a_moment_is_part_of_what_was_said() -> None:
    day, year = (
        a_memory(valid_from=Moment(0, precision)) for precision in (Precision.DAY, Precision.YEAR)
    )
    assert immutable_digest(day) != immutable_digest(year)


def test_the_digests_of_memories_that_an_earlier_version_wrote_stay() -> None:
    note = a_memory(salt="has none")
    assert immutable_digest(note, version=1) == (
        "c7c0e9105bd2e6088862731c8a58700371af3c918ed51e116512753ec5741f82"
    )
    episode = a_memory(
        kind=Kind.EPISODE,
        details=EpisodeDetails("Outage"),
        tags=("a",),
        valid_from=Moment(5, Precision.DAY),
    )
    assert immutable_digest(episode, version=1) == (
        "a5fb1173b136e8ea910ef3f8bbaf3919491cd34ae2fdab7ea5d0ffc5db6fa95b"
    )
