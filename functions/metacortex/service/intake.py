"""What is given to be remembered becomes a Memory: secrets out, images described,
tokens counted.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, islice
from secrets import token_hex
from uuid import uuid4

from metacortex.domain.bundles.bundle_text import text_as_sent
from metacortex.domain.client import Principal, SecretsPolicy
from metacortex.domain.details import Kind
from metacortex.domain.errors import InvalidInput, Unavailable
from metacortex.domain.identity import immutable_digest
from metacortex.domain.memory import (
    DEFAULT_IMPORTANCE,
    Author,
    Labels,
    Memory,
    NewMemory,
    TokenCount,
    listed_refs,
)
from metacortex.domain.redaction import MARK, Redacted, redact
from metacortex.model_ports import ImageDescriber, SecretScanner, TokenCounter
from metacortex.ports import Clock, MemoryStore
from metacortex.service.recalls import recalled_from


class Intake:
    """Takes in what a principal gives."""

    def __init__(
        self,
        store: MemoryStore,
        describer: ImageDescriber,
        scanner: SecretScanner,
        counter: TokenCounter,
        clock: Clock,
    ) -> None:
        self._store = store
        self._describer = describer
        self._scanner = scanner
        self._counter = counter
        self._clock = clock

    async def without_secrets(self, principal: Principal, new: NewMemory) -> NewMemory:
        """Return what was given with its secrets treated as the principal's profile says.

        Raises:
            InvalidInput: it holds a live secret and the profile refuses them, or one of its names
                does.
        """
        labels = new.labels
        names = [("entities", each) for each in labels.entities]
        lists = (labels.tags, new.artifact_refs, labels.files_touched)
        given = (
            *(new.content, new.topic, labels.title or "", labels.session_id or ""),
            *chain.from_iterable(lists),
        )
        texts, kinds = await self.cleared(principal, given, names)
        if not kinds:
            return new
        content, topic, title, session_id, *others = texts
        members = iter(others)
        tags, refs, files = (tuple(dict.fromkeys(islice(members, len(each)))) for each in lists)
        return replace(
            new,
            content=content,
            topic=topic,
            artifact_refs=listed_refs(refs),
            labels=replace(
                labels,
                tags=tags,
                session_id=session_id or None,
                title=title or None,
                files_touched=files,
            ),
            redacted=kinds,
        )

    async def cleared(
        self,
        principal: Principal,
        texts: tuple[str, ...],
        names: Sequence[tuple[str, str]] = (),
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return texts with their secrets treated as the principal's profile says, and the kinds of
        those that were taken out. Names beside them, each with the argument that gives it, may hold
        none: taken out of two names, it would make one of them.

        Raises:
            InvalidInput: a text holds a live secret and the profile refuses them; or a name does,
                or a mark stands there in the place of one.
        """
        given = (*(name for _, name in names), *texts)
        if principal.secrets is SecretsPolicy.KEEP:
            redacted = [*map(Redacted, given)]
        else:
            # Off the loop: a pasted log of 700 kB takes the scanner longer than other callers
            # should wait.
            redacted = await asyncio.to_thread(self._redacted, given)
        kinds = tuple(dict.fromkeys(kind for text in redacted for kind in text.kinds))
        if kinds and principal.secrets is SecretsPolicy.REFUSE:
            raise InvalidInput(
                f"The text holds what looks like a live secret ({', '.join(kinds)}); leave it out"
            )
        cleared = tuple(text.text for text in redacted)
        for (argument, _), name in zip(names, cleared, strict=False):
            if MARK.search(name):
                raise InvalidInput(
                    f"{argument} holds what looks like a live secret, or what stands in the place"
                    " of one; give a name without it"
                )
        return cleared[len(names) :], kinds

    async def check_name(self, principal: Principal, argument: str, name: str) -> None:
        """Check that a name, which an argument gives, holds no secret.

        Raises:
            InvalidInput: as `cleared` does.
        """
        await self.cleared(principal, (), [(argument, name)])

    async def memory_of(self, principal: Principal, new: NewMemory) -> Memory:
        """Return the memory that the principal's words make, or its image.

        Raises:
            Unavailable: the image could not be described.
        """
        retrieval_text = None
        content = new.content
        if new.image is not None:
            seen = (await self._describer.describe(new.image, new.topic, new.content)).strip()
            if not seen:
                raise Unavailable("The image model described nothing; nothing was saved")
            description = redact(seen, self._scanner.scan(seen)).text
            retrieval_text = f"{content}\n\n{description}" if content else None
            content = content or description
        now, labels, namespace = self._clock.now(), new.labels, namespace_of(principal, new)
        memory = Memory(
            id=uuid4().hex,
            namespace=namespace,
            kind=labels.kind or Kind.NOTE,
            content=content,
            topic=new.topic,
            branch_state=new.branch_state,
            modality=new.modality,
            created_at=now,
            updated_at=now,
            recorded_at=now,
            written_by=Author(principal.client_id),
            details=labels.details,
            retrieval_text=_with_name_and_files(labels, retrieval_text, content),
            artifact_refs=new.artifact_refs,
            tags=labels.tags,
            session_id=labels.session_id,
            importance=DEFAULT_IMPORTANCE if labels.importance is None else labels.importance,
            valid_from=labels.valid_from,
            valid_until=labels.valid_until,
            origin=new.origin,
            sources=new.sources,
            recalled_from=await recalled_from(self._store, principal, content),
            salt=new_salt(),
        )
        return replace(memory, sha256=immutable_digest(memory))

    async def counted(self, memory: Memory) -> Memory:
        """Return a memory with the count of what it adds to an answer."""
        # Off the loop: the first text loads the tables of the counter.
        (tokens,) = await asyncio.to_thread(self._counter.count, [text_as_sent(memory.content)])
        return replace(memory, token_count=TokenCount(tokens, self._counter.name))

    def _redacted(self, texts: tuple[str, ...]) -> list[Redacted]:
        return [redact(text, self._scanner.scan(text)) for text in texts]


def new_salt() -> str:
    """Return the salt of a new memory: 128 bits, which nobody guesses."""
    return token_hex(16)


def _with_name_and_files(labels: Labels, text: str | None, content: str) -> str | None:
    """Return what is embedded and indexed of an episode: its name before the text, the files that
    it touched behind it. Of what has neither it stays as it is.
    """
    if not labels.title and not labels.files_touched:
        return text
    parts = (labels.title, text or content, "\n".join(labels.files_touched))
    return "\n\n".join(part for part in parts if part)


def namespace_of(principal: Principal, new: NewMemory) -> str:
    """Return where it is to be written."""
    return new.labels.namespace or principal.own_namespace
