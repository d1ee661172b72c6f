"""What every process that the tests start is given: the program, these tests and its settings."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
START_SECONDS = 60
"""How long a process may take to start or to end on a busy machine."""


def variables(data_dir: Path, **env: str) -> dict[str, str]:
    """Return the environment of a process that keeps its memory in `data_dir`."""
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("MCP_", "METACORTEX_")) and name not in ("HOST", "PORT")
    }
    paths = os.pathsep.join([str(ROOT / "functions"), str(ROOT)])
    return {**inherited, "PYTHONPATH": paths, "METACORTEX_DATA_DIR": str(data_dir), **env}


def run_python(data_dir: Path, script: str, **env: str) -> str:
    """Run `script` and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        env=variables(data_dir, **env),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=START_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
