"""Everything remembered is a `Memory`.

A kind adds details; it never adds a second lifecycle or search.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from metacortex.domain.client import check_namespace
from metacortex.domain.details import A_NOTE, Details, EpisodeCategory, EpisodeDetails, Kind
from metacortex.domain.errors import InvalidInput, TooLarge
from metacortex.domain.lifecycle import BranchState, Change, ChangeKind, Standing
from metacortex.domain.moment import Milliseconds, Moment
from metacortex.domain.text import check_label, check_list, check_seen, check_unicode

DEFAULT_TOPIC = "general"
DEFAULT_IMPORTANCE = 0.5

MAX_TEXT_BYTES = 700_000
"""`content`, `artifact_refs` and `files_touched` together, in UTF-8: what every engine can store
whole in one record.
"""
MAX_TOPIC_LENGTH = 200
MAX_ARTIFACT_REFS = 100
MAX_ARTIFACT_REF_LENGTH = 2_048
MAX_TAGS = 32
MAX_TAG_LENGTH = 64
MAX_SESSION_ID_LENGTH = 128
MAX_TITLE_LENGTH = 200
MAX_FILES_TOUCHED = 100
MAX_FILE_LENGTH = 512
MAX_ENTITIES = 32
MAX_ENTITY_LENGTH = 200


class Modality(StrEnum):
    """What a memory was made from."""

    TEXT = "text"
    IMAGE = "image"
    MIXED = "mixed"


class Origin(StrEnum):
    """Who vouches for a memory: a person or client said it, a model concluded it, or an import
    brought it.
    """

    ASSERTED = "asserted"
    INFERRED = "inferred"
    IMPORTED = "imported"


@dataclass(frozen=True, slots=True)
class Author:
    """Which client wrote a memory and, where known, which person through it."""

    client: str
    person: str | None = None


@dataclass(frozen=True, slots=True)
class TokenCount:
    """How many tokens a text adds to an answer, and the name of what counted them."""

    tokens: int
    counter: str


@dataclass(frozen=True, slots=True)
class Image:
    """The bytes of an image and their media type. They are described and dropped, never stored."""

    data: bytes
    mime_type: str


@dataclass(frozen=True, slots=True)
class Labels:
    """What a caller may say of a memory beside its text: each part absent unless it was given."""

    kind: Kind | None = None
    tags: tuple[str, ...] = ()
    importance: float | None = None
    session_id: str | None = None
    title: str | None = None
    valid_from: Moment | None = None
    valid_until: Moment | None = None
    namespace: str | None = None
    category: EpisodeCategory | None = None
    files_touched: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    """The names of what it speaks of."""

    @property
    def details(self) -> Details:
        """What the kind adds."""
        if self.kind is not Kind.EPISODE:
            return A_NOTE
        return EpisodeDetails(self.title, self.category, self.files_touched)


@dataclass(frozen=True, slots=True)
class NewMemory:
    """What a caller asks to remember: valid, but not yet described, embedded or stored.

    Raises:
        InvalidInput: neither text nor image, a label or reference over its limit, or an end that is
            not after its start.
        TooLarge: text, references and files together pass `MAX_TEXT_BYTES`.
    """

    content: str = ""
    topic: str = DEFAULT_TOPIC
    branch_state: BranchState = BranchState.ACTIVE
    artifact_refs: tuple[str, ...] = ()
    image: Image | None = None
    labels: Labels = Labels()
    supersedes: tuple[str, ...] = ()
    """Ids of the memories that it replaces."""
    sources: tuple[str, ...] = ()
    """Ids of the memories that it was drawn from."""
    origin: Origin = Origin.ASSERTED
    redacted: tuple[str, ...] = ()
    """The kinds of secrets that were taken out of what was given. What stands in their place may be
    longer, so the limits are held before.
    """

    def __post_init__(self) -> None:
        if not self.redacted:
            files = self.labels.files_touched
            check_limits(self.content, self.topic, self.artifact_refs, files)
        if not self.content and self.image is None:
            raise InvalidInput("Either content or image_base64 must be provided")
        check_labels(self.labels)

    @property
    def modality(self) -> Modality:
        """What this memory is made from."""
        if self.image is None:
            return Modality.TEXT
        return Modality.MIXED if self.content else Modality.IMAGE


def listed_refs(given: Iterable[str]) -> tuple[str, ...]:
    """Return references trimmed, without blanks and repeats; each keeps its first place."""
    return tuple(dict.fromkeys(ref for each in given if (ref := each.strip())))


def check_limits(
    content: str,
    topic: str,
    artifact_refs: tuple[str, ...],
    files_touched: tuple[str, ...] = (),
) -> None:
    """Hold what a caller gave to the limits within which every engine stores it whole (contract
    C62a).

    Raises:
        InvalidInput, TooLarge: as `NewMemory` does.
    """
    check_unicode("content", content)
    check_unicode("topic", topic)
    check_list("files_touched", files_touched, MAX_FILES_TOUCHED, MAX_FILE_LENGTH, "files")
    for ref in artifact_refs:
        check_unicode("artifact_refs", ref)
    if len(topic) > MAX_TOPIC_LENGTH:
        raise InvalidInput(f"topic must be at most {MAX_TOPIC_LENGTH} characters")
    if len(artifact_refs) > MAX_ARTIFACT_REFS:
        raise InvalidInput(f"artifact_refs must hold at most {MAX_ARTIFACT_REFS} references")
    if any(len(ref) > MAX_ARTIFACT_REF_LENGTH for ref in artifact_refs):
        raise InvalidInput(
            f"artifact_refs must be at most {MAX_ARTIFACT_REF_LENGTH} characters each"
        )
    texts = (content, *artifact_refs, *files_touched)
    if sum(len(text.encode()) for text in texts) > MAX_TEXT_BYTES:
        raise TooLarge("content is too long; ingest long texts as documents")


def check_labels(labels: Labels) -> None:
    """Hold labels to their limits.

    Raises:
        InvalidInput: as `NewMemory` does.
    """
    check_label("session_id", labels.session_id, MAX_SESSION_ID_LENGTH)
    check_label("title", labels.title, MAX_TITLE_LENGTH)
    check_tags(labels.tags)
    check_list("entities", labels.entities, MAX_ENTITIES, MAX_ENTITY_LENGTH, "names")
    for name in labels.entities:
        check_seen("entities", name)
    check_namespace(labels.namespace)
    if labels.kind is not Kind.EPISODE:
        _check_no_episode(labels)
    if labels.valid_from and labels.valid_until and labels.valid_until.at <= labels.valid_from.at:
        raise InvalidInput("valid_until must be after valid_from")


def _check_no_episode(labels: Labels) -> None:
    """Check that nothing is said that only an episode can have."""
    given = {
        "title": labels.title is not None,
        "category": labels.category is not None,
        "files_touched": bool(labels.files_touched),
    }
    for name, is_given in given.items():
        if is_given:
            raise InvalidInput(
                f"{name} is for episodes; give kind episode with it, or leave it out"
            )


def check_tags(tags: tuple[str, ...]) -> None:
    """Hold tags to their limits.

    Raises:
        InvalidInput: one is too long or no Unicode, or there are too many.
    """
    check_list("tags", tags, MAX_TAGS, MAX_TAG_LENGTH, "tags")


@dataclass(frozen=True, slots=True)
class Memory:
    """One stored, retrievable record.

    The tenant is no field: it is the key under which a store holds the record, so no value can
    carry one tenant's memory into another's.
    """

    id: str
    namespace: str
    kind: Kind
    content: str
    """What the caller gave, or the description of an image that came without text."""
    topic: str
    branch_state: BranchState
    modality: Modality
    created_at: Milliseconds
    updated_at: Milliseconds
    recorded_at: Milliseconds
    """When this store learned it; an import keeps `created_at` and renews this."""
    written_by: Author
    details: Details = A_NOTE
    retrieval_text: str | None = None
    """What is embedded and indexed, where it differs from `content`."""
    artifact_refs: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    session_id: str | None = None
    importance: float = DEFAULT_IMPORTANCE
    entities: tuple[str, ...] = ()
    superseded_by: str | None = None
    valid_from: Moment | None = None
    """Start of the half-open interval in which it is true in the world; None: unknown."""
    valid_until: Moment | None = None
    origin: Origin = Origin.ASSERTED
    sources: tuple[str, ...] = ()
    """Ids of the document or memories that it was drawn from."""
    recalled_from: tuple[str, ...] = ()
    """Ids of the memories whose own words came back in it."""
    token_count: TokenCount | None = None
    """That of its content, counted when it was written; None: written before that was done."""
    salt: str = ""
    """Chance that goes into its digest and is deleted with it, so that the digest, which stays in
    the record of truth, confirms no guess at what was forgotten.
    """
    sha256: str = ""
    """Digest of the fields that never change: see `metacortex.domain.identity`."""

    @property
    def standing(self) -> Standing:
        """The part of it that Changes decide."""
        return Standing(self.branch_state, self.superseded_by, self.valid_until)

    @property
    def ends_when_superseded(self) -> bool:
        """Whether its interval ends with its state: what a fact states is true or not."""
        return self.kind is Kind.FACT

    def creation(self, client: str) -> Change:
        """Return the Change by which a client makes it as it is."""
        at, standing = self.recorded_at, self.standing
        return Change(ChangeKind.STATE, self.id, None, standing, at, client, self.sha256)

    def after(self, change: Change) -> "Memory":
        """Return it as a Change leaves it."""
        return replace(
            self,
            branch_state=change.after.branch_state,
            superseded_by=change.after.superseded_by,
            valid_until=change.after.valid_until,
            updated_at=change.recorded_at,
        )

    @property
    def text(self) -> str:
        """What is embedded and indexed."""
        return self.content if self.retrieval_text is None else self.retrieval_text
