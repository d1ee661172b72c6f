"""What each part of a search contributes to recall, on the questions of LoCoMo's conversations.

The data is not part of this repository: `BENCH_CONVERSATIONS` names its file, and
`METACORTEX_EMBEDDER` another model than the default.
"""

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.program import running
from metacortex.bootstrap import Program
from metacortex.domain.client import Principal, whole_tenant
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import Labels, NewMemory
from metacortex.domain.search import Filters, Mode, Search

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
SHOWN = 20


@dataclass(frozen=True)
class Conversation:
    """What is said in a conversation, by session and the turn's name, and what is asked of it."""

    name: str
    turns: dict[str, tuple[int, str]]
    questions: list[dict[str, Any]]


@dataclass(frozen=True)
class Answered:
    """The share of the turns that answer a question among the first 5, 10 and 20 matches."""

    category: str
    recall: tuple[float, ...]


async def contributions() -> list[dict[str, Any]]:
    """Return the recall of each mode, with sessions and without, over all questions and for each
    category.
    """
    path = os.environ.get("BENCH_CONVERSATIONS")
    if not path:
        return [{"left out": "BENCH_CONVERSATIONS names no file of LoCoMo"}]
    conversations = [*_read(Path(path))]
    return [
        row
        for with_sessions in (False, True)
        for row in await _measured(conversations, with_sessions=with_sessions)
    ]


async def _measured(
    conversations: list[Conversation], *, with_sessions: bool
) -> list[dict[str, Any]]:
    model = os.environ.get("METACORTEX_EMBEDDER")
    async with running({"METACORTEX_EMBEDDER": model} if model else None) as program:
        principal = whole_tenant("cli", "default", BranchState.ACTIVE)
        ids = {
            each.name: await _stored(program, principal, each, with_sessions=with_sessions)
            for each in conversations
        }
        return [
            {
                "sessions": "sent" if with_sessions else "not sent",
                "mode": mode.value,
                **_shares(
                    [
                        answered
                        for each in conversations
                        for answered in await _asked(program, principal, each, ids[each.name], mode)
                    ]
                ),
            }
            for mode in Mode
        ]


async def _stored(
    program: Program, principal: Principal, conversation: Conversation, *, with_sessions: bool
) -> dict[str, str]:
    """Store the turns in their order, and return the ids of their memories by their names."""
    ids = {}
    for name, (session, text) in conversation.turns.items():
        session_id = f"{conversation.name}-{session}" if with_sessions else None
        new = NewMemory(text, conversation.name, labels=Labels(session_id=session_id))
        ids[name] = (await program.services.memories.remember(principal, new)).memory.id
    return ids


async def _asked(
    program: Program,
    principal: Principal,
    conversation: Conversation,
    ids: dict[str, str],
    mode: Mode,
) -> list[Answered]:
    answers = []
    for question in conversation.questions:
        right = {name for name in question["names"] if name in ids}
        if right:
            where = Filters(topic=conversation.name)
            search = Search(question["text"], where, limit=SHOWN, mode=mode)
            searched = await program.services.searches.search(principal, search)
            found = [match.memory.id for match in searched.found.matches]
            recall = (
                sum(ids[name] in found[:k] for name in right) / len(right) for k in (5, 10, 20)
            )
            answers.append(Answered(question["category"], tuple(recall)))
    return answers


def _shares(answers: list[Answered]) -> dict[str, Any]:
    shares: dict[str, Any] = {
        f"@{k}": round(sum(each.recall[place] for each in answers) / len(answers), 3)
        for place, k in enumerate((5, 10, 20))
    }
    for category in CATEGORIES.values():
        of_it = [each.recall[1] for each in answers if each.category == category]
        shares[f"{category} @10"] = round(sum(of_it) / len(of_it), 3)
    return shares


def _read(path: Path) -> Iterator[Conversation]:
    for record in json.loads(path.read_text(encoding="utf-8")):
        sessions = record["conversation"]
        numbers = sorted(
            int(name.removeprefix("session_"))
            for name in sessions
            if re.fullmatch(r"session_\d+", name)
        )
        turns = {
            turn["dia_id"]: (number, _text(turn))
            for number in numbers
            for turn in sessions[f"session_{number}"]
        }
        questions = [
            {
                "text": asked["question"],
                "category": CATEGORIES[asked["category"]],
                "names": [
                    f"D{int(session)}:{int(turn)}"
                    for evidence in asked.get("evidence", [])
                    for session, turn in re.findall(r"D(\d+):(\d+)", evidence)
                ],
            }
            for asked in record["qa"]
        ]
        yield Conversation(record["sample_id"], turns, questions)


def _text(turn: dict[str, Any]) -> str:
    """Return what was said, with what a picture shows."""
    shown = turn.get("blip_caption")
    return f"{turn['speaker']}: {turn['text']}" + (f" {shown}" if shown else "")
