"""audit_contradictions and review_contradictions."""

from collections.abc import Sequence

from metacortex.domain.client import Principal
from metacortex.domain.errors import InvalidInput
from metacortex.domain.json import JSON
from metacortex.domain.knowledge.contradictions import ContradictionKind, Severity
from metacortex.domain.knowledge.findings import FindingStatus
from metacortex.service.activity import Activity
from metacortex.service.contradictions import Audit
from metacortex.service.findings import Reviewed
from metacortex.service.services import Services
from metacortex.transport.finding_wire import MOST_SHOWN, audited_json, counts_of, reviewed_json
from metacortex.transport.mcp.arguments import Argument, Values
from metacortex.transport.mcp.tool import Answer, Hints, Tool
from metacortex.transport.mcp.tools.knowledge_schemas import FACT
from metacortex.transport.mcp.tools.periods import period_of
from metacortex.transport.mcp.tools.schemas import (
    Schema,
    a_count,
    a_list,
    a_string,
    an_object,
    one_of,
)

ACTIONS = ("list", "close", "reopen")


async def audit_contradictions(services: Services, principal: Principal, values: Values) -> Answer:
    """Compare facts and tell which cannot both hold."""
    asked = Audit(
        as_of=period_of(values, "as_of", services.clock.now(), principal.zone),
        auto_resolve=values.flag("auto_resolve") or False,
        dry_run=values.flag("dry_run") or False,
        namespace=values.text("namespace"),
        entity=values.text("entity"),
    )
    audited = await services.contradictions.audit(principal, asked)
    noted: dict[str, JSON] = {
        "checked": audited.checked,
        "contradiction_count": len(audited.found),
        "counts": counts_of(audited.found),
        "resolved_count": 0 if asked.dry_run else len(audited.resolved),
        "resolution_id": audited.resolution_id,
    }
    return Answer(audited_json(audited, dry=asked.dry_run), noted)


async def review_contradictions(services: Services, principal: Principal, values: Values) -> Answer:
    """List findings, close them, or open them again."""
    action, ids = values.text("action") or "list", values.texts("finding_ids")
    if action == "list":
        if ids:
            raise InvalidInput("finding_ids need an action: close or reopen")
        reviewed = await _listed(services, principal, values)
    elif action == "close":
        reviewed = await services.findings.close(principal, ids, values.text("reason"))
    else:
        reviewed = await services.findings.reopen(principal, ids)
    result: dict[str, JSON] = {"findings": [reviewed_json(each) for each in reviewed]}
    return Answer(result, {"action": action, "finding_count": len(reviewed)})


async def _listed(services: Services, principal: Principal, values: Values) -> Sequence[Reviewed]:
    return await services.findings.review(
        principal,
        FindingStatus(values.text("status") or FindingStatus.OPEN),
        values.text("namespace"),
        values.whole("limit") or MOST_SHOWN,
    )


def _observe_audit(activity: Activity, _: Principal, values: Values) -> dict[str, JSON]:
    namespace = values.text("namespace")
    return {
        "dated": bool(values.text("as_of")),
        "auto_resolve": values.flag("auto_resolve"),
        "dry_run": values.flag("dry_run"),
        "namespace": None if namespace is None else activity.label(namespace),
        "narrowed": bool(values.text("entity")),
    }


def _observe_review(activity: Activity, _: Principal, values: Values) -> dict[str, JSON]:
    namespace = values.text("namespace")
    return {
        "action": values.text("action"),
        "finding_ids": [activity.label(each) for each in values.texts("finding_ids")[:MOST_SHOWN]],
        "status": values.text("status"),
        "namespace": None if namespace is None else activity.label(namespace),
        "limit": values.whole("limit"),
    }


_FINDING: Schema = {
    "id": a_string(),
    "kind": one_of(ContradictionKind),
    "severity": one_of(Severity),
    "status": one_of(FindingStatus),
    "facts": a_list(FACT, "Both, the one that would stay first; those that may be seen"),
}
_WHICH: Schema = {
    "supersede": a_string("The fact that would give way"),
    "by": a_string("The fact that would stay"),
}

