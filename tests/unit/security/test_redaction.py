"""Keys and passwords are taken out of lines; other words stay."""

from __future__ import annotations

from pydoc_data.topics import topics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.security.redaction import holds_key, redacted

# Put together here, so that no scanner of this repository takes them for real ones.
LONG = "AAHq9vQxk2Jd" * 3
HALF_HIDDEN = f"{LONG[:6]}…{LONG[-4:]}"


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("password=hunter2", "password=***"),
        ('{"botToken": "abc", "user": "anna"}', '{"botToken": "***", "user": "anna"}'),
        ("api_key: sesame", "api_key: ***"),
        (f"OPENAI_API_KEY={LONG} was read", f"OPENAI_API_KEY={HALF_HIDDEN} was read"),
        (f"Authorization: Bearer {LONG}", f"Authorization: Bearer {HALF_HIDDEN}"),
        ("GET https://anna:sesame@example.org/x", "GET https://anna:***@example.org/x"),
        (f"sent with sk-{LONG}.", f"sent with sk-AAH…{LONG[-4:]}."),
        (f"bot 8134567:{LONG}", f"bot 813456…{LONG[-4:]}"),
        ("密码 secret=芝麻开门 完", "密码 secret=*** 完"),
    ],
)
def test_a_key_is_hidden(line: str, shown: str) -> None:
    assert redacted(line) == shown


@pytest.mark.parametrize(
    "line",
    [
        "12 tokens in 3 s",
        "the model file was read in 1.2 s",
        "2026-01-05 12:00:00,000 INFO moltbot_desktop.app: started",
        "https://example.org:8080/path",
    ],
)
def test_other_words_stay(line: str) -> None:
    assert redacted(line) == line


@given(st.text("xyz :=/@\n.'", max_size=60), st.text("abcdef0123456789", min_size=18, max_size=60))
def test_no_named_key_comes_through(before: str, key: str) -> None:
    assert key not in redacted(f"{before} token={key}")


HEX = "0123456789abcdef" * 4
# One of each kind that is known by its form: what it begins with, and what comes then.
KINDS = [
    *[("sk-", LONG), ("sk-ant-api03-", LONG), ("ghp_", LONG), ("gho_", LONG), ("ghs_", LONG)],
    *[("ghu_", LONG), ("github_pat_", LONG), ("xoxb-", LONG), ("xoxp-", LONG), ("xapp-", LONG)],
    *[("AIza", LONG), ("AKIA", "Q2W3E4R5T6Y7U8I9"), ("ASIA", "Q2W3E4R5T6Y7U8I9"), ("hf_", LONG)],
    *[("gsk_", LONG), ("glpat-", LONG), ("sk_live_", LONG), ("rk_test_", LONG), ("whsec_", LONG)],
    *[("npm_", LONG), ("pypi-", LONG * 2), ("SG.", f"{LONG[:20]}.{LONG}"), ("GOCSPX-", LONG)],
    *[("ya29.", LONG), ("dop_v1_", HEX), ("hvs.", LONG), ("shpat_", HEX[:32]), ("lin_api_", LONG)],
    *[("ntn_", LONG), ("dapi", HEX[:32]), ("PMAK-", f"{HEX[:24]}-{HEX[:34]}"), ("xai-", LONG * 2)],
    *[("AGE-SECRET-KEY-1", LONG.upper() * 2), ("pplx-", LONG * 2), ("r8_", LONG), ("syt_", LONG)],
    *[("tvly-", LONG), ("M", f"{LONG[:24]}.{LONG[:6]}.{LONG}"), ("8134567:", LONG)],
    ("eyJ", f"{LONG}.{LONG}.{LONG}"),
]


@pytest.mark.parametrize(("begins", "goes_on"), KINDS)
def test_a_key_of_each_known_kind_is_hidden_wherever_it_stands(begins: str, goes_on: str) -> None:
    key = begins + goes_on
    assert holds_key(f"it is {key}")
    for line in (
        key,
        f"used {key}, then",
        f'["{key}"]',
        f"?q={key}&b=1",
        f"用 {key}。",
        f"\n{key}\n",
    ):
        shown = redacted(line)
        assert key not in shown
        assert goes_on[6:-4] not in shown


@pytest.mark.parametrize(
    "name",
    [
        *("AWS_SECRET_ACCESS_KEY", "access_key", "AccountKey", "secret-key", "client_secret"),
        *("refresh_token", "PASSWORD", "db_passwd", "private_key", "encryptKey_encryption_key"),
    ],
)
def test_what_is_named_a_secret_is_hidden(name: str) -> None:
    for line in (f"{name}={LONG}", f'"{name}": "{LONG}"', f"{name}: '{LONG}'", f"{name} = {LONG}"):
        assert LONG not in redacted(line)


def test_a_private_key_is_hidden_over_its_lines() -> None:
    lines = "\n".join([LONG] * 5)
    around = ("-----BEGIN OPENSSH PRIVATE" + " KEY-----", "-----END OPENSSH PRIVATE" + " KEY-----")
    shown = redacted(f"{around[0]}\n{lines}\n{around[1]} rest")
    assert LONG not in shown
    assert shown.endswith(f"{around[1]} rest")


@pytest.mark.parametrize("host", ["hooks.slack.com/services", "discord.com/api/webhooks"])
def test_an_address_that_anybody_can_post_to_is_hidden(host: str) -> None:
    assert LONG not in redacted(f"to https://{host}/12345678/{LONG}")


def test_of_ordinary_lines_at_most_one_in_a_hundred_is_touched() -> None:
    # The reference of the Python language: text that nobody here wrote.
    lines = [line for page in topics.values() for line in page.splitlines() if line.strip()]
    assert len(lines) > 5_000
    touched = [line for line in lines if redacted(line) != line]
    assert len(touched) <= len(lines) / 100, touched
    assert not any(map(holds_key, lines))
