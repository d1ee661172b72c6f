"""time_travel."""

from metacortex.domain.client import Principal
from metacortex.domain.json import JSON
from metacortex.domain.knowledge.asked import DEFAULT_SHOWN, MOST_SHOWN, TimeTravel
from metacortex.domain.knowledge.snapshot import Passage
from metacortex.domain.moment import iso
from metacortex.service.activity import Activity
from metacortex.service.services import Services
from metacortex.service.snapshots import Snapshot
from metacortex.transport.knowledge_wire import episode_json, fact_json
from metacortex.transport.mcp.arguments import Argument, Values
from metacortex.transport.mcp.tool import Answer, Hints, Tool
from metacortex.transport.mcp.tools.graph_arguments import NAMESPACE, observe_entity
from metacortex.transport.mcp.tools.knowledge_schemas import EPISODE, FACT
from metacortex.transport.mcp.tools.periods import period_of
from metacortex.transport.mcp.tools.schemas import INSTANT, a_count, a_list, a_string, an_object


async def time_travel(services: Services, principal: Principal, values: Values) -> Answer:
    """Return what held at a moment, and what changed until another."""
    now, limit = services.clock.now(), values.whole("limit") or DEFAULT_SHOWN
    as_of, known_at, compare_to = (
        period_of(values, name, now, principal.zone) for name in ("as_of", "known_at", "compare_to")
    )
    asked = TimeTravel(as_of, known_at, compare_to, values.text("entity"), values.text("namespace"))
    moment = await services.snapshots.at(principal, asked)
    held = moment.held
    facts, episodes = held.facts[:limit], held.episodes[:limit]
    result: dict[str, JSON] = {
        "as_of": iso(moment.at),
        "active_facts": [*map(fact_json, facts)],
        "fact_count": len(held.facts),
        "episodes": [*map(episode_json, episodes)],
        "episode_count": len(held.episodes),
        "snapshot_hash": held.hash,
    }
    if moment.known_at is not None:
        result["known_at"] = iso(moment.known_at)
    if moment.later is not None and moment.passage is not None:
        result["diff"] = _diff_json(moment.later, moment.passage, limit)
    if moment.incomplete:
        result["incomplete"] = True
    told: dict[str, JSON] = {
        "fact_count": len(held.facts),
        "episode_count": len(held.episodes),
        "incomplete": moment.incomplete,
    }
    ids = (*(fact.id for fact in facts), *(episode.id for episode in episodes))
    return Answer(result, told, ids)


def _diff_json(later: Snapshot, became: Passage, limit: int) -> dict[str, JSON]:
    return {
        "compare_to": iso(later.at),
        "snapshot_hash": later.held.hash,
        "began": [*map(fact_json, became.began[:limit])],
        "ended": [*map(fact_json, became.ended[:limit])],
        "changed": [
            {"before": fact_json(each.before), "after": fact_json(each.after)}
            for each in became.changed[:limit]
        ],
        "episodes_began": [*map(episode_json, became.episodes_began[:limit])],
        "episodes_ended": [*map(episode_json, became.episodes_ended[:limit])],
        "counts": {
            "began": len(became.began),
            "ended": len(became.ended),
            "changed": len(became.changed),
            "episodes_began": len(became.episodes_began),
            "episodes_ended": len(became.episodes_ended),
        },
    }


def _observe(_: Activity, __: Principal, values: Values) -> dict[str, JSON]:
    return {
        **observe_entity(values),
        "known_at_given": True if values.text("known_at") else None,
        "compare_to_given": True if values.text("compare_to") else None,
        "limit": values.whole("limit"),
    }


_PARTS = ("began", "ended", "changed", "episodes_began", "episodes_ended")

TIME_TRAVEL = Tool(
    name="time_travel",
    title="Look at another moment",
    description=(
        "Tell which facts held and which episodes had begun at a moment, on request as they were "
        "known at another, with a hash by which the answer can be compared; or what began, ended "
        "and changed between two moments."
    ),
    instruction="Call time_travel for what was true, or was thought to be true, at another moment.",
    arguments=(
        Argument("as_of", "string", "The moment, such as 2026-02-15 or last month.", required=True),
        Argument("known_at", "string", "Tell only what had been recorded by this moment."),
        Argument("compare_to", "string", "A later moment: tell what changed until then."),
        Argument("entity", "string", "Only what is told of this entity: its name, or its id."),
        NAMESPACE,
        Argument(
            "limit",
            "integer",
            f"How many facts, and how many episodes, to list at most; {DEFAULT_SHOWN} if absent."
            " The hash is of all.",
            minimum=1,
            maximum=MOST_SHOWN,
        ),
    ),
    result_schema=an_object(
        {
            "as_of": INSTANT,
            "active_facts": a_list(FACT, "By subject and predicate"),
            "fact_count": a_count("How many held"),
            "episodes": a_list(EPISODE, "Those that had begun and were not over, newest first"),
            "episode_count": a_count("How many these are"),
            "snapshot_hash": a_string("SHA-256 of all that held and how long"),
        },
        {
            "known_at": INSTANT,
            "diff": an_object(
                {
                    "compare_to": INSTANT,
                    "snapshot_hash": a_string("That of the later moment"),
                    "began": a_list(FACT),
                    "ended": a_list(FACT),
                    "changed": a_list(an_object({"before": FACT, "after": FACT})),
                    "episodes_began": a_list(EPISODE),
                    "episodes_ended": a_list(EPISODE),
                    "counts": an_object(dict.fromkeys(_PARTS, a_count())),
                }
            ),
            "incomplete": {
                "type": "boolean",
                "description": "There is more than a moment is told from",
            },
        },
    ),
    hints=Hints(read_only=True, destructive=False, idempotent=True),
    observe=_observe,
    call=time_travel,
)
