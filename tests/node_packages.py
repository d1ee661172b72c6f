"""Node.js for tests: whether it is there, and the packages that a folder's lock file names."""

import re
import shutil
import subprocess
from pathlib import Path

from tests.lacking import lacking

MAJOR = 22


def node_packages(folder: Path) -> Path:
    """Install what `folder`'s package-lock.json names, if it is not there yet, and return `folder`.

    Skips the test where Node is missing or too old; with CI=true that is a failure.
    """
    if lacks := _lacks():
        lacking(lacks)
    lock = (folder / "package-lock.json").read_bytes()
    # Written last, so that a broken installation is not taken for a whole one.
    installed = folder / "node_modules" / ".installed-lock"
    if not installed.exists() or installed.read_bytes() != lock:
        command = ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=300)
        installed.write_bytes(lock)
    return folder


def _lacks() -> str | None:
    if shutil.which("node") is None or shutil.which("npm") is None:
        return f"needs Node.js {MAJOR} or newer, with npm"
    told = subprocess.run(["node", "--version"], check=True, capture_output=True, text=True).stdout
    found = re.match(r"v(\d+)", told)
    if found is None or int(found.group(1)) < MAJOR:
        return f"needs Node.js {MAJOR} or newer, and finds {told.strip()}"
    return None
