"""Contradictions and findings as the JSON that clients read; absent keys are left out."""

from collections import Counter
from collections.abc import Sequence

from metacortex.domain.json import JSON
from metacortex.domain.knowledge.contradictions import Contradiction, ContradictionKind
from metacortex.domain.knowledge.findings import FindingStatus
from metacortex.domain.moment import iso
from metacortex.service.contradictions import Audited
from metacortex.service.findings import Reviewed
from metacortex.transport.audit_summary import summary_of
from metacortex.transport.knowledge_wire import fact_json

MOST_SHOWN = 50


def audited_json(audited: Audited, *, dry: bool) -> dict[str, JSON]:
    """Return what an audit found and did."""
    found, resolved = audited.found, audited.resolved
    done = set() if dry else {each.id for each in resolved}
    told: dict[str, JSON] = {
        "as_of": iso(audited.at),
        "checked": audited.checked,
        "contradiction_count": len(found),
        "counts": counts_of(found),
        "findings": [_contradiction_json(each, done) for each in found[:MOST_SHOWN]],
        "dismissed": audited.dismissed,
        "auto_resolved": [
            {
                "finding_id": each.id,
                "superseded": each.given_up.id,
                "superseded_by": each.kept.id,
            }
            for each in resolved
        ],
        "summary_markdown": summary_of(found, done, audited.checked),
    }
    further: dict[str, JSON] = {
        "resolution_id": audited.resolution_id,
        "dry_run": dry or None,
        "left_out": len(found[MOST_SHOWN:]) or None,
        "incomplete": audited.incomplete or None,
    }
    return told | {name: value for name, value in further.items() if value is not None}


def counts_of(found: Sequence[Contradiction]) -> dict[str, JSON]:
    """Return how many contradictions there are of each kind that there are any of."""
    counted = Counter(each.kind for each in found)
    return {kind.value: counted[kind] for kind in ContradictionKind if counted[kind]}


def reviewed_json(reviewed: Reviewed) -> dict[str, JSON]:
    """Return a finding with those of its facts that may be seen; the others are not named."""
    finding, kept, given_up = reviewed.finding, reviewed.kept, reviewed.given_up
    facts = [fact for fact in (kept, given_up) if fact is not None]
    told: dict[str, JSON] = {
        "id": finding.id,
        "kind": finding.kind.value,
        "severity": finding.severity.value,
        "status": finding.status.value,
        "supersede": given_up.id if given_up else None,
        "by": kept.id if kept else None,
        "facts": [fact_json(fact) for fact in facts],
        "found_at": iso(finding.found_at),
        "changed_at": iso(finding.changed_at),
        "changed_by": finding.changed_by,
        "reason": finding.reason,
        "resolution_id": finding.resolution_id,
    }
    return {name: value for name, value in told.items() if value is not None}


def _contradiction_json(each: Contradiction, done: set[str]) -> dict[str, JSON]:
    status = FindingStatus.RESOLVED if each.id in done else FindingStatus.OPEN
    return {
        "id": each.id,
        "kind": each.kind.value,
        "severity": each.severity.value,
        "status": status.value,
        "sentence": each.sentence,
        "supersede": each.given_up.id,
        "by": each.kept.id,
        "because": each.reason,
        "facts": [fact_json(fact) for fact in (each.kept, each.given_up)],
    }
