"""The small decisions of the Telegram channel: refusals, cursors, what is sent how."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.core.errors import (
    ChannelAuthFailed,
    ChannelError,
    ChannelNotFound,
    ChannelRateLimited,
    ChannelRefused,
    ChannelTooLong,
)
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.extensions.telegram.client import Result, read_reply, settings_from
from moltbot_desktop.extensions.telegram.cursor import Cursor, day_of
from moltbot_desktop.extensions.telegram.outgoing import (
    bare,
    caption,
    menu,
    method_for,
    place,
    reaction,
    tied,
    wording,
)
from moltbot_desktop.extensions.telegram.polling import Conflicts, KnownWords
from moltbot_desktop.extensions.telegram.refusals import Refusal
from moltbot_desktop.extensions.telegram.updates import Update
from moltbot_desktop.plugins.config_check import check_config
from moltbot_desktop.plugins.manifest import read_manifest
from moltbot_desktop.sdk.channel_abilities import Markup
from moltbot_desktop.sdk.channels import (
    Attachment,
    DeliveryTarget,
    Envelope,
    OutboundMessage,
    Peer,
    PeerKind,
    Sender,
)
from moltbot_desktop.sdk.markup import rendered
from moltbot_desktop.sdk.plugins import ListedCommand
from tests.fakes.telegram_server import TOKEN, parsed

MANIFEST = Path(__file__).parents[4] / "moltbot_desktop/extensions/telegram/moltbot.plugin.json"
CLUB = DeliveryTarget("telegram", peer=Peer(PeerKind.GROUP, "-100"))


@pytest.mark.parametrize(
    ("status", "reason", "kind"),
    [
        (401, "Unauthorized", ChannelAuthFailed),
        (404, "Not Found", ChannelAuthFailed),
        (404, "Not Found: method not found", ChannelRefused),
        (403, "Forbidden: bot was blocked by the user", ChannelRefused),
        (400, "Bad Request: message is too long", ChannelTooLong),
        (400, "Bad Request: message caption is too long", ChannelTooLong),
        (400, "Bad Request: chat not found", ChannelNotFound),
        (400, "Bad Request: message can't be edited", ChannelNotFound),
        (400, "Bad Request: file is too big", ChannelRefused),
        (409, "Conflict: terminated by other getUpdates request", ChannelRefused),
        (409, "Conflict: can't use getUpdates method while webhook is active", ChannelRefused),
        (429, "Too Many Requests: retry after 7", ChannelRateLimited),
        (500, "Internal Server Error", ChannelError),
        (502, "Bad Gateway", ChannelError),
    ],
)
@pytest.mark.parametrize("language", list(Language))
def test_what_is_refused_is_told_and_decides_what_follows(
    status: int, reason: str, kind: type[ChannelError], language: Language
) -> None:
    error = Refusal(status, reason, retry_after=7.0).as_error(language)
    assert type(error) is kind and len(error.message) > 5
    if isinstance(error, ChannelRateLimited):
        assert error.retry_after == 7.0
    chinese = bool(re.search("[\u4e00-\u9fff]", error.message))
    assert chinese is (language is Language.CHINESE)


def test_an_answer_has_a_form() -> None:
    assert read_reply(200, b'{"ok": true, "result": [1]}') == Result([1])
    body = b'{"ok": false, "error_code": 429, "description": "x", "parameters": {"retry_after": 3}}'
    assert read_reply(429, body) == Refusal(429, "x", 3.0)
    for page in (b"<html>", b"[]", b"{}", b"\xff", b'{"ok": 1}', b"[" * 100_000):
        assert read_reply(200, page) is None


@given(st.binary(max_size=80))
def test_any_bytes_can_be_an_answer(body: bytes) -> None:
    read_reply(200, body)


def test_a_cursor_belongs_to_one_bot_and_grows_old() -> None:
    kept = str(Cursor(7, 1001, 500))
    assert Cursor.read(kept, bot=7, day=500).next == 1001
    assert Cursor.read(kept, bot=7, day=505).next == 1001
    # After a week Telegram goes on with any number: https://core.telegram.org/bots/api#update
    assert Cursor.read(kept, bot=7, day=506).next == 0
    assert Cursor.read(kept, bot=8, day=500).next == 0
    for other in ("", "x", "1:2", "7:-1:500", "7:²:500", "7:1:500:1"):
        assert Cursor.read(other, bot=7, day=500) == Cursor(7)
    assert day_of(86_400 * 3 + 5) == 3


def test_where_a_message_goes() -> None:
    assert place(CLUB) == {"chat_id": -100}
    assert place(replace(CLUB, thread_id="7")) == {"chat_id": -100, "message_thread_id": 7}
    # The general topic has a number that only the sign for typing may name.
    general = replace(CLUB, thread_id="1")
    assert place(general) == {"chat_id": -100}
    assert place(general, typing=True) == {"chat_id": -100, "message_thread_id": 1}
    for nowhere in ("", "@club", "--1", "1e5", "²", "9" * 20):
        assert place(DeliveryTarget("telegram", peer=Peer(PeerKind.DM, nowhere))) is None
    assert place(DeliveryTarget("telegram")) is None


def test_what_a_message_says() -> None:
    message = OutboundMessage(CLUB, "<b>hi</b>", "5e77", markdown="**hi**")
    said = wording(message, as_html=True)
    assert (said["text"], said["parse_mode"]) == ("<b>hi</b>", "HTML")
    # No server is told that somebody reads its address: R7 of the policy.
    assert said["link_preview_options"] == {"is_disabled": True}
    plain = wording(message, as_html=False)
    assert plain["text"] == "hi" and "parse_mode" not in plain
    assert tied(message) == {
        "reply_parameters": {"message_id": 5, "allow_sending_without_reply": True}
    }
    assert tied(replace(message, reply_to="")) == {}
    assert bare(OutboundMessage(CLUB, "as it is")) == "as it is"
    assert bare(OutboundMessage(CLUB, "", markdown="[a]: x")) == "[a]: x"


def test_words_under_a_file_have_a_limit() -> None:
    assert caption(OutboundMessage(CLUB, "😀" * 512)) == "😀" * 512
    assert caption(OutboundMessage(CLUB, "😀" * 513)) is None


@pytest.mark.parametrize(
    ("name", "kind", "method"),
    [
        ("a.png", "image/png", "sendPhoto"),
        ("a.JPG", "", "sendPhoto"),
        ("a.gif", "image/gif", "sendDocument"),
        ("a.svg", "image/svg+xml", "sendDocument"),
        ("a.ogg", "", "sendVoice"),
        ("plan.pdf", "application/pdf", "sendDocument"),
    ],
)
def test_files_go_as_what_they_are(name: str, kind: str, method: str) -> None:
    assert method_for(Attachment(Path("/") / name, name, kind))[0] == method


def test_a_reaction_has_no_mark_for_colours() -> None:
    assert reaction("❤️", remove=False) == {"reaction": [{"type": "emoji", "emoji": "❤"}]}
    assert reaction("❤️", remove=True) == {"reaction": []}


def test_the_menu_takes_what_telegram_takes() -> None:
    """https://core.telegram.org/bots/api#botcommand"""
    commands = [ListedCommand("status", "how it stands"), ListedCommand("re-do", "x")]
    commands += [ListedCommand("empty", " "), ListedCommand("LOUD", "x")]
    shown = menu(commands)["commands"]
    assert shown == [{"command": "status", "description": "how it stands"}]
    many = menu([ListedCommand(f"c{n}", "x" * 900) for n in range(300)])["commands"]
    assert isinstance(many, list) and len(many) == 100
    assert all(len(one["description"]) == 256 for one in many)


