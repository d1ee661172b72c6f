"""What a principal may see, write and change of memories, and what it is told where it may not."""

from metacortex.domain.client import Principal, check_namespace
from metacortex.domain.errors import Forbidden, InvalidInput, NotFound
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.memory import Memory

UNKNOWN = "Document not found"
UNKNOWN_ENTITY = "Entity not found"


def unknown_by(argument: str) -> str:
    """Return the sentence where one of several entities is not found: it says by which argument,
    and not the name, since events hold the sentence and no name that a caller made up.
    """
    return f"{UNKNOWN_ENTITY}: check {argument}"


def known(principal: Principal, memory: Memory | None, unknown: str = UNKNOWN) -> Memory:
    """Return a memory that a store has returned to this principal.

    Raises:
        NotFound: there is none, or none that it may know of; `unknown` says so.
    """
    if memory is None or not principal.may_read(memory.namespace):
        raise NotFound(unknown)
    return memory


def check_may_see(principal: Principal, state: BranchState) -> None:
    """Check that the principal may see memories in this state.

    Raises:
        Forbidden: it may not.
    """
    if state not in principal.filter_states:
        raise _not_allowed(state)


def check_may_look_back(principal: Principal) -> None:
    """Check that the principal may see a moment in the past, which may hold what is over.

    Raises:
        Forbidden: it may not.
    """
    if not principal.sees_past:
        raise Forbidden("A moment in the past is not allowed for this client; leave it out")


def check_superseded(principal: Principal) -> None:
    """Check that the principal may see what was superseded.

    Raises:
        Forbidden: it may not.
    """
    if not principal.sees_past:
        raise Forbidden("include_superseded is not allowed for this client")


def check_may_write(principal: Principal, state: BranchState) -> None:
    """Check that the principal may save memories in this state.

    Raises:
        Forbidden: it may not.
    """
    if state not in principal.write_states:
        raise _not_allowed(state)


def check_may_write_to(principal: Principal, namespace: str) -> None:
    """Check that the principal may save memories in this namespace, which it may not even know.

    Raises:
        InvalidInput: no namespace can have this name.
        Forbidden: it may not.
    """
    check_namespace(namespace)
    if not principal.may_change(namespace):
        raise Forbidden(f"namespace '{namespace}' cannot be written to by this client")


def check_may_change(principal: Principal, namespace: str) -> None:
    """Check that the principal may change what it may read in this namespace.

    Raises:
        Forbidden: it only reads it.
    """
    if not principal.may_change(namespace):
        raise Forbidden(f"namespace '{namespace}' is read-only for this client")


def check_same_namespace(namespace: str, other: str, sentence: str) -> None:
    """Check that a memory is in the namespace of its replacement, or a fact in that of its source:
    whoever reads the one is told of the other, and whoever forgets a source forgets what was drawn
    from it. `sentence` says so.

    Raises:
        InvalidInput: they are in two.
    """
    if namespace != other:
        raise InvalidInput(sentence)


def check_may_resolve(principal: Principal) -> None:
    """Check that the principal may supersede facts, which deprecates them, and take that back.

    Raises:
        Forbidden: it may not.
    """
    if not principal.may_replace or BranchState.DEPRECATED not in principal.write_states:
        raise Forbidden("Resolving contradictions is not allowed for this client")


def _not_allowed(state: BranchState) -> Forbidden:
    return Forbidden(f"branch_state '{state}' is not allowed for this client")
