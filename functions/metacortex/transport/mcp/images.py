"""Images in arguments: base64 text and a media type, which must agree (contract C64 to C69)."""

import base64
import re

from metacortex.domain.errors import InvalidInput
from metacortex.domain.memory import Image
from metacortex.domain.text import printable

IMAGE_TYPES = ("image/png", "image/jpeg", "image/webp", "image/gif", "image/heic", "image/heif")
_DATA_URL = re.compile(r"data:([^;,]*);base64,", re.IGNORECASE)
_BASE64 = re.compile(r"(?=.)(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
"""The standard alphabet with padding, and at least one byte."""
_SHOWN = 80


def read_image(encoded: str | None, mime_type: str | None, *, with_content: bool) -> Image | None:
    """Return the image that the arguments hold, or None where they hold none.

    Raises:
        InvalidInput: nothing at all was given, one argument comes without the other, or they are
        wrong or disagree.
    """
    if encoded is None and mime_type is None and with_content:
        return None
    if encoded is None and not with_content:
        raise InvalidInput("Either content or image_base64 must be provided")
    if mime_type is None:
        raise InvalidInput("image_mime_type is required when image_base64 is provided")
    if encoded is None:
        raise InvalidInput("image_base64 is required when image_mime_type is provided")
    kind = mime_type.lower()
    if kind not in IMAGE_TYPES:
        listed = f"{', '.join(IMAGE_TYPES[:-1])} or {IMAGE_TYPES[-1]}"
        raise InvalidInput(
            f"image_mime_type '{printable(mime_type, _SHOWN)}' is not supported; use {listed}"
        )
    return Image(_decoded(encoded, kind), kind)


def _decoded(encoded: str, kind: str) -> bytes:
    text = "".join(encoded.split())
    if prefix := _DATA_URL.match(text):
        declared = prefix[1].lower()
        if declared != kind:
            raise InvalidInput(
                f"image_base64 declares '{printable(declared, _SHOWN)}' "
                f"but image_mime_type is '{kind}'"
            )
        text = text[prefix.end() :]
    if not _BASE64.fullmatch(text):
        raise InvalidInput("image_base64 is not valid base64")
    return base64.b64decode(text)
