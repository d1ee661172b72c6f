"""What every write tells beside what it kept."""

from metacortex.commands.console import note
from metacortex.commands.tool_calls import Result


def note_beside(result: Result) -> None:
    """Tell which secrets were taken out, what a write resembles, and what new names may mean."""
    if kinds := result.get("redacted"):
        note(f"Taken out, as what looks like a live secret: {', '.join(kinds)}")
    for similar in result.get("similar", ()):
        differs = f", but for {', '.join(similar['differs'])}" if similar["differs"] else ""
        note(f"It resembles {similar['id']} ({similar['score']:.3f}){differs}")
    for proposed in result.get("proposals", ()):
        other = proposed["resembles"]["name"]
        said = "now stands for" if proposed["merged"] else "may be another name of"
        note(f"'{proposed['name']}' {said} '{other}'")
