"""How something that was looked at came out, on this machine or before a deployment."""

from enum import StrEnum


class Verdict(StrEnum):
    """How a check came out. Only a failure ends a command with status 1."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"
