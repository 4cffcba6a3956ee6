"""Slack's events, signs, words and refusals, without a server."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
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
from moltbot_desktop.extensions.slack.events import (
    Began,
    Goodbye,
    Hello,
    Me,
    Said,
    Told,
    began_with,
    envelope_of,
    read_command,
    read_event,
    read_frame,
)
from moltbot_desktop.extensions.slack.mrkdwn import names, people_in, readable, without_our_name
from moltbot_desktop.extensions.slack.refusals import Refusal
from moltbot_desktop.extensions.slack.settings import Settings, settings_from
from moltbot_desktop.sdk.channels import Peer, PeerKind, Quoted, Sender
from moltbot_desktop.sdk.emoji_names import name_of

ME = Me("UBOT", "molt", "T1")
NOW = datetime(2026, 11, 22, tzinfo=UTC)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)


def message(**more: object) -> dict[str, object]:
    written = {"type": "message", "user": "U42", "channel": "D42", "channel_type": "im"}
    return {"event": {**written, "ts": "1760000001.000100", "text": "hello", **more}}


def test_a_private_message_is_read() -> None:
    """https://docs.slack.dev/reference/events/message.im"""
    said = read_event(message(text="1 &lt; 2 &amp; 3"), ME)
    assert said is not None
    envelope = envelope_of(said, ME, {"U42": "Ada"}, NOW)
    assert envelope.text == "1 < 2 & 3" and envelope.sender.name == "Ada"
    assert envelope.peer == Peer(PeerKind.DM, "U42") and envelope.team_id == "T1"
    assert envelope.sent_at == datetime.fromtimestamp(1_760_000_001, UTC)


@pytest.mark.parametrize(
    "more",
    [
        {"bot_id": "B9"},
        {"user": "UBOT"},
        {"subtype": "message_changed"},
        {"subtype": "channel_join"},
        {"hidden": True},
        {"text": " "},
        {"ts": ""},
        {"user": 7},
        {"type": "reaction_added"},
    ],
)
def test_what_no_person_wrote_is_left_out(more: dict[str, object]) -> None:
    assert read_event(message(**more), ME) is None


def test_a_message_and_its_mention_are_one_in_one_room() -> None:
    """The second says not in what it was written:
    https://docs.slack.dev/reference/events/app_mention"""
    written = message(text="<@UBOT> hi", channel="C7", channel_type="channel")
    mention = message(text="<@UBOT> hi", channel="C7", channel_type=None, type="app_mention")
    first, second = (read_event(one, ME) for one in (written, mention))
    assert first == second and first is not None and first.to_us and not first.direct


def began(first: object, thread: str = "1.0") -> Began | None:
    said = Said("2.0", "U42", "C1", "yes", direct=False, thread=thread)
    return began_with({"ok": True, "messages": [first]}, said, ME)


def test_what_a_thread_began_with() -> None:
    """https://docs.slack.dev/reference/methods/conversations.replies"""
    said = Said("2.0", "U42", "C1", "yes", direct=False, thread="1.0")
    first = began({"ts": "1.0", "user": "U7", "text": "tea <@U9> &amp; cake?"})
    assert first is not None and first.people == {"U7", "U9"}
    told = envelope_of(said, ME, {"U7": "Ben", "U9": "Cy"}, NOW, first)
    assert told.quoted == Quoted("tea @Cy & cake?", Sender("U7", "Ben", "Ben"))
    ours = began({"ts": "1.0", "user": "UBOT", "bot_id": "B1", "text": "Tea."})
    quoted = envelope_of(said, ME, {}, NOW, ours).quoted
    assert quoted is not None and quoted.ours
    assert began({"ts": "1.0", "bot_id": "B9", "text": "built"}) == Began("B9", "built")
    for other in ({"ts": "9.0", "user": "U7", "text": "x"}, {"ts": "1.0", "user": "U7"}, {}):
        assert began(other) is None


@given(JSON)
def test_no_thread_breaks_the_reader(first: object) -> None:
    found = began(first)
    assert found is None or found.user


def test_files_keep_no_address() -> None:
    about = {"id": "F1", "name": "tea.png", "mimetype": "image/png", "size": 9}
    said = read_event(message(text="", subtype="file_share", files=[about, {"id": 3}]), ME)
    assert said is not None
    [file] = said.files
    assert (file.ref, file.name, file.media_type, file.size) == ("F1", "tea.png", "image/png", 9)


def test_a_command_of_slacks_is_one_of_ours() -> None:
    given_by = {"user_id": "U42", "channel_id": "C7", "trigger_id": "1.2.abc"}
    said = read_command({**given_by, "text": "status"})
    assert said is not None and (said.raw, said.to_us, said.direct) == ("/status", True, False)
    empty = read_command({**given_by, "text": ""})
    assert empty is not None and empty.raw == "/help"
    assert read_command({"text": "status"}) is None


