"""What a caller states: a fact that is valid, but not yet embedded or placed in its timeline."""

from dataclasses import dataclass

from metacortex.domain.client import check_namespace
from metacortex.domain.errors import InvalidInput, TooLarge
from metacortex.domain.knowledge.entity import MAX_NAME_LENGTH, folded_name
from metacortex.domain.memory import DEFAULT_IMPORTANCE
from metacortex.domain.moment import Moment
from metacortex.domain.text import check_label, check_seen, check_unicode

MAX_PREDICATE_LENGTH = 128
MAX_CATEGORY_LENGTH = 64
MAX_VALUE_BYTES = 100_000
"""A fact holds its value three times: in what it states, in its sentence and in what is searched.
Together they stay within what every engine can store whole in one record.
"""

NO_SOURCE = "Source episode not found"
"""What is said where the memory that a fact was learned from is not there."""


@dataclass(frozen=True, slots=True)
class NewFact:
    """A statement about an entity, whose object is a value or another entity. Entities are called
    by name or by id.

    Raises:
        InvalidInput: not one of the two objects is given, a text is over its limit or of more than
            one line, or an end that is not after its start.
        TooLarge: the value passes `MAX_VALUE_BYTES`.
    """

    subject: str
    predicate: str
    value: str | None = None
    entity: str | None = None
    """The object where it is an entity."""
    singular: bool = True
    category: str | None = None
    importance: float = DEFAULT_IMPORTANCE
    confidence: float | None = None
    valid_from: Moment | None = None
    valid_until: Moment | None = None
    source_episode_id: str | None = None
    namespace: str | None = None
    redacted: tuple[str, ...] = ()
    """The kinds of secrets that were taken out of what was given. What stands in their place may be
    longer, so the limits are held before.
    """

    def __post_init__(self) -> None:
        if (self.value is None) == (self.entity is None):
            raise InvalidInput(
                "Provide object_id, for an entity, or object_value, for any other value; one of"
                " the two"
            )
        if not self.redacted:
            self._check_limits()
        if self.valid_from and self.valid_until and self.valid_until.at <= self.valid_from.at:
            raise InvalidInput("valid_until must be after valid_from")

    def _check_limits(self) -> None:
        check_line("subject_id", self.subject, MAX_NAME_LENGTH)
        check_line("predicate", self.predicate, MAX_PREDICATE_LENGTH)
        if self.entity is not None:
            check_line("object_id", self.entity, MAX_NAME_LENGTH)
        check_unicode("object_value", self.value or "")
        if len((self.value or "").encode()) > MAX_VALUE_BYTES:
            raise TooLarge("object_value is too long; ingest long texts as documents")
        check_label("category", self.category, MAX_CATEGORY_LENGTH)
        check_namespace(self.namespace)


def check_line(argument: str, text: str, most: int) -> None:
    """Hold a name to be something on one line.

    Raises:
        InvalidInput: it is blank, too long, no Unicode, or holds what nobody sees.
    """
    check_label(argument, text, most)
    if not folded_name(text):
        raise InvalidInput(f"{argument} must not be empty")
    check_seen(argument, text)
