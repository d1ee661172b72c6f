"""Made-up secrets of every kind, put together so that no scanner takes this file for a leak."""

BASE64_LINE = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"
"""A line as key blocks have them."""


def _alphabet(length: int, letters: str = "aB3dE5gH7jK9mN1pQ2sT4vW6yZ8") -> str:
    return (letters * length)[:length]


def _hexadecimal(length: int) -> str:
    return _alphabet(length, "0f1e2d3c4b5a6978")


def key_block(name: str) -> str:
    """Return a key block as a tool would write it."""
    body = "\n".join([BASE64_LINE] * 3 + ["aGVsbG8="])
    return f"-----BEGIN {name}-----\n{body}\n-----END {name}-----"


JWT = ".".join(("eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiIxMjM0NTY3ODkwIn0", _alphabet(43)))

TOKENS = (
    ("age-secret-key", "AGE-SECRET-KEY-1" + _alphabet(58, "QPZRY9X8GF2TVDW0")),
    ("anthropic-key", "sk-ant-api03-" + _alphabet(95)),
    ("atlassian-token", "ATATT3" + _alphabet(180) + "=1A2B3C4D"),
    ("aws-access-key", "AKIA" + "IOSFODNN7EXAMPLE"),
    ("aws-access-key", "ASIA" + "IOSFODNN7EXAMPLE"),
    ("databricks-token", "dapi" + _hexadecimal(32)),
    ("digitalocean-token", "dop_v1_" + _hexadecimal(64)),
    ("discord-token", "MTk4NjIyNDgzNDcxOTI1MjQ4" + ".Cl2FMQ." + _alphabet(27)),
    ("discord-webhook", "https://discord.com/api/webhooks/123456789012345678/" + _alphabet(68)),
    ("github-token", "ghp_" + _alphabet(36)),
    ("github-token", "gho_" + _alphabet(36)),
    ("github-token", "ghs_" + _alphabet(36)),
    ("github-token", "github_pat_" + _alphabet(22) + "_" + _alphabet(59)),
    ("gitlab-token", "glpat-" + _alphabet(20)),
    ("gitlab-token", "glpat-" + _alphabet(60) + ".01.0a1b2c3d4"),
    ("gitlab-token", "GR1348941" + _alphabet(20)),
    ("google-api-key", "AIza" + _alphabet(35)),
    ("google-client-secret", "GOCSPX-" + _alphabet(28)),
    ("google-oauth-token", "ya29." + _alphabet(120)),
    ("grafana-token", "glsa_" + _alphabet(32) + "_0a1b2c3d"),
    ("groq-key", "gsk_" + _alphabet(52)),
    ("hugging-face-token", "hf_" + _alphabet(34)),
    ("jwt", JWT),
    ("jwt", "eyJhbGciOiJSU0EtT0FFUCJ9." + ".".join(_alphabet(size) for size in (40, 16, 30, 22))),
    ("metacortex-token", "mcx_" + _alphabet(43)),
    ("linear-token", "lin_api_" + _alphabet(40)),
    ("mailchimp-key", _hexadecimal(32) + "-us12"),
    ("notion-token", "secret_" + _alphabet(43)),
    ("npm-token", "npm_" + _alphabet(36)),
    ("openai-key", "sk-" + _alphabet(48)),
    ("openai-key", "sk-proj-" + _alphabet(74) + "T3BlbkFJ" + _alphabet(74)),
    ("openai-key", "sk-svcacct-" + _alphabet(40)),
    ("openai-key", "sk-my-team-" + _alphabet(20) + "T3BlbkFJ" + _alphabet(20)),
    ("openai-key", "sk-or-v1-" + _hexadecimal(64)),
    ("postman-key", "PMAK-" + _hexadecimal(24) + "-" + _hexadecimal(34)),
    ("pypi-token", "pypi-AgEIcHlwaS5vcmc" + _alphabet(100)),
    ("sendgrid-key", "SG." + _alphabet(22) + "." + _alphabet(43)),
    ("shopify-token", "shpat_" + _hexadecimal(32)),
    ("slack-token", "xoxb-" + "123456789012-123456789012-" + _alphabet(24)),
    ("slack-token", "xapp-1-" + "A0123456789-1234567890123-" + _hexadecimal(64)),
    ("slack-token", "xoxe.xoxp-1-" + _alphabet(140)),
    ("slack-webhook", "https://hooks.slack.com/services/" + "T0123ABCD/B0123ABCD/" + _alphabet(24)),
    ("square-secret", "sq0csp-" + _alphabet(43)),
    ("stripe-key", "sk_live_" + _alphabet(24)),
    ("stripe-key", "rk_live_" + _alphabet(99)),
    ("stripe-webhook-secret", "whsec_" + _alphabet(32)),
    ("telegram-token", "110201543:AA" + _alphabet(33)),
    ("twilio-key", "SK" + _hexadecimal(32)),
    ("vault-token", "hvs." + _alphabet(90)),
    ("xai-key", "xai-" + _alphabet(80)),
    *(
        ("private-key", key_block(name))
        for name in (
            "PRIVATE KEY",
            "RSA PRIVATE KEY",
            "EC PRIVATE KEY",
            "DSA PRIVATE KEY",
            "ENCRYPTED PRIVATE KEY",
            "OPENSSH PRIVATE KEY",
            "PGP PRIVATE KEY BLOCK",
        )
    ),
    ("private-key", key_block("RSA PRIVATE KEY").replace("-----", "----")),
    (
        "private-key",
        f"---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n{BASE64_LINE}\n"
        "---- END SSH2 ENCRYPTED PRIVATE KEY ----",
    ),
    ("private-key", key_block("PRIVATE KEY").replace("\n", "\\n")),
    ("private-key", key_block("PRIVATE KEY").replace("\n", " ")),
    (
        "private-key",
        "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: laptop\nPublic-Lines: 1\n"
        f"{BASE64_LINE}\nPrivate-Lines: 1\n{BASE64_LINE}\nPrivate-MAC: {_hexadecimal(64)}",
    ),
)
"""Kind and secret, for those that are secrets wherever they stand."""

