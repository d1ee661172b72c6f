"""What was looked at before and after a deployment, how it came out, and what to do about it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from metacortex.verdict import Verdict

Tell: TypeAlias = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at; `remedy` is what to do where not all is well."""

    name: str
    verdict: Verdict
    finding: str
    remedy: str = ""

    def __str__(self) -> str:
        remedy = f"; {self.remedy}" if self.remedy else ""
        return f"{self.verdict.value:<4}  {self.name}: {self.finding}{remedy}"


def ok(name: str, finding: str) -> Finding:
    """Return that all is well."""
    return Finding(name, Verdict.OK, finding)


def warn(name: str, finding: str, remedy: str) -> Finding:
    """Return what somebody should know before it is deployed."""
    return Finding(name, Verdict.WARN, finding, remedy)


def fail(name: str, finding: str, remedy: str) -> Finding:
    """Return what stands in the way."""
    return Finding(name, Verdict.FAIL, finding, remedy)


def told(findings: Iterable[Finding], tell: Tell) -> bool:
    """Tell each finding as it is made, and return whether none is a failure."""
    well = True
    for finding in findings:
        tell(str(finding))
        well = well and finding.verdict is not Verdict.FAIL
    return well
