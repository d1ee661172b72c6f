"""What a local model can read: text that no tokenizer or C string stumbles over."""

from unicodedata import normalize


def readable(text: str, cap: int) -> str:
    """Return `text` in compatibility form, without NULs and lone surrogates, cut to `cap` letters.

    Models normalise by themselves, but only after any cap: one ligature can become eighteen.
    """
    # Cut first as well: normalising never shortens a text to less than a third.
    plain = normalize("NFKC", text[: 3 * cap]).replace("\0", " ")
    return plain.encode(errors="replace").decode()[:cap]
