"""verify_integrity."""

from metacortex.domain.client import Principal
from metacortex.domain.event import NAME_LENGTH
from metacortex.domain.json import JSON
from metacortex.domain.tampering import CHECK_NAMES, Altered
from metacortex.domain.text import printable
from metacortex.domain.verification import (
    MOST_LEAVES,
    MOST_NAMED,
    Consistency,
    Inclusion,
    Tree,
    Verification,
    Verified,
)
from metacortex.service.activity import Activity
from metacortex.service.services import Services
from metacortex.transport.mcp.arguments import Argument, Values
from metacortex.transport.mcp.tool import Answer, Hints, Tool
from metacortex.transport.mcp.tools.schemas import a_count, a_list, a_string, an_object, one_of


async def verify_integrity(services: Services, principal: Principal, values: Values) -> Answer:
    """Check all that the tenant holds against its digests, and return the root of it."""
    asked = Verification(
        root=values.text("root"),
        size=values.whole("size"),
        memory_id=values.text("memory_id"),
        first_root=values.text("first_root"),
        first_size=values.whole("first_size"),
    )
    verified = await services.integrity.verify(principal, asked)
    noted: dict[str, JSON] = {
        "verified": verified.holds,
        **tree_json(verified.tree),
        "altered_count": len(verified.altered),
    }
    return Answer(_verified_json(verified), noted)


def _verified_json(verified: Verified) -> dict[str, JSON]:
    result: dict[str, JSON] = {
        "verified": verified.holds,
        "conclusion": verified.conclusion,
        "memories": verified.memories,
        "changes": verified.entries,
        "rootless": verified.rootless,
        "tree": tree_json(verified.tree),
        "altered": [_altered_json(each) for each in verified.altered],
    }
    if verified.more:
        result["more"] = True
    if verified.missing_leaves:
        result["missing_leaves"] = verified.missing_leaves
    if verified.comparison is not None:
        result["matches"] = verified.matches
        if verified.comparison.size is not None:
            result["matched_size"] = verified.comparison.size
    if verified.inclusion is not None:
        result["inclusion"] = inclusion_json(verified.inclusion)
    if verified.consistency is not None:
        result["consistency"] = _consistency_json(verified.consistency)
    return result


def tree_json(tree: Tree) -> dict[str, JSON]:
    """Return a tree as whoever keeps its root needs it."""
    return {"size": tree.size, "root": tree.root.hex()}


def _altered_json(altered: Altered) -> JSON:
    # An id that was altered may be any text.
    name = printable(altered.memory_id, NAME_LENGTH)
    return {"id": name, "checks": [check.value for check in altered.checks]}


def inclusion_json(inclusion: Inclusion) -> dict[str, JSON]:
    """Return the proof that a memory is a leaf."""
    return {
        "id": inclusion.memory_id,
        "sha256": inclusion.sha256,
        "index": inclusion.index,
        "proof": [node.hex() for node in inclusion.proof],
    }


def _consistency_json(consistency: Consistency) -> dict[str, JSON]:
    result: dict[str, JSON] = {
        "first_size": consistency.first_size,
        "proof": [node.hex() for node in consistency.proof],
    }
    return result if consistency.holds is None else {**result, "holds": consistency.holds}


def _observe(activity: Activity, _: Principal, values: Values) -> dict[str, JSON]:
    memory_id = values.text("memory_id")
    return {
        "memory_id": None if memory_id is None else activity.label(memory_id),
        "size": values.whole("size"),
        "first_size": values.whole("first_size"),
        "root_given": values.text("root") is not None,
        "first_root_given": values.text("first_root") is not None,
    }


_HASHES = a_list(a_string(), "Hashes as RFC 9162 orders them, in hexadecimal")
INCLUSION = an_object(
    {
        "id": a_string(),
        "sha256": a_string("What the leaf holds, as these 64 characters"),
        "index": a_count("Which leaf it is, from 0"),
        "proof": _HASHES,
    }
)
TREE = an_object({"size": a_count("How many leaves"), "root": a_string()})
_SCHEMA = an_object(
    {
        "verified": {"type": "boolean", "description": "Whether all is as it should be"},
        "conclusion": a_string("What follows, and what does not"),
        "memories": a_count(),
        "changes": a_count(),
        "rootless": a_count("Memories of an earlier version, which are no leaves"),
        "tree": TREE,
        "altered": a_list(
            an_object({"id": a_string(), "checks": a_list(one_of(CHECK_NAMES))}),
            f"Memories of which something was altered, at most {MOST_NAMED}",
        ),
    },
    {
        "more": {"type": "boolean", "description": "More was altered than is named"},
        "missing_leaves": a_count("How many leaves there are less than size says"),
        "matches": {"type": "boolean", "description": "Whether the root given is one of it"},
        "matched_size": a_count("How many of the first leaves have the root given"),
        "inclusion": INCLUSION,
        "consistency": an_object(
            {"first_size": a_count(), "proof": _HASHES},
            {"holds": {"type": "boolean", "description": "Whether first_root leads to the root"}},
        ),
    },
)

VERIFY_INTEGRITY = Tool(
    name="verify_integrity",
    title="Verify integrity",
    description=(
        "Check every memory and every recorded change against its digest, name what was altered, "
        "and return the Merkle root of all of them. Keep it elsewhere with its size, and give it "
        "later: equality then proves that nothing up to there was rewritten. It reads everything, "
        "and is for clients that may read all namespaces."
    ),
    instruction="Call verify_integrity when the user asks whether the memory was tampered with.",
    arguments=(
        Argument("root", "string", "A root that was kept elsewhere, to compare with."),
        Argument(
            "size",
            "integer",
            "How many leaves the tree had whose root that is; all there are if absent. Where there "
            "are fewer, the record is not whole.",
            minimum=0,
            maximum=MOST_LEAVES,
        ),
        Argument("memory_id", "string", "The memory whose place in the tree is to be proved."),
        Argument(
            "first_root",
            "string",
            "The root of an earlier tree, to be checked by the proof of first_size.",
        ),
        Argument(
            "first_size",
            "integer",
            "How many leaves an earlier tree had: a proof that this one goes on from it.",
            minimum=0,
            maximum=MOST_LEAVES,
        ),
    ),
    result_schema=_SCHEMA,
    hints=Hints(read_only=True, destructive=False, idempotent=True),
    observe=_observe,
    call=verify_integrity,
)
