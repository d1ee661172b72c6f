"""Several memories become one: which of them are ready, and what the merged one takes over."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from metacortex.domain.details import EpisodeDetails, Kind
from metacortex.domain.errors import InvalidInput
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import (
    MAX_ARTIFACT_REFS,
    MAX_FILES_TOUCHED,
    MAX_TAGS,
    Labels,
    Memory,
    NewMemory,
    Origin,
)
from metacortex.domain.text import check_unicode

FEWEST_SOURCES, MOST_SOURCES = 2, 50
MOST_CHARACTERS = 40_000
"""Of the texts that are merged at once: what a model reads, and a client takes, in one piece."""


@dataclass(frozen=True, slots=True)
class Consolidation:
    """What a caller asks to merge: the memories of these ids, or else the drafts of a topic.

    `content` is the merged text, where the caller has written it. `topic` and `title` are those of
    the merged memory; a title makes it an episode.

    Raises:
        InvalidInput: there is nothing to merge in it, or a text whose sources it does not name.
    """

    ids: tuple[str, ...] = ()
    topic: str | None = None
    content: str | None = None
    title: str | None = None
    branch_state: BranchState = BranchState.ACTIVE
    preview: bool = False

    def __post_init__(self) -> None:
        if not self.ids and self.topic is None:
            raise InvalidInput("Provide ids, or the topic whose drafts are to be merged")
        if self.ids and not FEWEST_SOURCES <= len(self.ids) <= MOST_SOURCES:
            raise InvalidInput(f"ids must name {FEWEST_SOURCES} to {MOST_SOURCES} memories")
        if self.content is not None and not self.ids:
            # What has come to the topic since the caller read it would be closed unread.
            raise InvalidInput("content needs ids: those of the memories that it was made from")
        check_unicode("topic", self.topic or "")


def oldest_first(memories: Iterable[Memory]) -> list[Memory]:
    """Return memories in the order in which they were made."""
    return sorted(memories, key=lambda memory: (memory.created_at, memory.id))


def fitting(memories: Sequence[Memory]) -> int:
    """Return how many of these, from the first on, may be merged at once."""
    characters = 0
    for count, memory in enumerate(memories):
        characters += len(memory.text)
        if count == MOST_SOURCES or characters > MOST_CHARACTERS:
            return count
    return len(memories)


def check_together(memories: Sequence[Memory]) -> None:
    """Check that one memory can stand for all of these.

    Raises:
        InvalidInput: they are of several namespaces, and who may read one may not read the other;
            or there is a fact among them, which only another statement ends.
    """
    if any(memory.kind is Kind.FACT for memory in memories):
        raise InvalidInput("A fact cannot be merged; leave facts out of ids")
    if len({memory.namespace for memory in memories}) > 1:
        raise InvalidInput("The memories are in several namespaces; merge those of one at a time")


def topic_of(asked: Consolidation, sources: Sequence[Memory]) -> str:
    """Return the topic of the merged memory: the one that is asked for, else that of its sources.

    Raises:
        InvalidInput: they have several.
    """
    topics = {memory.topic for memory in sources}
    if asked.topic is None and len(topics) > 1:
        raise InvalidInput("The memories have several topics; name that of the merged one in topic")
    return asked.topic or topics.pop()


def merged(
    asked: Consolidation, sources: Sequence[Memory], content: str, origin: Origin
) -> NewMemory:
    """Return the memory that is to stand for its sources.

    It takes over what finds them: tags, links and files of all, the greatest importance, the
    session, the kind and the category that all have in common. When it is true, its own text tells.

    Raises:
        InvalidInput, TooLarge: as `NewMemory` does.
    """
    ids = tuple(memory.id for memory in sources)
    sessions = {memory.session_id for memory in sources}
    episodes = [each.details for each in sources if isinstance(each.details, EpisodeDetails)]
    labels = Labels(
        tags=_of_all((memory.tags for memory in sources), MAX_TAGS),
        importance=max(memory.importance for memory in sources),
        session_id=sessions.pop() if len(sessions) == 1 else None,
        namespace=sources[0].namespace,
    )
    if len(episodes) == len(sources) or asked.title:
        categories = {each.category for each in episodes}
        labels = replace(
            labels,
            kind=Kind.EPISODE,
            title=asked.title,
            category=categories.pop() if len(categories) == 1 else None,
            files_touched=_of_all((each.files_touched for each in episodes), MAX_FILES_TOUCHED),
        )
    return NewMemory(
        content,
        topic_of(asked, sources),
        asked.branch_state,
        _of_all((memory.artifact_refs for memory in sources), MAX_ARTIFACT_REFS),
        labels=labels,
        supersedes=ids,
        sources=ids,
        origin=origin,
    )


def _of_all(listed: Iterable[tuple[str, ...]], most: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each for members in listed for each in members))[:most]
