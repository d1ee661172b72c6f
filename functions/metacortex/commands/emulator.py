"""The official Firestore emulator: found on this machine, and run for as long as it is needed."""

import asyncio
import re
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from metacortex.commands.child_process import child_process, listens, takes_connections
from metacortex.commands.listening import Address, free
from metacortex.domain.errors import ConfigurationError, StoreUnusable
from metacortex.engine_settings import emulator_of

HOST = "FIRESTORE_EMULATOR_HOST"
JAR = "FIRESTORE_EMULATOR_JAR"
CLASS = "com.google.cloud.datastore.emulator.firestore.CloudFirestore"

_IN_SDK = "platform/cloud-firestore-emulator/cloud-firestore-emulator.jar"
USUAL_SDKS = (
    "~/google-cloud-sdk",
    *("/usr/lib/google-cloud-sdk", "/usr/share/google-cloud-sdk", "/opt/google-cloud-sdk"),
    *("/usr/local/share/google-cloud-sdk", "/opt/homebrew/share/google-cloud-sdk"),
    "/snap/google-cloud-cli/current",
)
_USUAL_CACHE = "~/.cache/firebase/emulators"
_IN_CACHE = "cloud-firestore-emulator-v*.jar"
_NO_EMULATOR = (
    "The Firestore emulator is not installed; run: gcloud components install"
    " cloud-firestore-emulator (where apt installed gcloud: sudo apt install"
    " google-cloud-cli-firestore-emulator), or without gcloud: npx firebase-tools"
    f" setup:emulators:firestore; or set {JAR} to its file"
)
_NO_JAVA = (
    "The Firestore emulator needs Java, and there is no java on the PATH; install version 21 or"
    " newer (on Debian and Ubuntu: sudo apt install openjdk-21-jre-headless)"
)


@dataclass(frozen=True, slots=True)
class Emulator:
    """An emulator that answers at `host`; `process` is None where it is not ours."""

    host: str
    process: asyncio.subprocess.Process | None

    async def ended(self) -> None:
        """Wait until it ends; one that is not ours never does as far as we know."""
        await (self.process.wait() if self.process else asyncio.Event().wait())


@asynccontextmanager
async def running_emulator(env: Mapping[str, str]) -> AsyncIterator[Emulator]:
    """Yield the emulator that `env` says is running, else one that ends with the block.

    Raises:
        ConfigurationError: there is none that could be run, or the one that `env` names is silent.
        StoreUnusable: it does not start.
    """
    if host := env.get(HOST, "").strip():
        await _check(host, env)
        yield Emulator(host, None)
        return
    java, jar, address = _java(env), find_jar(env), free(Address("127.0.0.1", 0))
    where = ("--host", address.host, "--port", str(address.port))
    with tempfile.TemporaryFile() as output:
        async with child_process([java, "-cp", str(jar), CLASS, *where], env, output) as process:
            if not await takes_connections(process, address.host, address.port):
                output.seek(0)
                raise StoreUnusable(_told(output.read().decode(errors="replace"), jar))
            yield Emulator(f"{address.host}:{address.port}", process)


def find_jar(env: Mapping[str, str], usual_sdks: Sequence[str] = USUAL_SDKS) -> Path:
    """Return the program of the emulator: the file that `env` names, else one that the Google Cloud
    or the Firebase command line has installed.

    Raises:
        ConfigurationError: there is none.
    """
    if named := env.get(JAR, "").strip():
        if Path(named).is_file():
            return Path(named)
        raise ConfigurationError([f"{JAR} names '{named}', and there is no such file"])
    sdks = (*_sdks(env), *(_expanded(place, env) for place in usual_sdks))
    for jar in (*(sdk / _IN_SDK for sdk in sdks), *_cached(env)):
        if jar.is_file():
            return jar
    raise ConfigurationError([_NO_EMULATOR])


def _sdks(env: Mapping[str, str]) -> Iterator[Path]:
    if gcloud := shutil.which("gcloud", path=env.get("PATH")):
        yield Path(gcloud).resolve().parents[1]
    if root := env.get("CLOUDSDK_ROOT_DIR", "").strip():
        yield Path(root)


def _cached(env: Mapping[str, str]) -> list[Path]:
    """Return what the Firebase command line has downloaded, newest version first."""
    cache = _expanded(env.get("FIREBASE_EMULATORS_PATH", "").strip() or _USUAL_CACHE, env)
    return sorted(cache.glob(_IN_CACHE), key=_version, reverse=True)


def _version(jar: Path) -> list[int]:
    return [int(number) for number in re.findall("[0-9]+", jar.stem)]


def _expanded(place: str, env: Mapping[str, str]) -> Path:
    return Path(place.replace("~", env.get("HOME", "~"), 1)).expanduser()


def _java(env: Mapping[str, str]) -> str:
    java = shutil.which("java", path=env.get("PATH"))
    if java is None:
        raise ConfigurationError([_NO_JAVA])
    return java


async def _check(host: str, env: Mapping[str, str]) -> None:
    address = emulator_of(env)
    if address is None or not await listens(*address):
        raise ConfigurationError(
            [
                f"{HOST} says that an emulator runs at {host}, and none answers; start it there, or"
                f" unset {HOST} so that one is started"
            ]
        )


def _told(output: str, jar: Path) -> str:
    if "UnsupportedClassVersionError" in output:
        return f"The Firestore emulator '{jar}' needs a newer Java than the one on the PATH"
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    said = f"; it said: {lines[-1][:200]}" if lines else ""
    return f"The Firestore emulator '{jar}' did not start{said}"
