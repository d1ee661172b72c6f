"""Keeps secrets in Secret Manager, where the function's service account may read these alone.

A value goes to gcloud by its standard input. What is kept already is compared here and never shown.
"""

from collections.abc import Iterator
from dataclasses import replace

from deploy.findings import Tell
from deploy.running import Gcloud, Refused
from deploy.target import Target

LATEST = "latest"
ACCESSOR = "roles/secretmanager.secretAccessor"


def with_kept(target: Target, gcloud: Gcloud) -> Target:
    """Return `target` with the secrets that are not set here, but kept by Secret Manager already.

    That one is neither here nor there is told where the settings are read.
    """
    missing = (name for name in target.function.secrets if name not in target.secrets)
    kept = {name: value for name in missing if (value := _kept(gcloud, name)) is not None}
    return replace(target, env={**target.env, **kept})


def keep_secrets(gcloud: Gcloud, target: Target, tell: Tell) -> dict[str, str]:
    """Keep each secret of `target`: make it, or add a version where its value is another. Return
    the version of each.

    A revision of the function is deployed with these versions, and not with whatever is the latest:
    so no instance of an earlier one ever starts with the tokens of a later.

    Raises:
        Refused: gcloud would not, or the function could not read one of them.
    """
    there = _names(gcloud)
    versions = {}
    for name in target.secrets:
        value = target.env[name].strip()
        if name not in there:
            given = ("--replication-policy=automatic", "--data-file=-")
            gcloud.change("secrets", "create", name, *given, given=value)
            tell(f"      {name} is new")
        elif _kept(gcloud, name) != value:
            gcloud.change("secrets", "versions", "add", name, "--data-file=-", given=value)
            tell(f"      {name} has a new version")
        else:
            tell(f"      {name} is as it was")
        _let_read(gcloud, name, f"serviceAccount:{target.function.service_account}", there)
        versions[name] = _version(gcloud, name)
    return versions


def _names(gcloud: Gcloud) -> frozenset[str]:
    listed = gcloud.ask("secrets", "list") or ()
    return frozenset(str(secret["name"]).rpartition("/")[2] for secret in listed)


def _kept(gcloud: Gcloud, name: str) -> str | None:
    """Return the newest value of a secret, None where there is none that can be read."""
    try:
        return gcloud.text("secrets", "versions", "access", LATEST, f"--secret={name}").strip()
    except Refused:
        # All of its versions may be destroyed or disabled, or not ours to read.
        return None


def _version(gcloud: Gcloud, name: str) -> str:
    answer = gcloud.ask("secrets", "versions", "describe", LATEST, f"--secret={name}") or {}
    # Only in a dry run is there none yet.
    return str(answer.get("name", LATEST)).rpartition("/")[2]


def _let_read(gcloud: Gcloud, name: str, member: str, there: frozenset[str]) -> None:
    policy = (gcloud.ask("secrets", "get-iam-policy", name) or {}) if name in there else {}
    if member in set(_members(policy)):
        return
    gcloud.change(
        *("secrets", "add-iam-policy-binding", name, f"--member={member}", f"--role={ACCESSOR}")
    )


def _members(policy: dict[str, list[dict[str, object]]]) -> Iterator[str]:
    for binding in policy.get("bindings", ()):
        members = binding.get("members")
        if binding.get("role") == ACCESSOR and isinstance(members, list):
            yield from members
