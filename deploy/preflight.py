"""scripts/preflight: looks at everything that a deployment needs, and changes nothing."""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence

from deploy.findings import Finding, Tell, Verdict, fail, ok, told
from deploy.index_shapes import Document, wanted
from deploy.indexes import ask_deployed, committed, index_findings
from deploy.project_checks import clone_findings, project_findings, tool_findings
from deploy.rules import rules_findings
from deploy.running import Refused, Runner
from deploy.session import Session, open_session, parser, refused, say
from deploy.settings_checks import dimension_findings, model_findings, settings_findings
from deploy.web import GOOGLE, Addresses
from metacortex.domain.errors import ConfigurationError

MADE_BY_DEPLOY = ("indexes", "TTL policies", "rules")
"""What a deployment makes itself, so that its own preflight does not stop there."""
TESTS = (("scripts/check",), ("scripts/test",))


def main(
    arguments: Sequence[str],
    env: Mapping[str, str],
    addresses: Addresses = GOOGLE,
    tell: Tell = say,
) -> int:
    """Run the script, and return its exit status: 1 where anything failed."""
    made = parser("preflight", "Looks at everything that a deployment needs. Changes nothing.")
    made.add_argument("--skip-tests", action="store_true", help="do not run scripts/check and test")
    options = made.parse_args(arguments)
    try:
        session = open_session(options, env, addresses, tell)
    except Refused as error:
        # Without a project there is still much to say about the machine.
        told(tool_findings(Runner(env, tell, dry=options.dry_run)), tell)
        return refused(error)
    return 0 if told(findings(session, tests=not options.skip_tests), tell) else 1


def before_deploying(session: Session, *, tests: bool) -> Iterator[Finding]:
    """Yield all findings; what the deployment itself makes is no failure."""
    for finding in findings(session, tests=tests):
        if finding.name in MADE_BY_DEPLOY and finding.verdict is Verdict.FAIL:
            yield Finding(finding.name, Verdict.WARN, finding.finding, "this deployment makes it")
        else:
            yield finding


def findings(session: Session, *, tests: bool) -> Iterator[Finding]:
    """Look at everything, and yield each finding as it is made; the tests come last."""
    yield from clone_findings(session.runner)
    tools = list(tool_findings(session.runner))
    yield from tools
    # Without an account Google would only say so, again and again.
    reachable = all(finding.verdict is not Verdict.FAIL for finding in tools)
    if reachable:
        yield from project_findings(session.gcloud, session.target)
    yield from settings_findings(session.given, session.target)
    yield from _store(session, reachable=reachable)
    if tests:
        yield from _tests(session.runner)


def _store(session: Session, *, reachable: bool) -> Iterator[Finding]:
    try:
        index_file = committed()
    except Refused as error:
        yield fail("index file", str(error), "see docs/deployment.md")
        return
    try:
        settings = session.target.settings()
    except ConfigurationError:
        # Each problem was told with the settings.
        pass
    else:
        yield from dimension_findings(settings, index_file)
        if reachable:
            yield from model_findings(session.google, settings)
    if reachable:
        yield from _deployed(session, index_file)


def _deployed(session: Session, index_file: Document) -> Iterator[Finding]:
    database = session.target.store.database
    try:
        there = ask_deployed(session.gcloud, database)
    except Refused as error:
        yield fail("indexes", str(error), "check that this account may see the indexes")
    else:
        yield from index_findings(wanted(index_file), there)
    yield from rules_findings(session.google, database)


def _tests(runner: Runner) -> Iterator[Finding]:
    for command in TESTS:
        ran = runner.watch(*command)
        if ran.status:
            yield fail(command[0], f"it ended with status {ran.status}", "mend what it says")
        elif not runner.dry:
            yield ok(command[0], "green")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
