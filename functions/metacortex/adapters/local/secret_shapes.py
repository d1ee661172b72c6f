"""The shapes by which tokens are known, and the name under which each kind is redacted.

| kind | what it is |
|---|---|
| `age-secret-key` | a secret key of age |
| `anthropic-key`, `openai-key` | keys of model providers that begin with `sk-` |
| `atlassian-token`, `linear-token`, `notion-token`, `postman-key` | tokens of work tools |
| `aws-access-key`, `aws-secret-key` | an AWS key id, and the key after its own name |
| `azure-storage-key`, `azure-shared-access-key` | the value in a connection string |
| `databricks-token`, `digitalocean-token`, `vault-token` | tokens of infrastructure |
| `discord-token`, `discord-webhook`, `telegram-token` | bots and their hooks |
| `github-token`, `gitlab-token` | personal, OAuth, deploy, runner and other tokens |
| `google-api-key`, `google-client-secret`, `google-oauth-token` | Google's |
| `grafana-token`, `groq-key`, `hugging-face-token`, `xai-key` | by their own prefixes |
| `jwt` | a signed or encrypted JSON web token (`web_tokens.py`) |
| `mailchimp-key`, `sendgrid-key`, `twilio-key` | services that send |
| `metacortex-token` | a token that `metacortex` made |
| `npm-token`, `pypi-token` | tokens of package registries |
| `private-key` | a block in PEM, OpenSSH, SSH2, PGP or PuTTY form (`key_blocks.py`) |
| `shopify-token`, `square-secret`, `stripe-key`, `stripe-webhook-secret` | shops and payments |
| `slack-token`, `slack-webhook` | Slack's |
| `url-password` | the password in a URL, and nothing else of it |

Every pattern runs over the whole text, so it must be linear however hostile the text is: what it
reads before it can fail is bounded. Of the library those detectors are used that are so, and none
that guesses by entropy or by a keyword before a value. What it lacks, or reads in quadratic time,
is below in `_OWN`.
"""

import binascii
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module

_WORD = re.compile(r"[A-Za-z0-9_-]*")
_BASE64 = re.compile(r"[A-Za-z0-9+/_=-]*")
_NOTHING = re.compile("")