IN_PLACE = (
    ("aws-secret-key", 'aws_secret_access_key = "', _alphabet(38) + "/+", '"'),
    ("azure-storage-key", "AccountName=a;AccountKey=", _alphabet(84) + "+/==", ";EndpointSuffix=x"),
    ("azure-shared-access-key", "SharedAccessKeyName=r;SharedAccessKey=", _alphabet(43) + "=", ""),
    ("npm-token", "//registry.example.com/:_authToken=", _alphabet(36), "\n"),
    ("url-password", "postgres://app:", "hunter2", "@db/x"),
    ("url-password", "see https://anna:", "p@ss:w0rd!", "@example.com:8443/path?q=1"),
    ("url-password", "redis://:", "hunter2", "@cache:6379/0"),
    ("url-password", "mongodb+srv://app:", "p$ss'w*rd", "@a.example,b.example/db"),
    ("url-password", "amqp://guest:", "x", "@mq"),
)
"""Kind, what stands before, the secret, what stands after: the first and the last stay."""

HARMLESS = (
    "",
    "9fceb02d0ae598e95dc970b74767f19372d61af8",
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8 fixed the task-9fceb02d0ae598e95dc970b747",
    "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
    "ISBN 978-3-16-148410-0",
    "a risk-based plan",
    "a risk-averse-and-very-carefully-considered-plan-for-2026",
    "risk-internationalisationcommittee2026",
    "sk-learn, task-force, desk-bound, ask-me-anything-about-all-of-these-things",
    "api_key: read it from the environment",
    "password: ask Anna; token=none; secret_name",
    "aGVsbG8gd29ybGQgdGhpcyBpcyBiYXNlNjQgYW5kIGl0IGlzIGxvbmc=",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "docker://alpine:3.18@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "20260314:9fceb02d0ae598e95dc970b74767f19372d61af8",
    "https://example.com/a?b=c@d#e",
    "https://user@example.com/",
    "ssh://git@host:22/team/x@y",
    "git@github.com:encode/starlette.git",
    "user@host",
    "http://localhost:8080/a@b",
    "http://localhost:8080?next=a@b",
    '{"url":"http://svc:80","owner":"anna@example.com"}',
    "mongodb://h1:27017,h2:27017/db?x=a@b",
    "postgres://app:${DB_PASSWORD}@db/x and postgres://app:$DB_PASSWORD@db/x",
    "postgres://app:{password}@db/x, postgres://app:***@db/x, postgres://app:<password>@db/x",
    "at 12:30@home, ratio 3:4, a::b",
    "the line BEGIN PRIVATE KEY, without its dashes",
    "-----BEGIN CERTIFICATE-----\n" + BASE64_LINE + "\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\n" + BASE64_LINE + "\n-----END PUBLIC KEY-----",
    "-----END PRIVATE KEY-----",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0b anna@laptop",
    "heyJudeTheBeatles.live.flac and eyJ.a.b and eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0",
    "xoxo-with-love-2026",
    "NotificationSettingsAdapter.module.AnotherVeryLongClassNameIsHere",
    "/var/lib/AKIA/readme, ghp_short, npm_config_registry, hf_home, hvs.txt",
    "[redacted private-key] and [redacted url-password]@db",
)
"""Texts that must stay to the byte."""
