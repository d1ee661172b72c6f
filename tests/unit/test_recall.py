"""Citations are recognized in whatever form a bundle is saved again."""

import json
from time import process_time

import pytest

from metacortex.domain.bundles.bundle import Budget, Bundle, Format, Item
from metacortex.domain.bundles.bundle_text import as_sent, bundle_json
from metacortex.domain.bundles.recall import MOST_CITATIONS, cited
from tests.samples import a_memory

ITEMS = tuple(
    Item(a_memory(f"{n:032x}", sha256=f"{n}a" * 32), f"Relay {n} is in rack C.") for n in range(3)
)
CITED = {f"{n:032x}": f"{n}a" * 4 for n in range(3)}


@pytest.mark.case("K48")
@pytest.mark.parametrize("form", Format)
def test_a_bundle_is_recognized_as_text_as_json_and_as_json_in_json(form: Format) -> None:
    bundle = Bundle(form, Budget(1_200, "o200k_base"), ITEMS)
    sent = as_sent(bundle)
    context = bundle_json(bundle).get("context", sent)
    assert isinstance(context, str)
    for saved in (context, sent, json.dumps(sent), json.dumps(json.dumps(sent)), f"As {sent}!"):
        assert cited(saved) == CITED


@pytest.mark.parametrize(
    "text",
    [
        "The relay is in rack C.",
        "sha256:0a0a0a0a",
        "The digest is sha256:0a0a0a0a0a0a",
        f"{0:032x} has the sha256 0a0a0a0a in git",
        "sha256: 0A0A0A0A",
    ],
)
def test_what_only_resembles_a_citation_is_none(text: str) -> None:
    assert [id_ for id_ in cited(text) if len(id_) == 32] == []


def test_no_more_than_a_hundred_citations_are_read() -> None:
    text = "\n".join(f"m{n} sha256:{n:08x}" for n in range(500))
    assert len(cited(text)) == MOST_CITATIONS


def test_no_text_takes_long_to_read() -> None:
    began = process_time()
    for piece in ("x" * 128, "sha256", "sha256:", "m sha256:0000000", "-" * 100):
        assert cited(piece * (600_000 // len(piece))) == {}
    assert process_time() - began < 2
