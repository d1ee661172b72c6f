"""Arguments that are dates."""

from datetime import tzinfo

from metacortex.domain.dates.parsing import parse_period
from metacortex.domain.dates.period import Period
from metacortex.domain.moment import Milliseconds
from metacortex.transport.mcp.arguments import Values


def period_of(values: Values, name: str, now: Milliseconds, zone: tzinfo) -> Period | None:
    """Return what the date in an argument covers, None where it was not given; one without a zone
    is read in `zone`.

    Raises:
        InvalidInput: it cannot be read.
    """
    text = values.text(name)
    return None if text is None else parse_period(name, text, now, zone)
