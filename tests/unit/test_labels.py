"""What may be said of a memory beside its text, and how much of it."""

from typing import Any

import pytest

from metacortex.domain.bundles.bundle import Compile
from metacortex.domain.details import (
    Details,
    EpisodeCategory,
    EpisodeDetails,
    Kind,
    NoteDetails,
    details_json,
    read_details,
)
from metacortex.domain.errors import Forbidden, InvalidInput
from metacortex.domain.memory import Labels, NewMemory
from metacortex.domain.moment import Moment
from metacortex.domain.search import Filters
from tests.samples import NOW
from tests.world import World

NO_NAMESPACE = "namespace must be 1 to 64 of A-Z a-z 0-9 . _ / -, not beginning with . / or __"


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        (Labels(session_id="s" * 129), "session_id must be at most 128 characters"),
        (Labels(Kind.EPISODE, title="t" * 201), "title must be at most 200 characters"),
        (Labels(tags=("t" * 65,)), "tags must be at most 64 characters"),
        (Labels(tags=tuple(map(str, range(33)))), "tags must hold at most 32 tags"),
        (Labels(namespace="../x"), NO_NAMESPACE),
        (Labels(namespace="x" * 900_000), NO_NAMESPACE),
        *(
            (labels, f"{name} is for episodes; give kind episode with it, or leave it out")
            for name, labels in (
                ("title", Labels(title="A title")),
                ("category", Labels(category=EpisodeCategory.ADR)),
                ("files_touched", Labels(Kind.NOTE, files_touched=("a.py",))),
            )
        ),
        (
            Labels(Kind.EPISODE, files_touched=("f" * 513,)),
            "files_touched must be at most 512 characters",
        ),
        (
            Labels(Kind.EPISODE, files_touched=tuple(map(str, range(101)))),
            "files_touched must hold at most 100 files",
        ),
        (Labels(entities=("e" * 201,)), "entities must be at most 200 characters"),
        (Labels(entities=tuple(map(str, range(33)))), "entities must hold at most 32 names"),
        (
            Labels(valid_from=Moment(NOW), valid_until=Moment(NOW)),
            "valid_until must be after valid_from",
        ),
    ],
)
def test_labels_over_their_limits_are_refused_with_a_sentence(
    labels: Labels, sentence: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        NewMemory("Valve 12 sticks in frost.", labels=labels)
    assert refused.value.sentence == sentence


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"session_id": "s" * 129}, "session_id must be at most 128 characters"),
        ({"client": "c" * 129}, "client must be at most 128 characters"),
        ({"client": "\ud800"}, "client is not valid Unicode text"),
        ({"tags": ("t" * 65,)}, "tags must be at most 64 characters"),
        ({"tags": tuple(map(str, range(33)))}, "tags must hold at most 32 tags"),
        *(
            ({"namespace": name}, NO_NAMESPACE)
            for name in ("../x", "/x", "__x", "x y", "x\n", "*", "é", "x" * 65, "\ud800", "")
        ),
    ],
    ids=ascii,
)
def test_a_filter_by_what_no_memory_can_have_is_refused_with_a_sentence(
    asked: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        Filters(**asked)
    assert refused.value.sentence == sentence


def test_what_a_kind_adds_comes_back_as_it_was() -> None:
    added: tuple[tuple[Kind, Details], ...] = (
        (Kind.NOTE, NoteDetails()),
        (Kind.EPISODE, EpisodeDetails()),
        (Kind.EPISODE, EpisodeDetails("The night of the flood")),
        *((Kind.EPISODE, EpisodeDetails(category=category)) for category in EpisodeCategory),
        (Kind.EPISODE, EpisodeDetails("Keys", EpisodeCategory.ADR, ("b.py", "a.py"))),
    )
    for kind, details in added:
        assert read_details(kind, details_json(details)) == details


async def test_a_namespace_of_others_is_written_to_by_nobody_else(world: World) -> None:
    new = NewMemory("Valve 12 sticks in frost.", labels=Labels(namespace="elsewhere"))
    with pytest.raises(Forbidden) as refused:
        await world.services.memories.remember(world.principal("team"), new)
    assert refused.value.sentence == "namespace 'elsewhere' cannot be written to by this client"


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"query": " "}, "query must not be empty"),
        ({"max_tokens": 99}, "max_tokens must be a whole number from 100 to 32000"),
        ({"max_chars": 199}, "max_chars must be a whole number from 200 to 100000"),
        (
            {"max_tokens": 500, "max_chars": 500},
            "Provide either max_tokens or max_chars, not both",
        ),
    ],
)
def test_a_budget_that_cannot_be_is_refused_with_a_sentence(
    asked: dict[str, int | str], sentence: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        Compile(**{"query": "relay", **asked})  # type: ignore[arg-type]
    assert refused.value.sentence == sentence
