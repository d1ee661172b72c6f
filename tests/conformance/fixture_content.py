"""What the fixtures of the conformance suite are made of: small media, and results in short."""

import base64

from mcp_types import (
    AudioContent,
    CallToolResult,
    EmbeddedResource,
    ImageContent,
    TextContent,
    TextResourceContents,
)

# One red pixel.
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
# The header of a wave file with no samples in it.
WAV = base64.b64encode(
    b"RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00"
    b"\x40\x1f\x00\x00\x40\x1f\x00\x00\x01\x00\x08\x00data\x00\x00\x00\x00"
).decode()


def said(text: str) -> CallToolResult:
    """Return a result of one text."""
    return CallToolResult(content=[text_block(text)])


def text_block(text: str) -> TextContent:
    """Return a text block."""
    return TextContent(type="text", text=text)


def image_block() -> ImageContent:
    """Return an image block of the red pixel."""
    return ImageContent(type="image", data=PNG, mime_type="image/png")


def audio_block() -> AudioContent:
    """Return an audio block of silence."""
    return AudioContent(type="audio", data=WAV, mime_type="audio/wav")


def resource_block(uri: str, media_type: str, text: str) -> EmbeddedResource:
    """Return a block that holds a text resource."""
    resource = TextResourceContents(uri=uri, mime_type=media_type, text=text)
    return EmbeddedResource(type="resource", resource=resource)
