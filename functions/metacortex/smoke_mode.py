"""What a smoke test expects of a client; kept apart from it, because it imports the MCP SDK."""

from enum import StrEnum


class Mode(StrEnum):
    """What the client is expected to be able to do."""

    ADMIN = "admin-read-write"
    BROWSER = "browser-read-write"
    SEARCH_ONLY = "search-only"
