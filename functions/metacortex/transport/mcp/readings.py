"""Resources and prompts of one profile: what lists them, what reads and renders them, and what the
event of each will tell.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from metacortex.domain.client import Principal
from metacortex.domain.errors import InvalidInput, NotFound
from metacortex.domain.json import JSON
from metacortex.domain.text import printable
from metacortex.service.activity import Call
from metacortex.transport.mcp.arguments import NAME_SHOWN, read_arguments
from metacortex.transport.mcp.calls import Exchange
from metacortex.transport.mcp.prompt import Prompt
from metacortex.transport.mcp.resource import MEDIA_TYPE, Resource
from metacortex.transport.wire import compact

LIST_TTL_MS = 60_000
"""How long a client may keep a list: a changed profile is seen within a minute."""

_COMPLETE: dict[str, JSON] = {"resultType": "complete"}
_KEPT_A_WHILE: dict[str, JSON] = {**_COMPLETE, "ttlMs": LIST_TTL_MS, "cacheScope": "private"}
_STALE_AT_ONCE: dict[str, JSON] = {**_COMPLETE, "ttlMs": 0, "cacheScope": "private"}

Answering: TypeAlias = Callable[[Exchange, Call, Mapping[str, object]], Awaitable[dict[str, JSON]]]
"""Answers one method with the parameters that it was given."""


@dataclass(frozen=True, slots=True)
class Readings:
    """What a profile may read and be guided by."""

    resources: tuple[Resource, ...]
    prompts: tuple[Prompt, ...]

    def lists(self) -> dict[str, dict[str, JSON]]:
        """Return what each method answers that lists something: none where there is nothing."""
        lists: dict[str, dict[str, JSON]] = {}
        if self.resources:
            families = [each.listed() for each in self.resources if each.is_family]
            single = [each.listed() for each in self.resources if not each.is_family]
            lists["resources/list"] = {"resources": single, **_KEPT_A_WHILE}
            lists["resources/templates/list"] = {"resourceTemplates": families, **_KEPT_A_WHILE}
        if self.prompts:
            listed = [each.listed() for each in self.prompts]
            lists["prompts/list"] = {"prompts": listed, **_KEPT_A_WHILE}
        return lists

    def answers(self) -> dict[str, Answering]:
        """Return how the other methods are answered, where there is anything of their kind."""
        answers: dict[str, Answering] = {}
        if self.resources:
            answers["resources/read"] = self._read
        if self.prompts:
            answers["prompts/get"] = self._render
        return answers

    async def _read(
        self, exchange: Exchange, call: Call, params: Mapping[str, object]
    ) -> dict[str, JSON]:
        """Read a resource, as JSON.

        Raises:
            NotFound: there is none at this address for this principal, or nothing that it knows of.
            MetaCortexError: as the tool of the same reading does.
        """
        services, uri = exchange.services, str(params["uri"])
        resource, variable = self._resource_at(uri)
        call.request = {
            "resource": resource.uri,
            "document_id": services.activity.label(variable) if variable else None,
        }
        answer = await resource.read(services, exchange.principal, variable)
        call.response, call.shown = answer.told, answer.shown
        contents: JSON = [{"uri": uri, "mimeType": MEDIA_TYPE, "text": compact(answer.result)}]
        return {"contents": contents, **_STALE_AT_ONCE}

    def _resource_at(self, uri: str) -> tuple[Resource, str]:
        for resource in self.resources:
            variable = resource.variable_in(uri)
            if variable is not None:
                return resource, variable
        raise NotFound("Resource not found")

    async def _render(
        self, exchange: Exchange, call: Call, params: Mapping[str, object]
    ) -> dict[str, JSON]:
        """Render a prompt.

        Raises:
            InvalidInput: there is none of this name for this principal, or its arguments are wrong.
        """
        name, given = str(params["name"]), params.get("arguments")
        prompt = next((each for each in self.prompts if each.name == name), None)
        if prompt is None:
            raise InvalidInput(f"Unknown prompt '{printable(name, NAME_SHOWN)}'")
        call.request = {"prompt": prompt.name}
        values = read_arguments(given if isinstance(given, Mapping) else {}, prompt.arguments)
        content: JSON = {"type": "text", "text": prompt.text(exchange.principal, values)}
        messages: JSON = [{"role": "user", "content": content}]
        return {"description": prompt.description, "messages": messages, **_COMPLETE}


def check_given(params: Mapping[str, object]) -> None:
    """Check that what a prompt is given is texts: the SDK refuses all else without a word on which.

    Raises:
        InvalidInput: something is no text.
    """
    given = params.get("arguments")
    if given is None:
        return
    if not isinstance(given, Mapping):
        raise InvalidInput("arguments must be an object whose values are strings")
    for name, value in given.items():
        if not isinstance(value, str):
            raise InvalidInput(f"{printable(str(name), NAME_SHOWN)} must be a string")


def readings_of(
    principal: Principal, resources: Iterable[Resource], prompts: Iterable[Prompt]
) -> Readings:
    """Return those that are there for a principal."""
    return Readings(
        tuple(each for each in resources if each.is_for(principal)),
        tuple(each for each in prompts if each.is_for(principal)),
    )
