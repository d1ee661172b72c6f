"""What `doctor` looks at: each check tells whether all is well and, where it is not, the remedy."""

import shutil
import stat
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from metacortex.bootstrap import TOOL_NAMES, Program, SystemClock, build
from metacortex.commands.typed import typed
from metacortex.config import ADMIN_TOKEN, Settings
from metacortex.credentials import credentials_file, with_stored
from metacortex.domain.errors import ConfigurationError, MetaCortexError
from metacortex.domain.event import EventFilter
from metacortex.domain.json import JSON
from metacortex.domain.moment import Milliseconds, iso
from metacortex.engine_settings import EngineSettings, FirestoreSettings, SqliteSettings
from metacortex.engines import DATABASE_NAME
from metacortex.index_file import NAME as INDEX_FILE
from metacortex.index_file import REMEDY, committed, disagreements
from metacortex.verdict import Verdict

LEAST_FREE_MB = 100
COMFORTABLE_MB = 1_000
LONG_AGO: Milliseconds = 1_704_067_200_000
"""The start of 2024: a clock before it has not been set."""
OTHERS = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at; the finding ends with the remedy where one is needed."""

    name: str
    verdict: Verdict
    finding: str

    def as_json(self) -> dict[str, JSON]:
        """Return it as it is printed."""
        return {"check": self.name, "verdict": self.verdict.value, "finding": self.finding}


async def examine(env: Mapping[str, str], tenant: str) -> AsyncIterator[Check]:
    """Look at everything that can be looked at, and yield each finding as it is made."""
    try:
        data_dir = Settings.from_env(env, TOOL_NAMES, serving=False).data_dir
        complete = with_stored(env, data_dir)
        settings = Settings.from_env(complete, TOOL_NAMES, serving=False)
    except ConfigurationError as error:
        for problem in error.problems:
            yield Check("configuration", Verdict.FAIL, problem)
        return
    yield _configuration(settings, has_token=bool(complete.get(ADMIN_TOKEN, "").strip()))
    for check in _files(data_dir):
        yield check
    for check in _disk_or_indexes(settings):
        yield check
    program = build(settings)
    try:
        async for check in _program(program, settings, env, tenant):
            yield check
    finally:
        await program.aclose()


def _configuration(settings: Settings, *, has_token: bool) -> Check:
    if not has_token:
        finding = f"There is no admin token yet; metacortex serve makes one, or set {ADMIN_TOKEN}"
        return Check("configuration", Verdict.WARN, finding)
    count = len(settings.profiles)
    return Check("configuration", Verdict.OK, f"All settings can be read; {count} client profiles")


def _files(data_dir: Path) -> Iterator[Check]:
    if not data_dir.exists():
        finding = f"'{data_dir}' is not there yet; the first use makes it"
        yield Check("data directory", Verdict.OK, finding)
        return
    for name, path, mode in (
        ("data directory", data_dir, "700"),
        ("credentials", credentials_file(data_dir), "600"),
    ):
        if not path.exists():
            continue
        if path.stat().st_mode & OTHERS:
            finding = f"'{path}' is open to other users; run: chmod {mode} '{path}'"
            yield Check(name, Verdict.WARN, finding)
        else:
            yield Check(name, Verdict.OK, f"'{path}' is open to its owner alone")


def _disk_or_indexes(settings: Settings) -> Iterator[Check]:
    match settings.engine:
        case SqliteSettings():
            yield _disk(settings.data_dir)
        case FirestoreSettings(emulator=None):
            yield from _indexes(settings)


def _indexes(settings: Settings) -> Iterator[Check]:
    """Judge the file of Firestore's indexes; an emulator needs none."""
    try:
        content = committed()
        found = [] if content is None else disagreements(settings, content)
    except ConfigurationError as error:
        yield Check("indexes", Verdict.FAIL, error.sentence)
        return
    if content is None:
        yield Check("indexes", Verdict.WARN, f"{INDEX_FILE} is not here to be compared")
    elif not found:
        yield Check("indexes", Verdict.OK, f"{INDEX_FILE} has all that the settings need")
    for fault in found:
        finding = f"{INDEX_FILE} does not fit: {fault}; {REMEDY}"
        yield Check("indexes", Verdict.FAIL, finding)


