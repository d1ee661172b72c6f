"""scripts/preflight: looks at everything that a deployment needs, and changes nothing."""

import os
import sys
from collections.abc import Iterator, Sequence

from deploy.findings import Finding, fail, ok, told, warn
from deploy.indexes import ask_deployed, file_findings, index_findings, needed_indexes
from deploy.project_checks import clone_findings, project_findings, tool_findings
from deploy.rules import committed_rules, rules_findings
from deploy.running import Refused, Runner
from deploy.session import Outside, Session, open_session, parser, refused
from deploy.settings_checks import model_findings, package_findings, settings_findings
from metacortex.domain.errors import ConfigurationError
from metacortex.verdict import Verdict

MADE_BY_DEPLOY = ("indexes", "TTL policies", "rules")
"""What a deployment makes itself, so that its own preflight does not stop there."""
TESTS = (("scripts/check",), ("scripts/test",))


def main(arguments: Sequence[str], outside: Outside) -> int:
    """Run the script, and return its exit status: 1 where anything failed."""
    made = parser("preflight", "Looks at everything that a deployment needs. Changes nothing.")
    made.add_argument("--skip-tests", action="store_true", help="do not run scripts/check and test")
    options = made.parse_args(arguments)
    try:
        session = open_session(options, outside)
    except Refused as error:
        # Without a project there is still much to say about the machine.
        runner = Runner(outside.env, outside.tell, outside.root, dry=options.dry_run)
        told(tool_findings(runner), outside.tell)
        return refused(error)
    return 0 if told(findings(session, tests=not options.skip_tests), session.tell) else 1


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
    else:
        finding = "nothing on Google Cloud was looked at: project, models, indexes, rules"
        yield warn("project", finding, "remedy the failure above, and start again")
    yield from settings_findings(session.given, session.target)
    yield from _store(session, reachable=reachable)
    if tests:
        yield from _tests(session.runner)


def _store(session: Session, *, reachable: bool) -> Iterator[Finding]:
    try:
        settings = session.target.settings()
    except ConfigurationError:
        # Each problem was told with the settings.
        return
    yield from file_findings(settings, session.root)
    yield from package_findings(settings, session.root)
    if not reachable:
        return
    yield from model_findings(session.google, settings)
    database = session.target.store.database
    try:
        there = ask_deployed(session.gcloud, database)
    except Refused as error:
        yield fail("indexes", str(error), "check that this account may see the indexes")
    else:
        yield from index_findings(needed_indexes(settings), there)
    yield from rules_findings(session.google, database, committed_rules(session.root))


def _tests(runner: Runner) -> Iterator[Finding]:
    for command in TESTS:
        ran = runner.watch(*command)
        if ran.status:
            yield fail(command[0], f"it ended with status {ran.status}", "mend what it says")
        elif not runner.dry:
            yield ok(command[0], "green")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], Outside(os.environ)))
