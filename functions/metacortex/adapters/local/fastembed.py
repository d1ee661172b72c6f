"""Any model of the package fastembed, which downloads it at its first use and keeps it."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from metacortex.adapters.local.fastembed_package import part_of_fastembed, translated
from metacortex.adapters.local.one_thread import Encode, OneThread, Row
from metacortex.domain.vector import EmbeddingSpace, Vector

CAP = 4_000
SETTING = "METACORTEX_EMBEDDING_MODEL"


class FastEmbed:
    """Embeds with one model of the package. Nothing is imported or loaded before the first text.

    `folder` holds the model's files where they need no download.
    """

    window = 500

    def __init__(self, model: str, dimension: int, folder: Path | None = None) -> None:
        self._space = EmbeddingSpace(model, dimension)
        self._folder = folder
        self._thread = OneThread(self._loaded, CAP)

    @property
    def space(self) -> EmbeddingSpace:
        """The model and the dimension as they were set."""
        return self._space

    async def embed_passages(self, topic: str, passages: Sequence[str]) -> Sequence[Vector]:
        """Return one vector for each passage, without the topic.

        Raises:
            Unavailable: the package is not installed, or the model cannot be loaded or fails.
        """
        return await self._thread.passages(passages)

    async def embed_query(self, query: str) -> Vector:
        """Return the vector of a query.

        Raises:
            Unavailable: as `embed_passages`.
        """
        return await self._thread.query(query)

    async def aclose(self) -> None:
        """Do nothing: the model lives and dies with this process."""

    def _loaded(self) -> Encode:
        library = part_of_fastembed()
        folder = str(self._folder) if self._folder else None
        with translated("The embedding model could not be loaded", SETTING):
            model = library.TextEmbedding(self._space.model, specific_model_path=folder)

        def encode(texts: list[str], queries: bool) -> Iterator[Row]:
            with translated("The embedding model failed", SETTING):
                for row in model.query_embed(texts) if queries else model.passage_embed(texts):
                    yield row.astype("f")

        return encode