AUDIT_CONTRADICTIONS = Tool(
    name="audit_contradictions",
    title="Look for contradictions",
    description=(
        "Compare the facts that hold at one moment and tell which cannot both be true: denials, "
        "opposites, other numbers or dates, two names of one predicate, several values where one "
        "is expected. What is found now is kept for review. With auto_resolve the older or less "
        "certain fact is superseded, all in one step that can be taken back."
    ),
    instruction=(
        "Call audit_contradictions to find facts that cannot both be true; resolve them only when "
        "the user asks for it."
    ),
    arguments=(
        Argument("as_of", "string", "The moment to look at, such as 2026-03; now if absent."),
        Argument(
            "auto_resolve",
            "boolean",
            "True supersedes the older or less certain fact of each, now and all or none.",
        ),
        Argument("dry_run", "boolean", "True changes and keeps nothing, and tells what would be."),
        Argument("namespace", "string", "Only this one of the namespaces that may be read."),
        Argument("entity", "string", "Only facts about this subject: its name, or its id."),
    ),
    result_schema=an_object(
        {
            "as_of": a_string("The moment that was looked at, in UTC"),
            "checked": a_count("How many facts were compared"),
            "contradiction_count": a_count("But those that were closed"),
            "counts": {"type": "object", "additionalProperties": a_count()},
            "findings": a_list(
                an_object(
                    {
                        **_FINDING,
                        **_WHICH,
                        "sentence": a_string(),
                        "because": a_string("Why this one would give way: older, less certain"),
                    }
                ),
                "The worst first",
            ),
            "dismissed": a_count("Contradictions that were closed with a reason"),
            "auto_resolved": a_list(
                an_object(
                    {
                        "finding_id": a_string(),
                        "superseded": a_string(),
                        "superseded_by": a_string(),
                    }
                )
            ),
            "summary_markdown": a_string(),
        },
        {
            "resolution_id": a_string("Give it to review_contradictions to take the step back"),
            "dry_run": {"type": "boolean"},
            "left_out": a_count("How many findings are not shown"),
            "incomplete": {"type": "boolean", "description": "Only the newest were compared"},
        },
    ),
    hints=Hints(read_only=False, destructive=True, idempotent=False),
    observe=_observe_audit,
    call=audit_contradictions,
)

REVIEW_CONTRADICTIONS = Tool(
    name="review_contradictions",
    title="Review contradictions",
    description=(
        "List the contradictions that audits have found, close those about which nothing is to be "
        "done, or open them again; what resolved one is taken back by that."
    ),
    instruction=(
        "Call review_contradictions to list open contradictions, and to close one with a reason or "
        "take a resolution back."
    ),
    arguments=(
        Argument("action", "string", "What to do; list if absent.", choices=ACTIONS),
        Argument(
            "finding_ids",
            "array",
            "Findings to close or reopen; to reopen, a resolution_id stands for its whole step.",
        ),
        Argument("reason", "string", "To close: why nothing is to be done."),
        Argument(
            "status",
            "string",
            "To list: which; open if absent.",
            choices=tuple(status.value for status in FindingStatus),
        ),
        Argument("namespace", "string", "To list: only this one of those that may be read."),
        Argument(
            "limit",
            "integer",
            f"To list: at most so many; {MOST_SHOWN} if absent.",
            minimum=1,
            maximum=MOST_SHOWN,
        ),
    ),
    result_schema=an_object(
        {
            "findings": a_list(
                an_object(
                    {
                        **_FINDING,
                        "found_at": a_string(),
                        "changed_at": a_string(),
                        "changed_by": a_string("The client"),
                    },
                    {
                        **_WHICH,
                        "reason": a_string("Why it was closed"),
                        "resolution_id": a_string("The step that resolved it"),
                    },
                ),
                "Listed, or changed by this call",
            )
        }
    ),
    hints=Hints(read_only=False, destructive=False, idempotent=False),
    observe=_observe_review,
    call=review_contradictions,
)
