"""Two notes, and a data directory whose notes another model has embedded."""

from pathlib import Path

from metacortex.domain.memory import NewMemory
from metacortex.engines import DATABASE_NAME
from tests.fakes import FakeEmbedder
from tests.world import build_world

SESSIONS = "Sessions of the web shop end after thirty days."
CAKE = "The cake for the party is ordered from the bakery in Main Street."


async def embed_by_another_model(data_dir: Path, *texts: str) -> None:
    """Store texts that another model has embedded than the one that comes with the program."""
    data_dir.mkdir()
    world = build_world(path=data_dir / DATABASE_NAME, embedder=FakeEmbedder())
    for text in texts:
        await world.services.memories.remember(world.principal(), NewMemory(text))
    await world.aclose()
