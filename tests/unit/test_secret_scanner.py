"""Live secrets go wherever they stand, and what only looks like one stays (rule C60a, case K54)."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metacortex.adapters.local.secrets import LibrarySecretScanner
from metacortex.domain.redaction import Redacted, redact
from tests.samples_of_secrets import BASE64_LINE, HARMLESS, IN_PLACE, JWT, TOKENS, key_block

SCANNER = LibrarySecretScanner()
MEGABYTE = 700_000
"""The longest content."""


def cleaned(text: str) -> Redacted:
    """Return `text` without its secrets."""
    return redact(text, SCANNER.scan(text))


def pieces(secret: str) -> Iterator[str]:
    """Yield every eight characters of a secret that are not the words around a key."""
    for start in range(len(secret) - 7):
        piece = secret[start : start + 8]
        if not any(word in piece for word in ("-", " ", "\n", "://", ".com", "\\")):
            yield piece


@pytest.mark.parametrize(("kind", "secret"), TOKENS)
def test_a_secret_goes_whole_and_its_kind_is_named(kind: str, secret: str) -> None:
    assert cleaned(f"Anna pasted {secret} here.") == Redacted(
        f"Anna pasted [redacted {kind}] here.", (kind,)
    )


@pytest.mark.parametrize(("kind", "before", "secret", "after"), IN_PLACE)
def test_of_what_names_its_place_only_the_secret_goes(
    kind: str, before: str, secret: str, after: str
) -> None:
    assert cleaned(f"{before}{secret}{after}") == Redacted(
        f"{before}[redacted {kind}]{after}", (kind,)
    )


@pytest.mark.parametrize("text", HARMLESS)
def test_harmless_text_stays_to_the_byte(text: str) -> None:
    assert cleaned(text) == Redacted(text)


def test_a_token_goes_to_the_end_of_its_run() -> None:
    token = "ghp_" + "aB3d" * 15
    assert cleaned(f"{token}-tail next").text == "[redacted github-token] next"


def test_a_token_in_the_place_of_a_password_goes_once() -> None:
    token = "glpat-" + "aB3d" * 5
    assert cleaned(f"https://oauth2:{token}@gitlab.com/x.git") == Redacted(
        "https://oauth2:[redacted gitlab-token]@gitlab.com/x.git", ("gitlab-token",)
    )


def test_several_secrets_are_named_in_their_order() -> None:
    text = f"{JWT} postgres://app:hunter2@db/x {key_block('PRIVATE KEY')}"
    assert cleaned(text).kinds == ("jwt", "url-password", "private-key")


def test_a_key_that_was_cut_goes_as_far_as_its_lines_do() -> None:
    cut = f"-----BEGIN PRIVATE KEY-----\n{BASE64_LINE}\n{BASE64_LINE}\naGVs\nThen we had lunch."
    assert cleaned(cut).text == "[redacted private-key]\nThen we had lunch."


def test_a_key_that_was_cut_in_the_middle_of_a_line_goes_to_the_end() -> None:
    begin = "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n"
    cut = f"{begin}{BASE64_LINE}\n{BASE64_LINE[:20]}"
    assert cleaned(cut).text == "[redacted private-key]"


def test_the_first_line_of_a_key_alone_is_taken_for_one() -> None:
    assert cleaned("-----BEGIN PRIVATE KEY-----…").text == "[redacted private-key]…"


def test_a_key_that_was_cut_does_not_reach_to_the_end_of_the_next() -> None:
    text = f"-----BEGIN PRIVATE KEY-----\nlost.\n{key_block('PRIVATE KEY')}\nkept"
    assert cleaned(text).text == "[redacted private-key]\nlost.\n[redacted private-key]\nkept"


def test_a_key_after_an_escaped_line_break_is_found() -> None:
    assert cleaned("a\\nsk-" + "aB3d" * 12).text == "a\\n[redacted openai-key]"


@given(st.sampled_from(TOKENS), st.text(max_size=40), st.text(max_size=40))
def test_no_piece_of_a_secret_survives_wherever_it_is_planted(
    sample: tuple[str, str], before: str, after: str
) -> None:
    kind, secret = sample
    bare = kind == "openai-key" and "T3BlbkFJ" not in secret and not secret.startswith("sk-svc")
    # A key without a name of its own is known only where no word goes on.
    text = f"{before} {secret}{after}" if bare else f"{before}{secret}{after}"
    left = cleaned(text).text
    assert not [piece for piece in pieces(secret) if piece in left and piece not in before + after]


@given(st.lists(st.one_of(st.sampled_from(HARMLESS), st.text(max_size=20)), max_size=6))
def test_harmless_texts_side_by_side_stay_to_the_byte(texts: list[str]) -> None:
    text = " \n".join(texts)
    assert cleaned(text) == Redacted(text)


FRAGMENTS = (
    *(secret for _, secret in TOKENS),
    *("".join(parts) for _, *parts in IN_PLACE),
    "-----BEGIN PRIVATE KEY",
    "-----BEGIN PRIVATE KEY-----",
    "-----END PRIVATE KEY",
    "://a:",
    "@",
    "eyJ",
    ".",
    "sk-",
    "\n",
    " ",
    "x",
)


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=6).map("".join))
def test_a_text_that_was_cleaned_is_clean(text: str) -> None:
    once = cleaned(text)
    assert cleaned(once.text) == Redacted(once.text)


@given(st.text())
def test_spans_lie_in_the_text_in_the_order_of_their_starts(text: str) -> None:
    spans = [(secret.start, secret.end) for secret in SCANNER.scan(f"{JWT}{text}{JWT}")]
    assert spans == sorted(spans)
    assert all(0 <= start < end <= len(text) + 2 * len(JWT) for start, end in spans)


@pytest.mark.parametrize(
    "piece",
    [
        "-----BEGIN ",
        "-----BEGIN PRIVATE KEY-----Comment:",
        "eyJ",
        "eyJ.",
        "a:",
        "://",
        "://a:",
        "://a:${",
        "ghp_",
        "sk-ant-",
        "glpat-",
        "xoxb-1-",
        "12345678:AA",
        "_authToken=",
        "\\n",
        "M",
        "\n",
    ],
)
def test_the_longest_hostile_text_is_read_in_linear_time(piece: str) -> None:
    # Quadratic reading would take hours here: that it ends is the test.
    text = (piece * MEGABYTE)[:MEGABYTE]
    assert all(secret.end <= MEGABYTE for secret in SCANNER.scan(text))
