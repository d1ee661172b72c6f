"""What a confirmation covers."""

from typing import Any

import pytest

from metacortex.domain.confirmation import Preview, preview_json, read_preview
from metacortex.domain.errors import Conflict, InvalidInput
from metacortex.domain.json import JSON
from metacortex.domain.search import digest_of
from tests.samples import NOW, a_filter, a_memory

FILTERS = [a_filter(topic="pumps"), a_filter(topic="pumps", session_id="s")]
PREVIEW = Preview(NOW, 3, digest_of(FILTERS))


def test_a_preview_is_the_same_after_it_was_sealed() -> None:
    assert read_preview(preview_json(PREVIEW)) == PREVIEW


@pytest.mark.parametrize("sealed", [{}, {"at": NOW, "count": "3", "filters": "x"}])
def test_what_another_version_has_sealed_is_refused(sealed: dict[str, JSON]) -> None:
    with pytest.raises(InvalidInput, match="of another version; preview again without it"):
        read_preview(sealed)


@pytest.mark.parametrize(
    ("varied", "covered"),
    [
        ({}, True),
        ({"updated_at": NOW + 1}, False),
        # An import keeps when it was made and changed, and is new here.
        ({"created_at": NOW - 9, "updated_at": NOW - 9, "recorded_at": NOW + 1}, False),
    ],
)
def test_it_covers_what_was_there_and_has_not_changed(
    varied: dict[str, Any], covered: bool
) -> None:
    assert PREVIEW.covers(a_memory(**varied)) is covered


@pytest.mark.parametrize("found", [0, 2, 3])
def test_some_may_be_gone_already(found: int) -> None:
    PREVIEW.check(FILTERS, found)


def test_more_or_by_other_filters_it_does_not_confirm() -> None:
    with pytest.raises(Conflict, match="More memories match than were counted"):
        PREVIEW.check(FILTERS, 4)
    for others in (FILTERS[:1], FILTERS[::-1], []):
        with pytest.raises(InvalidInput, match="belongs to other filters"):
            PREVIEW.check(others, 3)
