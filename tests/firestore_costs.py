"""What a tool call costs in Firestore, and memories to cost something."""

from bench.firestore_relay import Relay
from metacortex.domain.moment import Moment
from tests.endpoint import Endpoint
from tests.fakes import BAG_OF_WORDS, START
from tests.firestore_bulk import Held
from tests.samples import a_memory, a_vector

EVENT = 1
X = a_vector(1, *[0] * (BAG_OF_WORDS.dimension - 1))


async def cost(relay: Relay, endpoint: Endpoint, tool: str, **arguments: object) -> tuple[int, int]:
    """Return how many documents a tool call read and wrote."""
    async with relay.counted() as traffic:
        await endpoint.tool(tool, arguments)
    return traffic.reads, traffic.writes


def rows(count: int, *, ended: bool = False) -> list[Held]:
    """Return memories, each nearer to X than the one after it."""
    until = Moment(START) if ended else None
    prefix = "ended" if ended else "m"
    rest = [0.0] * (BAG_OF_WORDS.dimension - 2)
    return [
        (a_memory(f"{prefix}{n}", valid_until=until), [a_vector(1.0, n / 50, *rest)])
        for n in range(count)
    ]
