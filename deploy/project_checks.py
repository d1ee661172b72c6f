"""Preflight of the place: this clone and its tools, and the project on Google Cloud."""

import json
from collections.abc import Iterator
from typing import Any

from deploy.findings import Finding, fail, ok, warn
from deploy.function import runtime
from deploy.running import INSTALL_GCLOUD, LOGIN, NOT_FOUND, Gcloud, Ran, Refused, Runner
from deploy.target import Target

APIS = (
    *("cloudfunctions", "run", "cloudbuild", "artifactregistry", "firestore"),
    *("secretmanager", "firebaserules"),
)
VERTEX_API = "aiplatform"
DATASTORE_ROLE = "roles/datastore.user"
VERTEX_ROLE = "roles/aiplatform.user"
BUILDER_ROLE = "roles/cloudbuild.builds.builder"
TOKENS_LEFT_OUT = 'name=tokens-in-urls,filter=httpRequest.requestUrl:"auth_token="'
CONTINENTS = {"us": "nam", "northamerica": "nam", "europe": "eur"}
"""Regions of these belong to a multi-region that begins so."""


def clone_findings(runner: Runner) -> Iterator[Finding]:
    """Judge this clone: what is deployed is what is committed."""
    status = runner.read("git", "status", "--porcelain")
    if status.status:
        yield fail("git", f"git cannot tell ({status.reason})", "deploy from a clone")
    elif status.output.strip():
        count = len(status.output.strip().splitlines())
        yield fail("git", f"{count} files are not committed", "commit or remove them")
    else:
        head = runner.read("git", "rev-parse", "--short", "HEAD").output.strip()
        yield ok("git", f"all is committed, at {head}")
    try:
        yield ok("runtime", runtime(runner.root))
    except Refused as error:
        yield fail("runtime", str(error), "see docs/deployment.md")


def tool_findings(runner: Runner) -> Iterator[Finding]:
    """Judge the tools, and whether somebody is logged in."""
    version = runner.read("gcloud", "version", "--format=json")
    if version.status == NOT_FOUND:
        yield fail("gcloud", "the Google Cloud command line is not installed", INSTALL_GCLOUD)
        return
    if version.status:
        yield fail("gcloud", f"it does not run: {version.reason}", "mend it, or install it anew")
        return
    yield ok("gcloud", f"version {_version(version)}")
    firebase = runner.read("firebase", "--version")
    if firebase.status:
        yield ok("firebase", "not installed, and not needed")
    else:
        yield ok("firebase", f"version {firebase.output.strip()}")
    active = ("auth", "list", "--filter=status:ACTIVE", "--format=value(account)")
    account = runner.read("gcloud", *active).output.strip()
    if account:
        yield ok("login", account)
    else:
        yield fail("login", "nobody is logged in", f"run: {LOGIN}")


def _version(ran: Ran) -> str:
    try:
        return str(json.loads(ran.output)["Google Cloud SDK"])
    except (ValueError, KeyError, TypeError):
        return "unknown"


def project_findings(gcloud: Gcloud, target: Target) -> Iterator[Finding]:
    """Judge the project: billing, APIs, the accounts that build and serve, and the database."""
    yield from _billing(gcloud)
    yield from _apis(gcloud, target)
    yield from _account(gcloud, target)
    yield from _build_account(gcloud, target.function.region)
    yield from _database(gcloud, target)
    yield from _request_log(gcloud)


def _billing(gcloud: Gcloud) -> Iterator[Finding]:
    try:
        answer = gcloud.ask("billing", "projects", "describe", gcloud.project)
    except Refused as error:
        remedy = "check the project's name, and that this account may see its billing"
        yield fail("billing", str(error), remedy)
        return
    if (answer or {}).get("billingEnabled"):
        yield ok("billing", "the project has a billing plan")
    else:
        link = f"gcloud billing projects link {gcloud.project} --billing-account=ACCOUNT"
        finding = "the project has no billing plan, and functions need one"
        yield fail("billing", finding, f"run: {link}")


def _apis(gcloud: Gcloud, target: Target) -> Iterator[Finding]:
    try:
        answer = gcloud.ask("services", "list", "--enabled") or ()
    except Refused as error:
        yield fail("APIs", str(error), "check that this account may see the project's services")
        return
    enabled = {service["config"]["name"].partition(".")[0] for service in answer}
    missing = [f"{name}.googleapis.com" for name in _needed(target) if name not in enabled]
    if missing:
        remedy = f"run: gcloud services enable {' '.join(missing)} --project={gcloud.project}"
        yield fail("APIs", f"{len(missing)} are not enabled", remedy)
    else:
        yield ok("APIs", "all that are needed are enabled")


def _needed(target: Target) -> tuple[str, ...]:
    # The key of the Gemini API may belong to another project, so its API is not looked for here.
    return (*APIS, VERTEX_API) if target.function.on_vertex else APIS


