"""What a confirmation covers."""

import pytest

from metacortex.domain.confirmation import Preview, preview_json, read_preview
from metacortex.domain.errors import InvalidInput
from metacortex.domain.json import JSON
from metacortex.domain.search import digest_of
from tests.samples import NOW, a_filter

FILTERS = [a_filter(topic="pumps"), a_filter(topic="pumps", session_id="s")]
PREVIEW = Preview(NOW, 3, digest_of(FILTERS))


def test_a_preview_is_the_same_after_it_was_sealed() -> None:
    assert read_preview(preview_json(PREVIEW)) == PREVIEW


@pytest.mark.parametrize("sealed", [{}, {"at": NOW, "count": 3, "filters": "x"}])
def test_what_another_version_has_sealed_is_refused(sealed: dict[str, JSON]) -> None:
    with pytest.raises(InvalidInput, match="of another version; preview again without it"):
        read_preview(sealed)


def test_by_other_filters_it_does_not_confirm() -> None:
    PREVIEW.check(FILTERS)
    for others in (FILTERS[:1], FILTERS[::-1], []):
        with pytest.raises(InvalidInput, match="belongs to other filters"):
            PREVIEW.check(others)
