"""Having Gemini write: what it is given stands fenced as data, and its text comes with its end."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metacortex.adapters.gemini.connection import GeminiConnection
from metacortex.adapters.gemini.failures import Purpose

if TYPE_CHECKING:
    from google.genai.types import (
        Candidate,
        ContentDict,
        GenerateContentConfigDict,
        GenerateContentResponse,
    )

_WHOLE = "STOP"
_CUT_OFF = "MAX_TOKENS"


@dataclass(frozen=True, slots=True)
class Written:
    """What Gemini wrote, trimmed and without its thoughts.

    `declined`: its rules forbade an answer or the rest of it. `cut_off`: it came to the limit of
    tokens.
    """

    text: str
    declined: bool = False
    cut_off: bool = False


def as_data(said: Mapping[str, str | Sequence[str]]) -> str:
    """Return texts as one line of JSON, whose strings no text can break out of."""
    return json.dumps(said, ensure_ascii=False).encode(errors="replace").decode()


async def write(
    connection: GeminiConnection,
    purpose: Purpose,
    model: str,
    content: "ContentDict",
    how: "GenerateContentConfigDict",
) -> Written:
    """Return the answer of `model` to one request, in which it calls and continues nothing.

    Raises:
        Unavailable: there is none.
    """
    config: GenerateContentConfigDict = {
        **how,
        "automatic_function_calling": {"disable": True},
        "automatic_continuation": False,
    }
    answer = await connection.ask(
        purpose,
        connection.until(),
        lambda models: models.generate_content(model=model, contents=content, config=config),
    )
    return _written(answer)


def _written(answer: "GenerateContentResponse") -> Written:
    if not answer.candidates:
        feedback = answer.prompt_feedback
        return Written("", declined=feedback is not None and feedback.block_reason is not None)
    candidate = answer.candidates[0]
    end = candidate.finish_reason.value if candidate.finish_reason is not None else _WHOLE
    return Written(
        _text(candidate).strip(),
        declined=end not in (_WHOLE, _CUT_OFF),
        cut_off=end == _CUT_OFF,
    )


def _text(candidate: "Candidate") -> str:
    parts = candidate.content.parts if candidate.content is not None else None
    return "".join(part.text for part in parts or [] if part.text and not part.thought)
