"""Whatever passes the limits of C62a is stored whole on every engine, and so is what has become of
it when secrets were taken out.
"""

from random import Random

import pytest

from metacortex.adapters.local.secrets import LibrarySecretScanner
from metacortex.adapters.local.tokens import O200kTokenCounter
from metacortex.bootstrap import Outside, build_services
from metacortex.config import Settings
from metacortex.domain.client import whole_tenant
from metacortex.domain.details import Kind
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import (
    MAX_ARTIFACT_REF_LENGTH,
    MAX_ARTIFACT_REFS,
    MAX_FILE_LENGTH,
    MAX_FILES_TOUCHED,
    MAX_TEXT_BYTES,
    MAX_TITLE_LENGTH,
    MAX_TOPIC_LENGTH,
    Image,
    Labels,
    Memory,
    NewMemory,
)
from metacortex.domain.search import Search
from metacortex.domain.vector import EmbeddingSpace
from metacortex.engines import Engine
from metacortex.service.services import Services
from tests.fakes import FakeDescriber, FakeEmbedder, FixedClock
from tests.samples import TENANT

pytestmark = pytest.mark.rule("C62a")

ADMIN = whole_tenant("cli", TENANT, BranchState.ACTIVE)
WIDEST = EmbeddingSpace("widest", 2_048)
CHANCE = Random(7)
ASCII = [*map(chr, range(128))]
REFS = tuple(f"{n:03d}".ljust(MAX_ARTIFACT_REF_LENGTH, "r") for n in range(MAX_ARTIFACT_REFS))
BESIDE_REFS = MAX_TEXT_BYTES - MAX_ARTIFACT_REFS * MAX_ARTIFACT_REF_LENGTH
FILES = tuple(f"{n:03d}".ljust(MAX_FILE_LENGTH, "f") for n in range(MAX_FILES_TOUCHED))
BESIDE_FILES = MAX_TEXT_BYTES - MAX_FILES_TOUCHED * MAX_FILE_LENGTH
BEGINNING = 400
PASSWORD = "://:{}@{} "
LONGEST = {
    "one letter": NewMemory("x" * MAX_TEXT_BYTES),
    "unlike anything": NewMemory("x" + "".join(CHANCE.choices(ASCII, k=MAX_TEXT_BYTES - 2)) + "x"),
    "four bytes each": NewMemory("🧠" * (MAX_TEXT_BYTES // 4), topic="🧠" * MAX_TOPIC_LENGTH),
    "references": NewMemory("y" * BESIDE_REFS, artifact_refs=REFS),
    "episode": NewMemory(
        "x" + "".join(CHANCE.choices(ASCII, k=BESIDE_FILES - 2)) + "x",
        labels=Labels(Kind.EPISODE, title="t" * MAX_TITLE_LENGTH, files_touched=FILES),
    ),
    "image": NewMemory("z" * MAX_TEXT_BYTES, image=Image(b"\x89PNG", "image/png")),
}
PASSWORDS = NewMemory(
    "".join(
        PASSWORD.format(*CHANCE.choices("abcdefgh0123456789", k=2))
        for _ in range(BESIDE_REFS // len(PASSWORD.format(1, 1)))
    ),
    artifact_refs=tuple(
        f"{n}" + PASSWORD.format("x", "y") * (MAX_ARTIFACT_REF_LENGTH // 10) for n in range(100)
    ),
)


@pytest.fixture
def services(engine: Engine) -> Services:
    """The services over a model with the most dimensions that Firestore takes."""
    embedder = FakeEmbedder(WIDEST, window=8 * MAX_TEXT_BYTES)
    describer, scanner = FakeDescriber("seen " * 2_000), LibrarySecretScanner()
    outside = Outside(engine, embedder, describer, scanner, FixedClock(), O200kTokenCounter())
    return build_services(Settings.from_env({}, (), serving=False), outside)


async def stored(services: Services, new: NewMemory) -> Memory:
    """Remember it; return what is there, after a search and a fetch agreed on it."""
    memory = (await services.memories.remember(ADMIN, new)).memory
    (match,) = (
        await services.searches.search(ADMIN, Search(memory.text[:BEGINNING]))
    ).found.matches
    assert match.memory == await services.memories.fetch(ADMIN, memory.id) == memory
    return memory


@pytest.mark.parametrize("name", LONGEST)
async def test_the_longest_of_each_kind_comes_back_whole(services: Services, name: str) -> None:
    new = LONGEST[name]
    memory = await stored(services, new)
    assert (memory.content, memory.topic) == (new.content, new.topic)
    assert memory.artifact_refs == new.artifact_refs


async def test_what_became_longer_without_its_secrets_comes_back_whole(
    services: Services,
) -> None:
    memory = await stored(services, PASSWORDS)
    assert len(memory.content) > 2 * MAX_TEXT_BYTES
    assert memory.content.count("[redacted url-password]") == PASSWORDS.content.count("@")
    assert all("[redacted url-password]" in ref for ref in memory.artifact_refs)