def test_one_conflict_goes_by_and_many_do_not() -> None:
    conflicts = Conflicts()
    assert [conflicts.too_many(at) for at in (0.0, 10.0, 20.0)] == [False] * 3
    assert conflicts.too_many(30.0)
    assert not conflicts.too_many(500.0)


def test_an_edit_counts_where_the_words_are_known_to_be_others() -> None:
    def said(text: str, number: str = "1", *, edited: bool = False) -> Update:
        sender, peer = Sender("42"), Peer(PeerKind.DM, "42")
        moment = datetime(2026, 1, 1, tzinfo=UTC)
        return Update(1, Envelope("telegram", number, sender, text, moment, peer=peer), "", edited)

    known = KnownWords()
    assert known.is_new(said("hello"))
    assert not known.is_new(said("hello", "1e5", edited=True))
    assert known.is_new(said("hello!", "1e6", edited=True))
    assert not known.is_new(said("what was it?", "9e5", edited=True))
    for number in range(600):
        known.is_new(said("x", str(number + 100)))
    assert not known.is_new(said("changed long ago", "1e9", edited=True))


def test_settings_are_held_to_https_or_this_computer() -> None:
    [config] = read_manifest(MANIFEST, Language.ENGLISH).channel_configs.values()

    def mistakes(**more: object) -> list[str]:
        checked = check_config(config.schema, {"botToken": TOKEN, **more}, Language.ENGLISH)
        return [one.path for one in checked.mistakes]

    for good in (
        "https://api.telegram.org",
        "http://127.0.0.1:8081",
        "http://localhost",
        "http://[::1]:1/x",
    ):
        assert not mistakes(apiRoot=good), good
    for bad in (
        "http://api.telegram.org",
        "http://127.0.0.1.evil.example",
        "http://localhost@evil.example",
        "http://127.0.0.1:80@evil.example",
        "ftp://127.0.0.1",
        "https://",
        "https://a b",
        "",
    ):
        assert mistakes(apiRoot=bad), bad
    assert mistakes(botToken="") and mistakes(mediaMaxMb=0) and mistakes(proxy="socks5://x")


def test_settings_print_no_key() -> None:
    raw = {
        "botToken": TOKEN,
        "apiRoot": "https://api.telegram.org/",
        "proxy": "http://me:canary@127.0.0.1:1",
        "mediaMaxMb": 2,
        "replaceWebhook": False,
    }
    settings = settings_from(raw)
    assert (settings.root, settings.most) == ("https://api.telegram.org", 2_000_000)
    assert "canary" not in repr(settings)


SIGNS = '** * _ ~~ ` ```\n >  -  1.  #  <b> </x> & \\ <!-- " word 你好 😀'.split(" ")
PARTS = (
    "[a](https://a.example/?a=1&b=2)",
    "![p](https://b.example/x.png)",
    "|a|b|\n|-|-|\n|1|2|\n",
    "\n",
    "\n\n",
    " ",
)
MARKDOWN = st.lists(st.sampled_from((*SIGNS, *PARTS)), max_size=20).map("".join)


@given(MARKDOWN)
def test_whatever_the_assistant_writes_has_tags_that_telegram_reads(text: str) -> None:
    """https://core.telegram.org/bots/api#html-style"""
    parsed(rendered(text, Markup.TELEGRAM_HTML))


def test_the_fake_reads_tags_as_strictly_as_telegram() -> None:
    """https://core.telegram.org/bots/api#html-style"""
    assert parsed('<b>a &lt;c&gt; &amp; <a href="https://x/?a=1&amp;b">d</a></b>') == "a <c> & d"
    for wrong in ("<b>", "</b>", "<b><i></b></i>", "<x>a</x>", "a < b", "<script>"):
        with pytest.raises(ValueError, match="tag"):
            parsed(wrong)
