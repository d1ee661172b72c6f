"""scripts/rollback: sends all requests to an earlier revision of the function, and looks at it."""

import os
import sys
from collections.abc import Sequence

from deploy.function import Revision, describe, revisions, send_traffic
from deploy.running import Refused
from deploy.session import Outside, Session, open_session, parser, refused
from deploy.visits import visited

EVERY_REQUEST = 100
FORWARD = "scripts/deploy sends them to the newest again"


def main(arguments: Sequence[str], outside: Outside) -> int:
    """Run the script, and return its exit status."""
    made = parser("rollback", "Sends all requests to an earlier revision of the function.")
    made.add_argument("--to", metavar="REVISION", help="that revision; else the one before")
    made.add_argument("--list", action="store_true", help="only list the revisions")
    options = made.parse_args(arguments)
    try:
        session = open_session(options, outside)
        return _roll_back(session, options.to, only_list=options.list)
    except Refused as error:
        return refused(error)


def _roll_back(session: Session, name: str | None, *, only_list: bool) -> int:
    region = session.target.function.region
    function = describe(session.gcloud, region)
    if function is None:
        raise Refused(f"There is no function in {region} of {session.target.project}")
    found = revisions(session.gcloud, function)
    for revision in found:
        state = "ready" if revision.ready else "not ready"
        session.tell(f"{revision.name}  {revision.created}  {state}  {revision.percent}%")
    if only_list:
        return 0
    chosen = choose(found, name)
    if chosen.percent == EVERY_REQUEST:
        session.tell(f"{chosen.name} serves all requests already: nothing changes")
        return 0
    session.tell(f"All requests to {chosen.name}")
    send_traffic(session.gcloud, function, chosen.name)
    well = visited(session, function.url)
    session.tell(f"New deployments: {FORWARD}")
    return 0 if well else 1


def choose(found: Sequence[Revision], name: str | None) -> Revision:
    """Return the revision that is named, or the newest that is older than what serves now.

    Raises:
        Refused: there is none.
    """
    if name is not None:
        named = next((revision for revision in found if revision.name == name), None)
        if named is None:
            raise Refused(f"There is no revision {name}; see scripts/rollback --list")
        return named
    serving = [place for place, revision in enumerate(found) if revision.percent]
    newest = serving[0] if serving else 0
    earlier = [revision for revision in found[newest + 1 :] if revision.ready]
    if not earlier:
        raise Refused("There is no earlier revision to go back to")
    return earlier[0]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], Outside(os.environ)))
