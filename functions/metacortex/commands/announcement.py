"""What `serve` prints once it serves: where, and how clients connect."""

from collections.abc import Mapping

from metacortex.commands.connection import Connection, described
from metacortex.commands.console import print_text
from metacortex.commands.typed import typed
from metacortex.config import ADMIN_TOKEN, Settings
from metacortex.credentials import credentials_file
from metacortex.profiles import token_by_client

_SHARED = ("METACORTEX_EMBED", "METACORTEX_ENGINE", "FIRESTORE_", "GOOGLE_CLOUD_PROJECT", "GEMINI_")
"""How settings begin that decide where a memory is and what embeds it."""


def announce(settings: Settings, env: Mapping[str, str], url: str, *, in_full: bool) -> None:
    """Print where the server is; where the output may hold tokens also how clients connect."""
    path = credentials_file(settings.data_dir)
    kept = f"in '{path}'" if path.exists() else "those of the environment"
    print_text(f"MetaCortex serves {url}/mcp; the credentials are {kept}")
    if not in_full:
        print_text("How clients connect is printed to a terminal, or with --print-connection")
        return
    connection = Connection(
        url=url,
        data_dir=settings.data_dir.absolute(),
        admin_token=env[ADMIN_TOKEN].strip(),
        token_by_client=token_by_client(env),
        public_url=settings.public_url,
        stdio_env=shared_settings(env),
    )
    print_text(
        f"\nAdmin token: {connection.admin_token}\n\n{described(connection)}\n"
        "Ctrl-C stops the server. To see what each call did, run in another terminal:\n"
        f"  {typed(env, 'events', '--follow')}"
    )


def shared_settings(env: Mapping[str, str]) -> dict[str, str]:
    """Return the settings that any process must have to see the same memory, but for keys."""
    names = sorted(name for name in env if name.startswith(_SHARED))
    return {name: env[name] for name in names if env[name].strip() and "KEY" not in name}
