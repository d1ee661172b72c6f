"""What is wrong with settings and profiles, collected so that all of it is told together."""

from collections.abc import Iterable, Sequence

from metacortex.domain.errors import ConfigurationError


class Problems:
    """The problems found so far, each one sentence."""

    def __init__(self) -> None:
        self._sentences: list[str] = []

    def add(self, sentence: str) -> None:
        """Note one problem."""
        self._sentences.append(sentence)

    def raise_any(self) -> None:
        """Raise all problems together, if there are any."""
        if self._sentences:
            raise ConfigurationError(self._sentences)


def known(
    given: Iterable[str], all_known: Sequence[str], where: str, what: str, problems: Problems
) -> tuple[str, ...]:
    """Return `given` without repeats; each member that is not known becomes a problem and is left
    out.
    """
    unique = tuple(dict.fromkeys(given))
    for name in unique:
        if name not in all_known:
            problems.add(
                f"{where} names the unknown {what} '{name[:80]}'; known are {', '.join(all_known)}"
            )
    return tuple(name for name in unique if name in all_known)
