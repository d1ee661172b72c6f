"""Environments of their own for clients whose requirements ours excludes or does not want."""

import subprocess
import sys
from pathlib import Path
from shutil import rmtree

from tests.lacking import lacking
from tests.processes import ROOT

CACHE = ROOT / ".cache" / "clients"


def python_with(requirements: Path) -> Path:
    """Return the Python of an environment that holds what a file requires, made where it is
    missing.

    Skips the test where it cannot be installed; with CI=true that is a failure.
    """
    folder = CACHE / f"{requirements.stem}-{sys.version_info.major}.{sys.version_info.minor}"
    python = folder / "bin" / "python"
    # Written last, so that a broken installation is not taken for a whole one.
    installed = folder / "installed.txt"
    if not installed.exists() or installed.read_bytes() != requirements.read_bytes():
        rmtree(folder, ignore_errors=True)
        _run(sys.executable, "-m", "venv", str(folder))
        _run(str(python), "-m", "pip", "install", "--quiet", "-r", str(requirements))
        installed.write_bytes(requirements.read_bytes())
    return python


def _run(*command: str) -> None:
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
    if done.returncode == 0:
        return
    lacking(f"needs packages that could not be installed: {done.stderr.strip()[-300:]}")
