"""Credentials that the server made for itself: one file in the data directory, for its owner alone.

It holds settings under the names that they have in the environment, and the environment wins. Only
`make_missing` makes tokens, and only `metacortex serve` calls it.
"""

import errno
import fcntl
import json
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from metacortex.config import ADMIN_TOKEN
from metacortex.domain.errors import ConfigurationError, StoreUnusable
from metacortex.domain.json import JSON
from metacortex.profiles import BROWSER_TOOLS, PROFILES

FILE_NAME = "credentials.json"

_WEB_CLIENTS = (("chatgpt-web", "https://chatgpt.com"), ("claude-web", "https://claude.ai"))


def new_token() -> str:
    """Return a secret of 256 bits, in characters that need no quoting in a URL, header or shell."""
    # Without the prefix one in 64 would begin with a dash, and look like an option of a command.
    return f"mcx_{secrets.token_urlsafe(32)}"


def credentials_file(data_dir: Path) -> Path:
    """Return where the credentials of this data directory are kept."""
    return data_dir / FILE_NAME


def with_stored(env: Mapping[str, str], data_dir: Path) -> dict[str, str]:
    """Return `env`, completed by the stored credentials that it lacks.

    Raises:
        ConfigurationError: the file is there, but holds no credentials that can be read.
    """
    return _completed(env, _read(credentials_file(data_dir)))


def make_missing(env: Mapping[str, str], data_dir: Path) -> dict[str, str]:
    """Return `env` with an admin token and client profiles; what nobody has set is made and stored.

    Of two processes that do this at once, one makes the tokens and both return them.

    Raises:
        ConfigurationError: the file is there, but holds no credentials that can be read.
        StoreUnusable: the data directory cannot be written.
    """
    path = credentials_file(data_dir)
    try:
        with _alone_in(data_dir):
            stored = _read(path)
            missing = {name for name in _MAKERS if not _given(env, name) and name not in stored}
            if missing:
                stored |= {name: _MAKERS[name]() for name in sorted(missing)}
                _write(path, stored)
    except OSError as error:
        full = error.errno == errno.ENOSPC
        reason = "its disk is full" if full else os.strerror(error.errno or errno.EIO)
        raise StoreUnusable(
            f"The data directory '{data_dir}' cannot be written ({reason}); mend that,"
            " or set METACORTEX_DATA_DIR to another folder"
        ) from error
    return _completed(env, stored)


def _new_profiles() -> JSON:
    return [
        {
            "id": client_id,
            "token": new_token(),
            "allowedTools": list(BROWSER_TOOLS),
            "allowedFilterStates": ["active"],
            "allowedOrigins": [origin],
        }
        for client_id, origin in _WEB_CLIENTS
    ]


_MAKERS = {ADMIN_TOKEN: new_token, PROFILES: _new_profiles}


def _given(env: Mapping[str, str], name: str) -> bool:
    return bool(env.get(name, "").strip())


def _completed(env: Mapping[str, str], stored: Mapping[str, JSON]) -> dict[str, str]:
    texts = {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in stored.items()
        if not _given(env, name)
    }
    return {**env, **texts}


def _read(path: Path) -> dict[str, JSON]:
    try:
        stored = json.loads(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise ConfigurationError(
            [f"'{path}' cannot be read; let this user read it, or move it away for new tokens"]
        ) from error
    except (ValueError, RecursionError):
        stored = None
    if not isinstance(stored, dict) or not set(stored) <= set(_MAKERS):
        raise ConfigurationError(
            [f"'{path}' holds no credentials; restore it, or move it away for new tokens"]
        )
    return stored


def _write(path: Path, stored: Mapping[str, JSON]) -> None:
    """Replace the file in one step: a kill leaves the old one or the new one, whole."""
    unfinished = path.with_suffix(".new")
    unfinished.unlink(missing_ok=True)
    with os.fdopen(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
        json.dump(stored, file, indent=2)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)


@contextmanager
def _alone_in(data_dir: Path) -> Iterator[None]:
    """Hold the lock of the folder, which is made for its owner alone if it is not there."""
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder = os.open(data_dir, os.O_RDONLY)
    try:
        # A lock on the folder leaves no file behind, and goes when its process goes.
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
        os.fsync(folder)
    finally:
        os.close(folder)
