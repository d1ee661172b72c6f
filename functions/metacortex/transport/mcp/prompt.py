"""A prompt as data: what it asks for, and the steps that it guides a model through."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from metacortex.domain.bundles.bundle_text import quoted_on_one_line
from metacortex.domain.client import Principal
from metacortex.domain.json import JSON
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.text import check_label
from metacortex.transport.mcp.arguments import Argument, Values

MAX_ARGUMENT_LENGTH = 1_000


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to do with one tool, for profiles that have it. Arguments of the prompt stand in
    braces.
    """

    tool: str
    text: str
    may: Callable[[Principal], bool] = lambda _: True
    """Who, of those that have the tool, may use it so: the others would be refused."""

    def is_for(self, principal: Principal) -> bool:
        """Whether this principal can take it."""
        return self.tool in principal.tools and self.may(principal)


def sees_past(principal: Principal) -> bool:
    """Whether a principal may ask for other moments."""
    return principal.sees_past


def writes(principal: Principal) -> bool:
    """Whether what a principal saves may be active."""
    return BranchState.ACTIVE in principal.write_states


def replaces(principal: Principal) -> bool:
    """Whether what it saves may take the place of another."""
    return writes(principal) and principal.may_replace


def only_adds(principal: Principal) -> bool:
    """Whether it may save, but replace nothing by that."""
    return writes(principal) and not principal.may_replace


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt of the MCP surface."""

    name: str
    title: str
    description: str
    arguments: tuple[Argument, ...]
    needs: frozenset[str]
    """Without a step by one of these tools there is nothing that it could guide through."""
    opening: str
    steps: tuple[Step, ...]
    closing: str

    def is_for(self, principal: Principal) -> bool:
        """Whether it is there for this principal."""
        return any(step.tool in self.needs and step.is_for(principal) for step in self.steps)

    def listed(self) -> dict[str, JSON]:
        """Return what a list says of it."""
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "arguments": [
                {"name": each.name, "description": each.description, "required": each.required}
                for each in self.arguments
            ],
        }

    def text(self, principal: Principal, values: Values) -> str:
        """Return what the model is told, with the tools that the principal has.

        Raises:
            InvalidInput: an argument is missing, unknown or too long.
        """
        if values.fault is not None:
            raise values.fault
        given = dict(self._quoted(values))
        steps = [step.text for step in self.steps if step.is_for(principal)]
        numbered = [f"{number}. {text}" for number, text in enumerate(steps, 1)]
        lines = (self.opening, "", *numbered, "", self.closing)
        return "\n".join(line.format(**given) for line in lines)

    def _quoted(self, values: Values) -> Iterator[tuple[str, str]]:
        for argument in self.arguments:
            text = values.text(argument.name)
            check_label(argument.name, text, MAX_ARGUMENT_LENGTH)
            yield argument.name, quoted_on_one_line(text) if text else "(not given)"
