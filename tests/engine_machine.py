"""A state machine of Hypothesis whose rules make each call on two engines."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any, ClassVar

from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from metacortex.domain.client import whole_tenant
from metacortex.domain.lifecycle import BranchState
from metacortex.domain.verification import Verification
from tests.engine_pair import Pair, Side
from tests.firestore_engines import a_project, opened

STEPS, EXAMPLES = 25, 30


class EngineMachine(RuleBasedStateMachine):
    """Rules that work on a pair of engines, in a loop that runs in another thread."""

    loop: ClassVar[asyncio.AbstractEventLoop]

    def __init__(self) -> None:
        super().__init__()
        self._engine = opened(a_project())
        self.pair: Pair = self._run(self._opened())

    def teardown(self) -> None:
        """Hold that nothing that was done is taken for an alteration."""
        try:
            self._run(self._verified())
        finally:
            self._run(self.pair.aclose())

    def same(self, call: Callable[[Side], Awaitable[object]]) -> None:
        """Hold that a call comes to the same on both engines."""
        self._run(self.pair.same(call))

    async def _verified(self) -> None:
        for tenant in {
            profile.principal.tenant for profile in self.pair.settings.profiles.values()
        }:
            await self.pair.same(partial(_unaltered, tenant=tenant))

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()

    async def _opened(self) -> Pair:
        return Pair(await self._engine.__aenter__())


async def _unaltered(side: Side, tenant: str) -> object:
    principal = whole_tenant("cli", tenant, BranchState.ACTIVE)
    verified = await side.services.integrity.verify(principal, Verification())
    assert verified.altered == ()
    return verified.memories, verified.entries, verified.rootless, verified.tree.size


async def run_machine(machine: type[EngineMachine]) -> None:
    """Let Hypothesis look for calls that differ."""
    # It calls rules as plain functions, which wait here for the loop.
    machine.loop = asyncio.get_running_loop()
    run = partial(
        run_state_machine_as_test,
        machine,
        settings=settings(
            max_examples=EXAMPLES,
            stateful_step_count=STEPS,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow],
        ),
    )
    await asyncio.to_thread(run)
