"""scripts/deploy: brings the committed state to Google Cloud, and looks at it there."""

import os
import sys
from collections.abc import Mapping, Sequence

from deploy.findings import told
from deploy.function import deploy_line, describe, stage
from deploy.indexes import (
    WAIT_MINUTES,
    ask_deployed,
    make_missing,
    needed_indexes,
    wait_until_ready,
)
from deploy.preflight import before_deploying
from deploy.rules import committed_rules, put_in_force
from deploy.running import Refused
from deploy.secret_versions import keep_secrets
from deploy.session import Outside, Session, open_session, parser, refused
from deploy.visits import visited
from metacortex.commands.connection import Connection, described
from metacortex.config import ADMIN_TOKEN
from metacortex.profiles import token_by_client

UNKNOWN_URL = "https://FUNCTION.a.run.app"
"""Stands for the address in a dry run before the first deployment."""


def main(arguments: Sequence[str], outside: Outside) -> int:
    """Run the script, and return its exit status. A step that fails is the last one."""
    made = parser("deploy", "Brings the committed state of this clone to Google Cloud.")
    made.add_argument("--skip-tests", action="store_true", help="do not run scripts/check and test")
    made.add_argument(
        "--wait-minutes", type=int, default=WAIT_MINUTES, help="for the indexes; %(default)s"
    )
    options = made.parse_args(arguments)
    try:
        session = open_session(options, outside)
        outside.tell("1/6  Preflight")
        well = told(before_deploying(session, tests=not options.skip_tests), outside.tell)
        if options.dry_run:
            if not well:
                outside.tell("A deployment would stop here; what it would do after that,")
                outside.tell("taking for absent what cannot be asked:")
            session = session.lenient()
        elif not well:
            raise Refused("Nothing was deployed: remedy what failed, and start again")
        deployed = _deploy(session, options.wait_minutes)
        return 0 if well and deployed else 1
    except Refused as error:
        return refused(error)


def _deploy(session: Session, minutes: int) -> bool:
    tell, gcloud, target = session.tell, session.gcloud, session.target
    tell("2/6  Indexes and TTL policies")
    _indexes(session, minutes)
    tell("3/6  Security rules")
    _rules(session)
    tell("4/6  Secrets")
    versions = keep_secrets(gcloud, target, tell)
    tell("5/6  Function (this takes some minutes)")
    _function(session, versions)
    url = _url(session)
    tell("6/6  What clients see")
    well = visited(session, url)
    if well and not session.runner.dry:
        tell("")
        tell(_connection(session, url))
    return well


def _indexes(session: Session, minutes: int) -> None:
    database = session.target.store.database
    needed = needed_indexes(session.settings())
    there = ask_deployed(session.gcloud, database)
    count = make_missing(session.google, database, needed, there)
    session.tell(f"      {count} were missing")
    if not session.runner.dry:
        pause = session.outside.pause
        wait_until_ready(session.gcloud, database, needed, session.tell, pause, minutes)


def _rules(session: Session) -> None:
    database = session.target.store.database
    try:
        changed = put_in_force(session.google, database, committed_rules(session.root))
    except Refused as error:
        if not session.runner.dry:
            raise
        session.tell(f"      the rules in force cannot be looked at: {error}")
    else:
        session.tell("      ours are in force now" if changed else "      ours are in force")


def _function(session: Session, versions: Mapping[str, str]) -> None:
    line = deploy_line(session.target, session.root, versions)
    if not session.runner.dry:
        stage(session.target, session.root)
    try:
        session.gcloud.change(*line)
    except Refused as error:
        raise Refused(
            f"The function was not deployed: {error}. Clients still reach the revision before, if"
            " there was one. For the build's own words: gcloud builds list --limit=1"
        ) from error


def _url(session: Session) -> str:
    function = describe(session.gcloud, session.target.function.region)
    if function is not None:
        return function.url
    if session.runner.dry:
        return UNKNOWN_URL
    raise Refused(
        "The function was deployed, but gcloud tells no address of it: look in the console"
    )


def _connection(session: Session, url: str) -> str:
    env, base = session.target.env, session.settings().public_url or url
    return described(Connection(base, None, env[ADMIN_TOKEN].strip(), token_by_client(env), base))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], Outside(os.environ)))
