"""How a command of ours is typed so that it works in any terminal: whole path, same memory."""

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

from metacortex.engine_settings import DEFAULT_DATA_DIR, data_dir_of


def typed(env: Mapping[str, str], *words: str) -> str:
    """Return a command of this program as a line to paste.

    Raises:
        ConfigurationError: the data directory of `env` cannot be told.
    """
    data_dir = data_dir_of(env).absolute()
    default = data_dir == DEFAULT_DATA_DIR.expanduser().absolute()
    folder = () if default else ("--data-dir", str(data_dir))
    return shlex.join([*_program(), *folder, *words])


def _program() -> tuple[str, ...]:
    # Only an activated environment has the command on its path, and another terminal may have none.
    command = Path(sys.executable).with_name("metacortex")
    return (str(command),) if command.exists() else (sys.executable, "-m", "metacortex")
