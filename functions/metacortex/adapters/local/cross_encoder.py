"""Any cross-encoder of the package fastembed, which downloads it at its first use and keeps it."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from metacortex.adapters.local.fastembed_package import part_of_fastembed, translated
from metacortex.adapters.local.readable import readable

CAP = 4_000
TOGETHER = 4
"""Texts that the model reads in one go, each padded to the longest of them. Measured with a network
of MiniLM's shape: all 30 at once cost up to twice the time and 1 GB more memory.
"""
SETTING = "METACORTEX_RERANKER_MODEL"

Score = Callable[[str, list[str]], list[float]]


class CrossEncoder:
    """Reads each text together with the query, on a thread of its own.

    Nothing is imported or loaded before the first query; what could not be loaded is loaded anew by
    the next. `folder` holds the model's files where they need no download.
    """

    def __init__(self, model: str, folder: Path | None = None) -> None:
        self._model = model
        self._folder = folder
        self._score: Score | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="reranking")

    async def rerank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Return what the model says of each text, in order. Who gives up while it waits for others
        costs nothing more.

        Raises:
            Unavailable: the package is not installed, or the model cannot be loaded or fails.
        """
        work = partial(self._scores, readable(query, CAP), [readable(text, CAP) for text in texts])
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    async def aclose(self) -> None:
        """Do nothing: the model lives and dies with this process."""

    def _scores(self, query: str, texts: list[str]) -> list[float]:
        if self._score is None:
            self._score = self._loaded()
        with translated("The reranker failed", SETTING):
            return self._score(query, texts)

    def _loaded(self) -> Score:
        library = part_of_fastembed("fastembed.rerank.cross_encoder")
        folder = str(self._folder) if self._folder else None
        with translated("The reranker could not be loaded", SETTING):
            model = library.TextCrossEncoder(self._model, specific_model_path=folder)
        return lambda query, texts: [*model.rerank(query, texts, batch_size=TOGETHER)]
