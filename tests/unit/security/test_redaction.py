"""Keys and passwords are taken out of lines; other words stay."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.security.redaction import redacted

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
