"""Taking spans out of a text."""

from hypothesis import given
from hypothesis import strategies as st

from metacortex.domain.redaction import Redacted, Secret, redact


def test_a_text_without_secrets_stays_as_it_is() -> None:
    assert redact("nothing here", ()) == Redacted("nothing here")


def test_each_secret_gives_way_to_the_name_of_its_kind() -> None:
    text = "key KKKK, password pppp."
    secrets = (Secret("url-password", 19, 23), Secret("aws-access-key", 4, 8))
    assert redact(text, secrets) == Redacted(
        "key [redacted aws-access-key], password [redacted url-password].",
        ("aws-access-key", "url-password"),
    )


def test_a_kind_is_named_once() -> None:
    secrets = (Secret("jwt", 0, 1), Secret("jwt", 2, 3))
    assert redact("a b", secrets) == Redacted("[redacted jwt] [redacted jwt]", ("jwt",))


def test_secrets_that_overlap_go_as_one_under_the_kind_that_begins_first() -> None:
    secrets = (Secret("jwt", 4, 10), Secret("private-key", 2, 6), Secret("npm-token", 5, 6))
    assert redact("0123456789ab", secrets) == Redacted(
        "01[redacted private-key]ab", ("private-key",)
    )


def test_of_two_that_begin_together_the_longer_names_the_kind() -> None:
    secrets = (Secret("github-token", 0, 4), Secret("url-password", 0, 6))
    assert redact("abcdef@", secrets) == Redacted("[redacted url-password]@", ("url-password",))


def test_secrets_that_touch_are_two() -> None:
    secrets = (Secret("jwt", 0, 2), Secret("npm-token", 2, 4))
    assert redact("abcd", secrets).text == "[redacted jwt][redacted npm-token]"


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(1, 8)), max_size=6),
    st.permutations(range(6)),
)
def test_what_no_secret_covers_stays_and_what_one_covers_goes(
    spans: list[tuple[int, int]], order: list[int]
) -> None:
    text = "".join(chr(0x4E00 + place) for place in range(40))
    secrets = [Secret("jwt", start, start + length) for start, length in spans]
    shuffled = [secrets[place] for place in order if place < len(secrets)]
    covered = {place for secret in secrets for place in range(secret.start, secret.end)}
    kept = [character for place, character in enumerate(text) if place not in covered]
    redacted = redact(text, shuffled)
    assert [character for character in redacted.text if character >= "\u4e00"] == kept
    assert redacted == redact(text, secrets)
