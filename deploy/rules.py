"""The security rules of Firestore: nobody but the function reads or writes."""

from collections.abc import Iterator
from pathlib import Path

from deploy.findings import Finding, fail, ok
from deploy.google import Google
from deploy.running import Refused
from metacortex.engine_settings import DEFAULT_DATABASE

RULES_FILE = "firestore.rules"


def committed_rules(root: Path) -> str:
    """Return the content of the committed file.

    Raises:
        Refused: it is not there.
    """
    try:
        return (root / RULES_FILE).read_text(encoding="utf-8")
    except OSError as error:
        raise Refused(f"{RULES_FILE} cannot be read; restore it from git") from error


def release_of(database: str) -> str:
    """Return the name under which the rules of a database are in force."""
    return "cloud.firestore" if database == DEFAULT_DATABASE else f"cloud.firestore/{database}"


def rules_findings(google: Google, database: str, ours: str) -> Iterator[Finding]:
    """Judge the rules that are in force."""
    try:
        there = google.released_rules(release_of(database))
    except Refused as error:
        yield fail("rules", str(error), "let this account manage the security rules")
        return
    if there is None:
        yield fail("rules", "no security rules are in force", "scripts/deploy puts them in force")
    elif there.strip() != ours.strip():
        finding = f"the security rules in force are not those of {RULES_FILE}"
        yield fail("rules", finding, "scripts/deploy puts ours in force")
    else:
        yield ok("rules", f"{RULES_FILE} is in force")


def put_in_force(google: Google, database: str, ours: str) -> bool:
    """Put our rules in force, and return whether they were not.

    Raises:
        Refused: Google would not.
    """
    release = release_of(database)
    there = google.released_rules(release)
    if there is not None and there.strip() == ours.strip():
        return False
    google.release_rules(release, ours, new=there is None)
    return True
