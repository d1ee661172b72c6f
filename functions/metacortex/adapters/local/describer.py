"""The `ImageDescriber` of a server without a model that sees."""

from metacortex.domain.errors import Unavailable
from metacortex.domain.memory import Image


class NoDescriber:
    """Says that images cannot be described here."""

    async def describe(self, image: Image, topic: str, context: str) -> str:
        """Refuse.

        Raises:
            Unavailable: always.
        """
        raise Unavailable("Image descriptions are not configured on this server")

    async def aclose(self) -> None:
        """Do nothing: there is nothing to let go of."""
