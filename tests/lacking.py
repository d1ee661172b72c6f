"""What a test does on a machine that lacks something it needs."""

import os
from importlib.util import find_spec
from typing import NoReturn

import pytest


def lacking(what: str) -> NoReturn:
    """Skip the test and say what it lacks; with CI=true that is a failure."""
    if os.environ.get("CI") == "true":
        pytest.fail(what)
    pytest.skip(what)


def require(package: str) -> None:
    """Go on where a package is installed; skip the test or fail it where it is not."""
    if find_spec(package) is None:
        lacking(f"{package} is not installed")