@dataclass(frozen=True, slots=True)
class Shape:
    """A pattern of secrets of one kind: its group `secret`, or all of its match, begins one.

    The secret goes on to the end of the `run` of characters after it, and is one if it `holds`.
    """

    kind: str
    pattern: re.Pattern[str]
    run: re.Pattern[str] = _WORD
    holds: Callable[[str], bool] = bool

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield start and end of each secret of this shape."""
        group = "secret" if "secret" in self.pattern.groupindex else 0
        done = 0
        for found in self.pattern.finditer(text):
            # Within a run that is taken already, each further match would read its rest anew.
            if found.end(group) <= done:
                continue
            start, end = found.start(group), self._end(text, found.end(group))
            if self.holds(text[start:end]):
                yield start, end
                done = end

    def _end(self, text: str, end: int) -> int:
        rest = self.run.match(text, end)
        return rest.end() if rest else end


@cache
def shapes() -> tuple[Shape, ...]:
    """Return all shapes. The first call imports the library, which takes a tenth of a second."""
    return (*_of_the_library(), *_OWN)


def _of_the_library() -> Iterator[Shape]:
    for module, detector, which, kind, holds in _LIBRARY:
        found = getattr(import_module(f"detect_secrets.plugins.{module}"), detector)
        for pattern in found.denylist[which]:
            yield Shape(kind, pattern, holds=holds)


def _has_digit(token: str) -> bool:
    return any(map(str.isdigit, token))


def _names_a_bot_of_discord(token: str) -> bool:
    first = token.partition(".")[0]
    # What stands before it may look like its beginning.
    return any(_is_number_in_base64(first[start:]) for start in range(4))


def _is_number_in_base64(part: str) -> bool:
    try:
        return binascii.a2b_base64(part + "=" * (-len(part) % 4)).isdigit()
    except binascii.Error:
        return False


def _names_a_bot_of_telegram(token: str) -> bool:
    # All of them go on so; a day and a commit id, as in `20260314:9f8b…`, do not.
    return ":AA" in token


_ALL = slice(None)
_LIBRARY: tuple[tuple[str, str, slice, str, Callable[[str], bool]], ...] = (
    # Its second pattern takes a commit id in quotes near the words "aws" and "key" for a secret.
    ("aws", "AWSKeyDetector", slice(0, 1), "aws-access-key", bool),
    ("discord", "DiscordBotTokenDetector", _ALL, "discord-token", _names_a_bot_of_discord),
    ("github_token", "GitHubTokenDetector", _ALL, "github-token", bool),
    ("mailchimp", "MailchimpDetector", _ALL, "mailchimp-key", bool),
    ("pypi_token", "PypiTokenDetector", _ALL, "pypi-token", bool),
    ("sendgrid", "SendGridDetector", _ALL, "sendgrid-key", bool),
    ("slack", "SlackDetector", slice(0, 1), "slack-token", bool),
    ("square_oauth", "SquareOAuthDetector", _ALL, "square-secret", bool),
    ("stripe", "StripeDetector", _ALL, "stripe-key", bool),
    (
        "telegram_token",
        "TelegramBotTokenDetector",
        _ALL,
        "telegram-token",
        _names_a_bot_of_telegram,
    ),
    ("twilio", "TwilioKeyDetector", _ALL, "twilio-key", bool),
)

_PLACEHOLDER = r"(?:\$?\{+[^{}\s]*\}+|\$[A-Z][A-Z0-9_]*|\*+|\.{3}|…)@"
_PORT = r"""\d{1,5}["'`?#,;&|)}\]]"""
_URL_PASSWORD = (
    r"""://[^\s/?#:@\[\]"'<>]*:"""
    rf"""(?P<secret>(?!{_PLACEHOLDER}|{_PORT})[^\s/"<>`]+)@(?!sha\d+:)"""
)
"""Up to the last at sign, as a password may hold one. `docker://alpine:3.18@sha256:…` has none."""

_AWS_SECRET = (
    r"""(?i:(?:aws[_ -]?secret[_ -]?(?:access[_ -]?)?|secret[_ -]?access[_ -]?)key)"""
    r"""["']?\s{0,4}[=:]\s{0,4}["']?(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])"""
)

_OWN = (
    Shape("aws-secret-key", re.compile(_AWS_SECRET), _NOTHING),
    *(
        Shape(kind, re.compile(pattern), run, holds)
        for kind, pattern, run, holds in (
            ("age-secret-key", r"AGE-SECRET-KEY-1[0-9A-Z]{50}", _WORD, bool),
            ("anthropic-key", r"sk-ant-[A-Za-z0-9_-]{16,}", _WORD, _has_digit),
            ("atlassian-token", r"ATATT3[A-Za-z0-9_=-]{50}", _BASE64, bool),
            ("azure-storage-key", r"AccountKey=(?P<secret>[A-Za-z0-9+/]{40})", _BASE64, bool),
            (
                "azure-shared-access-key",
                r"SharedAccessKey=(?P<secret>[A-Za-z0-9+/]{40})",
                _BASE64,
                bool,
            ),
            ("databricks-token", r"dapi[0-9a-f]{32}", _WORD, bool),
            ("digitalocean-token", r"do[oprt]_v1_[0-9a-f]{40}", _WORD, bool),
            (
                "discord-webhook",
                r"(?:https://)?discord(?:app)?\.com/api/webhooks/\d{17,20}/[A-Za-z0-9_-]{40}",
                _WORD,
                bool,
            ),
            ("github-token", r"github_pat_[A-Za-z0-9_]{22}", _WORD, bool),
            # The library misses those that are longer than it expects, or have a routing part.
            (
                "gitlab-token",
                r"gl(?:pat|agent|cbt|dt|ft|imt|oas|ptt|rt|rtr|soat)-[A-Za-z0-9_-]{20,}"
                r"(?:\.[0-9a-z]{2}\.[0-9a-z]{7})?",
                _WORD,
                _has_digit,
            ),
            ("gitlab-token", r"GR1348941[A-Za-z0-9_-]{20}", _WORD, bool),
            ("google-api-key", r"AIza[A-Za-z0-9_-]{30}", _WORD, bool),
            ("google-client-secret", r"GOCSPX-[A-Za-z0-9_-]{20}", _WORD, bool),
            ("google-oauth-token", r"ya29\.[A-Za-z0-9_-]{20}", _WORD, bool),
            ("grafana-token", r"gl(?:sa|c)_[A-Za-z0-9+/]{32}", _BASE64, bool),
            ("groq-key", r"gsk_[A-Za-z0-9]{40}", _WORD, bool),
            ("hugging-face-token", r"hf_[A-Za-z0-9]{30}", _WORD, bool),
            ("metacortex-token", r"mcx_[A-Za-z0-9_-]{40}", _WORD, bool),
            ("linear-token", r"lin_(?:api|oauth)_[A-Za-z0-9]{32}", _WORD, bool),
            ("notion-token", r"(?:secret|ntn)_[A-Za-z0-9]{43}", _WORD, bool),
            ("npm-token", r"npm_[A-Za-z0-9]{30}", _WORD, bool),
            (
                "npm-token",
                r"_authToken[ \t]?=[ \t]?[\"']?(?P<secret>[A-Za-z0-9_-]{16})",
                _BASE64,
                bool,
            ),
            (
                "openai-key",
                r"sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{16,}",
                _WORD,
                _has_digit,
            ),
            # The library's pattern for these letters is quadratic.
            ("openai-key", r"sk-[A-Za-z0-9_-]{40,}", _WORD, lambda token: "T3BlbkFJ" in token),
            # Without a name after `sk-`, only where no word goes on: "risk-internationalisation".
            (
                "openai-key",
                r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))sk-(?:or-v1-|lf-)?[A-Za-z0-9]{20,}",
                _WORD,
                _has_digit,
            ),
            ("postman-key", r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}", _WORD, bool),
            ("pypi-token", r"pypi-AgE[A-Za-z0-9_-]{30}", _WORD, bool),
            ("shopify-token", r"shp(?:at|ca|pa|ss)_[0-9A-Fa-f]{32}", _WORD, bool),
            ("slack-token", r"xox[abcdeprs](?:\.xox[abp])?-[A-Za-z0-9-]{10,}", _WORD, _has_digit),
            ("slack-token", r"xapp-\d-[A-Za-z0-9-]{20}", _WORD, bool),
            # Without the scheme too: what stands glued before may have taken it for its own end.
            (
                "slack-webhook",
                r"(?:https://)?hooks\.slack\.com/services/T[A-Za-z0-9_]{1,20}"
                r"/B[A-Za-z0-9_]{1,20}/[A-Za-z0-9_]{10}",
                _WORD,
                bool,
            ),
            ("stripe-key", r"[rs]k_(?:live|test)_[A-Za-z0-9]{16}", _WORD, bool),
            ("stripe-webhook-secret", r"whsec_[A-Za-z0-9+/]{24}", _BASE64, bool),
            # The library wants one letter more than the shortest have.
            ("telegram-token", r"\d{8,10}:AA[A-Za-z0-9_-]{32}", _WORD, bool),
            ("vault-token", r"hv[bs]\.[A-Za-z0-9_-]{24}", _WORD, bool),
            ("xai-key", r"xai-[A-Za-z0-9]{60}", _WORD, bool),
        )
    ),
    # The last: a token in that place is named for what it is.
    Shape("url-password", re.compile(_URL_PASSWORD), _NOTHING),
)