def _account(gcloud: Gcloud, target: Target) -> Iterator[Finding]:
    account = target.function.service_account
    if account is None:
        finding = "without one the function runs as the project's default account, an editor"
        remedy = "make one (docs/deployment.md), and set DEPLOY_SERVICE_ACCOUNT to it"
        yield fail("service account", finding, remedy)
        return
    try:
        gcloud.ask("iam", "service-accounts", "describe", account)
        policy = gcloud.ask("projects", "get-iam-policy", gcloud.project) or {}
    except Refused as error:
        yield fail("service account", str(error), "make it: see docs/deployment.md")
        return
    member, vertex = f"serviceAccount:{account}", target.function.on_vertex
    yield from _roles(policy, member, gcloud.project, vertex)


def _roles(policy: Any, member: str, project: str, vertex: bool) -> Iterator[Finding]:
    held = _held(policy, member)
    needed = {DATASTORE_ROLE, VERTEX_ROLE} if vertex else {DATASTORE_ROLE}
    for role in sorted(needed - held):
        yield fail("service account", f"it lacks {role}", _grant(project, member, role))
    for role in sorted(held - {DATASTORE_ROLE, VERTEX_ROLE}):
        if role in ("roles/editor", "roles/owner") or role.startswith("roles/secretmanager"):
            finding = f"it has {role}, which is more than it needs"
            yield warn("service account", finding, "take that away")
    if needed <= held:
        yield ok("service account", "it has what it needs")


def _held(policy: Any, member: str) -> set[str]:
    return {
        binding["role"]
        for binding in policy.get("bindings", ())
        if member in binding.get("members", ())
    }


def _grant(project: str, member: str, role: str) -> str:
    return f"run: gcloud projects add-iam-policy-binding {project} --member={member} --role={role}"


def _build_account(gcloud: Gcloud, region: str) -> Iterator[Finding]:
    """Judge whether the project's own account may build.

    gcloud asks about that itself, but only somebody who can answer, and then the build fails.
    """
    try:
        answer = gcloud.ask("builds", "get-default-service-account", f"--region={region}") or {}
        policy = gcloud.ask("projects", "get-iam-policy", gcloud.project) or {}
    except Refused as error:
        yield warn("build account", str(error), f"let the account that builds have {BUILDER_ROLE}")
        return
    account = answer.get("serviceAccountEmail", "").rpartition("/")[2]
    member = f"serviceAccount:{account}"
    if not account.endswith("-compute@developer.gserviceaccount.com"):
        yield ok("build account", account or "none by default")
    elif _held(policy, member) & {BUILDER_ROLE, "roles/editor", "roles/owner"}:
        yield ok("build account", "it may build")
    else:
        finding = f"{account} lacks {BUILDER_ROLE}, and the build may fail for it"
        yield warn("build account", finding, _grant(gcloud.project, member, BUILDER_ROLE))


def _database(gcloud: Gcloud, target: Target) -> Iterator[Finding]:
    database, region = target.store.database, target.function.region
    create = (
        f"gcloud firestore databases create --database='{database}' --location={region}"
        f" --type=firestore-native --project={gcloud.project}"
    )
    try:
        named = ("firestore", "databases", "describe", f"--database={database}")
        answer = gcloud.ask(*named) or {}
    except Refused as error:
        yield fail("database", f"'{database}': {error}", f"run: {create}")
        return
    if answer.get("type") != "FIRESTORE_NATIVE":
        finding = f"'{database}' is in Datastore mode"
        yield fail("database", finding, "name another in FIRESTORE_DATABASE, in native mode")
    elif answer.get("databaseEdition", "STANDARD") not in (
        "STANDARD",
        "DATABASE_EDITION_UNSPECIFIED",
    ):
        finding = f"'{database}' is of another edition than Standard, which all of this is made for"
        yield fail("database", finding, "name another in FIRESTORE_DATABASE")
    elif not near(answer.get("locationId", ""), region):
        finding = f"'{database}' is in {answer.get('locationId')}, and the function in {region}"
        yield warn("database", finding, "set DEPLOY_REGION to a region there: calls will be slow")
    else:
        yield ok("database", f"'{database}' in {answer.get('locationId')}, native mode")


def _request_log(gcloud: Gcloud) -> Iterator[Finding]:
    """Judge whether the platform's own log keeps tokens that stand in addresses."""
    try:
        sink = gcloud.ask("logging", "sinks", "describe", "_Default") or {}
    except Refused as error:
        yield warn("request log", str(error), "see docs/security.md for what it may hold")
        return
    left_out = [exclusion.get("filter", "") for exclusion in sink.get("exclusions", ())]
    if any("auth_token" in text for text in left_out):
        yield ok("request log", "addresses with tokens are left out")
        return
    leave_out = f"--add-exclusion='{TOKENS_LEFT_OUT}' --project={gcloud.project}"
    finding = "Cloud Run's request log would keep the tokens of clients that have them in the URL"
    yield warn("request log", finding, f"run: gcloud logging sinks update _Default {leave_out}")


def near(location: str, region: str) -> bool:
    """Whether a database is in the region of the function, or in a multi-region around it."""
    start = CONTINENTS.get(region.partition("-")[0])
    return location == region or (start is not None and location.startswith(start))