def test_frames_of_the_line() -> None:
    """https://docs.slack.dev/apis/events-api/using-socket-mode"""
    assert read_frame('{"type": "hello"}') == Hello()
    assert read_frame('{"type": "disconnect", "reason": "warning"}') == Goodbye("warning")
    told = {"envelope_id": "e1", "type": "events_api", "payload": {"a": 1}}
    assert read_frame(json.dumps(told)) == Told("e1", "events_api", {"a": 1})
    assert read_frame("[1]") is None and read_frame("{") is None and read_frame("{}") is None


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.sampled_from(list(message()["event"])), JSON))  # type: ignore[call-overload]
def test_no_event_breaks_the_reader(event: dict[str, object]) -> None:
    said = read_event(message(**event), ME)
    if said is not None:
        envelope_of(said, ME, {}, NOW).text.encode()


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="<>@#!|&;aU4/ \n:", max_size=60))
def test_no_text_breaks_the_reader(text: str) -> None:
    assert len(readable(text, {})) <= 2 * len(text) + 3
    assert "&amp;" in text or readable(text, {}) == readable(text, {"U0": "nobody"})


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("<@U42> and <@U43|eve> and <@U44>", "@ada and @eve and @U44"),
        ("<#C7|tea> <#C8>", "#tea #C8"),
        ("<!here> <!subteam^S1|@team> <!date^1^x|today>", "@here @team today"),
        (
            "<https://a.example|this> <https://b.example>",
            "this (https://a.example) https://b.example",
        ),
        ("<http://a.example|a.example>", "http://a.example"),
        ("<mailto:a@b.example|a@b.example>", "a@b.example"),
        ("&amp;lt; &lt;b&gt;", "&lt; <b>"),
    ],
)
def test_slacks_signs_are_taken_off(written: str, read: str) -> None:
    """https://docs.slack.dev/messaging/formatting-message-text"""
    assert readable(written, {"U42": "ada"}) == read


def test_our_name_before_a_command_is_no_part_of_it() -> None:
    assert without_our_name(" <@UBOT> /status now", "UBOT") == "/status now"
    assert without_our_name("<@UBOT> hi", "UBOT") == "<@UBOT> hi"
    assert names("<@UBOT|molt>?", "UBOT") and not names("@UBOT", "UBOT") and not names("", "")
    assert list(people_in("<@U42> <@U43|x> <#C1>")) == ["U42", "U43"]


@pytest.mark.parametrize(
    ("emoji", "name"),
    [("👀", "eyes"), ("❤️", "heart"), ("👍🏽", "+1"), (":tada:", "tada"), ("eyes", "eyes")],
)
def test_reactions_have_names(emoji: str, name: str) -> None:
    assert name_of(emoji) == name
    assert name_of("🛞") is None and name_of("") is None and name_of("a b") is None


@pytest.mark.parametrize(
    ("refusal", "error", "words"),
    [
        (Refusal("invalid_auth"), ChannelAuthFailed, "bot token"),
        (Refusal("account_inactive"), ChannelAuthFailed, "account_inactive"),
        (Refusal("not_allowed_token_type", by_app=True), ChannelAuthFailed, "app token"),
        (Refusal("missing_scope", needed="files:read"), ChannelRefused, "files:read"),
        (Refusal("ratelimited", retry_after=3), ChannelRateLimited, "pause"),
        (Refusal("msg_too_long"), ChannelTooLong, "longer"),
        (Refusal("message_not_found"), ChannelNotFound, "message_not_found"),
        (Refusal("not_in_channel"), ChannelRefused, "member"),
        (Refusal("internal_error"), ChannelError, "trouble"),
        (Refusal("what_is\nthis"), ChannelRefused, "what_isthis"),
    ],
)
@pytest.mark.parametrize("language", list(Language))
def test_refusals_say_what_to_do(
    refusal: Refusal, error: type[ChannelError], words: str, language: Language
) -> None:
    made = refusal.as_error(language)
    assert type(made) is error
    if language is Language.ENGLISH:
        assert words in str(made)
    if isinstance(made, ChannelAuthFailed) or refusal.is_scope:
        assert made.hint


def test_the_token_goes_to_slack_alone() -> None:
    live = settings_from({"botToken": " xoxb-1 ", "appToken": "xapp-1", "mediaMaxMb": 2})
    assert (live.bot_token, live.most, live.host) == ("xoxb-1", 2_000_000, "slack.com")
    assert "xoxb" not in repr(live) and "xapp" not in repr(live)
    assert live.is_slacks("https://files.slack.com/files-pri/T1-F1/a.png")
    for address in (
        "http://files.slack.com/a",
        "https://slack.com.evil.example/a",
        "https://evilslack.com/a",
        "https://slack.com@evil.example/a",
        "https://[broken/a",
        "",
    ):
        assert not live.is_slacks(address)
    here = Settings("b", "a", root="http://127.0.0.1:80/api")
    assert here.is_slacks("http://127.0.0.1:80/files/1")
    assert not here.is_slacks("http://127.0.0.1:81/files/1")
