"""Running a piece of Python in a process of its own, with the program and these tests at hand."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def run_python(script: str, **variables: str) -> str:
    """Run `script` and return what it prints, with `variables` set in its environment."""
    paths = os.pathsep.join([str(ROOT / "functions"), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        env={**os.environ, "PYTHONPATH": paths, **variables},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