def _disk(data_dir: Path) -> Check:
    existing = next(path for path in (data_dir, *data_dir.absolute().parents) if path.exists())
    return disk(shutil.disk_usage(existing).free // 1_000_000, existing)


def disk(free_mb: int, folder: Path) -> Check:
    """Judge what is free on the disk of a folder."""
    finding = f"{free_mb} MB are free at '{folder}'"
    if free_mb < LEAST_FREE_MB:
        return Check("disk", Verdict.FAIL, f"{finding}; free some space")
    if free_mb < COMFORTABLE_MB:
        return Check("disk", Verdict.WARN, f"{finding}; free some space soon")
    return Check("disk", Verdict.OK, finding)


def clock(now: Milliseconds, newest: Milliseconds | None) -> Check:
    """Judge the clock of the machine by what it said when the newest event was recorded."""
    if now < LONG_AGO:
        return Check("clock", Verdict.FAIL, f"The clock says {iso(now)}; set it")
    if newest is not None and newest > now:
        finding = (
            f"The clock says {iso(now)}, but an event was recorded at {iso(newest)}; set the clock"
        )
        return Check("clock", Verdict.FAIL, finding)
    return Check("clock", Verdict.OK, f"The clock says {iso(now)}")


async def _program(
    program: Program, settings: Settings, env: Mapping[str, str], tenant: str
) -> AsyncIterator[Check]:
    if _is_still_to_be_made(settings):
        yield Check("store", Verdict.OK, "There is no memory database yet; the first use makes it")
        yield clock(SystemClock().now(), None)
        async for check in _models(program):
            yield check
        return
    try:
        # Opening checks the whole of a file, and writes to it; over a network it reads once.
        await program.open()
        count = await program.services.maintenance.count(tenant)
        finding = f"{_well(settings.engine)}; {count} memories of '{tenant}'"
        yield Check("store", Verdict.OK, finding)
        yield await _clients(program)
        yield clock(SystemClock().now(), await _newest(program, tenant))
        async for check in _models(program):
            yield check
        yield await _spaces(program, env)
        yield await _words(program, env)
    except MetaCortexError as error:
        yield Check("store", Verdict.FAIL, f"{error.sentence}{_remedy(settings.engine)}")


def _remedy(engine: EngineSettings) -> str:
    # On an emulator the sentence alone, made for the cloud, would not say where it was looked for.
    if isinstance(engine, FirestoreSettings) and engine.emulator is not None:
        return f"; look at the emulator that FIRESTORE_EMULATOR_HOST names, {engine.emulator}"
    return ""


def _is_still_to_be_made(settings: Settings) -> bool:
    path = settings.data_dir / DATABASE_NAME
    return isinstance(settings.engine, SqliteSettings) and not path.exists()


def _well(engine: EngineSettings) -> str:
    match engine:
        case SqliteSettings():
            return "Whole and writable"
        case FirestoreSettings(_, database, _, None):
            return f"Firestore's database {database} answers"
        case FirestoreSettings(emulator=emulator):
            return f"The Firestore emulator at {emulator} answers"


async def _clients(program: Program) -> Check:
    ids = await program.services.clients.in_both()
    if not ids:
        registered = len(await program.services.clients.registered())
        return Check("clients", Verdict.OK, f"{registered} registered, none of them set twice")
    finding = (
        f"Set by the environment and registered: {', '.join(ids)}; rename them in"
        " MCP_CLIENT_PROFILES_JSON, or run metacortex clients remove for each"
    )
    return Check("clients", Verdict.FAIL, finding)


async def _newest(program: Program, tenant: str) -> Milliseconds | None:
    newest = await program.services.activity.list(tenant, EventFilter(), 1)
    return newest[0].timestamp if newest else None


async def _models(program: Program) -> AsyncIterator[Check]:
    yield await _embedder(program)
    reranker = program.outside.reranker
    if reranker is None:
        return
    try:
        await reranker.rerank("Is the model there?", ["It is."])
        yield Check("reranker", Verdict.OK, "It answers")
    except MetaCortexError as error:
        yield Check("reranker", Verdict.FAIL, error.sentence)


async def _embedder(program: Program) -> Check:
    embedder = program.outside.embedder
    try:
        vector = await embedder.embed_query("Is the model there?")
    except MetaCortexError as error:
        return Check("embedding model", Verdict.FAIL, error.sentence)
    space = embedder.space
    if len(vector) != space.dimension:
        finding = f"{space} answers vectors of {len(vector)} numbers; set its dimension to that"
        return Check("embedding model", Verdict.FAIL, finding)
    return Check("embedding model", Verdict.OK, f"{space} answers")


async def _spaces(program: Program, env: Mapping[str, str]) -> Check:
    coverage = await program.services.maintenance.coverage()
    if not coverage.uncovered:
        return Check("embeddings", Verdict.OK, coverage.finding)
    finding = f"{coverage.finding}; run: {typed(env, 'reembed')}"
    return Check("embeddings", Verdict.WARN, finding)


async def _words(program: Program, env: Mapping[str, str]) -> Check:
    unindexed = await program.services.maintenance.unindexed()
    if not unindexed:
        return Check("words", Verdict.OK, "Words find all memories")
    finding = (
        f"{unindexed} memories were written by an earlier version, and no words find them;"
        f" run: {typed(env, 'reindex')}"
    )
    return Check("words", Verdict.WARN, finding)
