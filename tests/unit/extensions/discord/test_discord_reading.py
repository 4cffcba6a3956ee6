"""Discord's texts, places to read on from, and settings, as pure functions see them."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.extensions.discord.cursor import Cursor, snowflake_at
from moltbot_desktop.extensions.discord.settings import settings_from
from moltbot_desktop.extensions.discord.text import Names, readable

NAMES = Names("9", {"7": "Ada", "9": "Molt"}, {"3": "helpers"}, {"5": "plans"})
DAY = 86_400


def test_numbers_become_names() -> None:
    said = "<@7> <@!7> <@&3> <#5> <:party:123> <a:dance:4> </new:8> <@1> a < b"
    assert readable(said, NAMES) == "@Ada @Ada @helpers #plans :party: :dance: /new <@1> a < b"


def test_a_message_that_begins_with_our_name_is_what_stands_behind_it() -> None:
    assert readable("<@9> /status", NAMES) == "/status"
    assert readable(" <@!9>, what now?", NAMES) == "what now?"
    assert readable("ask <@9> please", NAMES) == "ask @Molt please"
    assert readable("<@9>", NAMES) == ""


@given(st.text(alphabet="<>@#!&:/a9 好", max_size=60))
@settings(max_examples=200)
def test_any_text_is_read(said: str) -> None:
    assert len(readable(said, NAMES)) <= len(said) + said.count("<") * 10


def test_a_cursor_is_what_was_written_down() -> None:
    cursor = Cursor().after(20, direct=7).after(10, direct=8).after(30, direct=7).after(25)
    assert cursor == Cursor(30, (8, 7))
    assert Cursor.read(str(cursor)) == cursor
    assert Cursor.read("") == Cursor.read("nothing") == Cursor.read("9" * 30) == Cursor()


@given(st.text(max_size=30))
@settings(max_examples=100)
def test_any_cursor_is_read(kept: str) -> None:
    again = Cursor.read(kept)
    assert Cursor.read(str(again)) == again


def test_only_the_last_private_rooms_are_remembered() -> None:
    cursor = Cursor()
    for number in range(1, 80):
        cursor = cursor.after(number, direct=number)
    assert cursor.talks == tuple(range(30, 80))


def test_it_looks_back_a_minute_behind_the_last_and_a_day_at_most() -> None:
    now = 1_780_000_000.0
    assert Cursor().since(now) == 0
    last = snowflake_at(now - 10)
    assert Cursor(last).since(now) == snowflake_at(now - 70)
    assert Cursor(snowflake_at(now - 3 * DAY)).since(now) == snowflake_at(now - DAY)
    assert snowflake_at(0) == 0


def test_a_token_may_be_written_as_it_is_sent() -> None:
    found = settings_from({"token": " Bot abc ", "proxy": "http://u:p@h", "mediaMaxMb": 2})
    assert (found.token, found.most) == ("abc", 2_000_000)
    assert "abc" not in repr(found) and "u:p" not in repr(found)
