"""Mattermost's events, posts, words, settings and refusals, without a server."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

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
from moltbot_desktop.extensions.mattermost.events import (
    Frame,
    Me,
    Person,
    Reply,
    addresses,
    envelope_of,
    person_of,
    read_frame,
    read_post,
    read_posted,
)
from moltbot_desktop.extensions.mattermost.history import LOOK_BACK_MS, SLACK_MS, since_of
from moltbot_desktop.extensions.mattermost.refusals import Refusal, wait_seconds
from moltbot_desktop.extensions.mattermost.settings import Settings, settings_from
from moltbot_desktop.extensions.mattermost.text import (
    calls_everybody,
    harmless,
    names,
    without_our_name,
    without_prefix,
)
from moltbot_desktop.extensions.mattermost.words import PHRASES
from moltbot_desktop.sdk.channels import Peer, PeerKind, RemoteFile
from tests.fakes.mattermost_server import ADA, ROOM, TEAM, ident

ME = Me(ident("bot"), "molt")
USUAL = Settings("t", "https://chat.example.com")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
_FIELDS = (
    "id user_id channel_id root_id original_id message type props file_ids metadata create_at"
    " delete_at"
).split()


def post(**more: object) -> dict[str, Any]:
    usual = {"id": ident("p"), "user_id": ADA, "channel_id": ROOM, "create_at": 1_795_000_000_123}
    return {**usual, "message": "hello", "type": "", "props": {}, **more}


def posted(channel_type: str = "O", mentions: object = None, **more: object) -> dict[str, Any]:
    data = {"channel_type": channel_type, "post": json.dumps(post(**more)), "team_id": TEAM}
    told = {} if mentions is None else {"mentions": json.dumps(mentions)}
    return {**data, "sender_name": "@ada", **told}


def test_a_message_in_a_room_is_read() -> None:
    """https://api.mattermost.com/#tag/WebSocket"""
    said = read_posted(posted(root_id=ident("root"), message="ask @molt."))
    assert said is not None
    envelope = envelope_of(said, ME, USUAL, Person("ada", "Ada"), to_us=True)
    assert envelope.text == "ask @molt." and envelope.mentioned is True
    assert (envelope.sender.id, envelope.sender.name, envelope.sender.username) == (
        ADA,
        "Ada",
        "ada",
    )
    assert envelope.peer == Peer(PeerKind.CHANNEL, ROOM) and envelope.team_id == TEAM
    assert envelope.thread_id == ident("root")
    assert envelope.sent_at == datetime.fromtimestamp(1_795_000_000.123, UTC)


@pytest.mark.parametrize(
    ("letter", "peer"),
    [
        ("D", Peer(PeerKind.DM, ADA)),
        ("G", Peer(PeerKind.GROUP, ROOM)),
        ("P", Peer(PeerKind.CHANNEL, ROOM)),
        ("O", Peer(PeerKind.CHANNEL, ROOM)),
    ],
)
def test_kinds_of_rooms(letter: str, peer: Peer) -> None:
    """https://api.mattermost.com/#tag/channels"""
    said = read_posted(posted(letter))
    assert said is not None
    assert envelope_of(said, ME, USUAL, None, to_us=False).peer == peer
    assert envelope_of(said, ME, USUAL, None, to_us=False).sender.username == "ada"


@pytest.mark.parametrize(
    "more",
    [
        {"type": "system_join_channel"},
        {"type": "custom_calls"},
        {"delete_at": 5},
        {"original_id": ident("older")},
        {"props": {"from_webhook": "true"}},
        {"props": {"from_bot": "true"}},
        {"props": {"from_plugin": True}},
        {"message": "  "},
        {"id": "../../x"},
        {"user_id": ""},
    ],
)
def test_what_no_person_wrote_is_left_out(more: dict[str, Any]) -> None:
    """https://api.mattermost.com/#tag/posts"""
    assert read_posted(posted(**more)) is None
    assert read_posted(posted()) is not None


def test_files_are_named_with_what_is_known_of_them() -> None:
    about = {"id": ident("f"), "name": "a.png", "mime_type": "image/png; x=1", "size": 7}
    said = read_post(
        post(message="", file_ids=[ident("f"), ident("g"), "no id"], metadata={"files": [about]}),
        PeerKind.DM,
    )
    assert said is not None
    assert said.files == (
        RemoteFile(ident("f"), "a.png", "image/png", 7),
        RemoteFile(ident("g"), "file", "", 0),
    )


def test_frames() -> None:
    """https://api.mattermost.com/#tag/WebSocket"""
    assert read_frame('{"event": "hello", "seq": 0, "data": {}}') == Frame("hello", 0, {})
    assert read_frame('{"event": "typing"}') == Frame("typing", -1, {})
    assert read_frame('{"status": "OK", "seq_reply": 1}') == Reply(True)
    assert read_frame('{"status": "FAIL", "seq_reply": 1, "error": {}}') == Reply(False)
    assert read_frame("[]") is None and read_frame("{") is None


@given(st.text(max_size=40) | JSON.map(json.dumps))
def test_no_frame_breaks_it(raw: str) -> None:
    read_frame(raw)


@settings(max_examples=300)
@given(st.dictionaries(st.sampled_from(_FIELDS), JSON, max_size=6), JSON)
def test_no_post_breaks_it(more: dict[str, Any], mentions: object) -> None:
    said = read_posted(posted(mentions=mentions, **more))
    if said is not None:
        envelope_of(said, ME, USUAL, None, to_us=addresses(said, ME, USUAL))
        json.dumps(said.raw).encode()


@pytest.mark.parametrize(
    ("text", "mentions", "named"),
    [
        ("@molt hello", None, True),
        ("hello @Molt.", None, True),
        ("(@molt)", None, True),
        ("@molt.er hello", None, False),
        ("@moltke hello", None, False),
        ("a@molt.example", None, False),
        ("molt hello", None, False),
        ("my keyword", [ME.id], True),
        ("@all my keyword", [ME.id], False),
        ("@here", [ME.id], False),
        ("hello", [ADA], False),
        ("hello", {"x": 1}, False),
    ],
)
def test_whom_a_message_names(text: str, mentions: object, named: bool) -> None:
    """https://docs.mattermost.com/collaborate/mention-people.html"""
    said = read_posted(posted(message=text, mentions=mentions))
    assert said is not None and addresses(said, ME, USUAL) is named


@pytest.mark.parametrize(
    ("mode", "answered"),
    [
        ({}, (False, False, True)),
        ({"chatmode": "oncall"}, (False, False, True)),
        ({"chatmode": "oncall", "requireMention": False}, (False, False, True)),
        ({"chatmode": "onmessage"}, (True, True, True)),
        ({"requireMention": False}, (True, True, True)),
        ({"chatmode": "onchar"}, (True, False, True)),
        ({"chatmode": "onchar", "oncharPrefixes": ["tw", " "]}, (False, True, True)),
    ],
)
def test_what_a_mode_answers(mode: dict[str, Any], answered: tuple[bool, ...]) -> None:
    """The names are the reference's."""
    own = settings_from({"botToken": "t", "baseUrl": "https://a.example", **mode})
    for text, wanted in zip(("!one", "two", "@molt three"), answered, strict=True):
        said = read_posted(posted(message=text))
        assert said is not None and addresses(said, ME, own) is wanted


def test_a_sign_is_taken_off_in_rooms_alone() -> None:
    own = Settings("t", "https://a.example", prefixes=("!",))
    for letter, text in (("O", "one"), ("D", "!one")):
        said = read_posted(posted(letter, message=" !one"))
        assert said is not None
        assert envelope_of(said, ME, own, None, to_us=True).text == text
    assert without_prefix("one", ("!",)) is None


def test_a_command_stands_behind_our_name() -> None:
    assert without_our_name(" @molt: /status now", "molt") == "/status now"
    assert without_our_name("@moltke /status", "molt") == "@moltke /status"
    assert without_our_name("@molt status", "molt") == "@molt status"
    assert without_our_name(" /status", "molt") == "/status"


@pytest.mark.parametrize(
    "text", ["@all", "@All!", "_@here_", "x @channel.", "(@all)", "`@all`", "@all@all x"]
)
def test_no_answer_calls_everybody(text: str) -> None:
    assert calls_everybody(text)
    assert not calls_everybody(harmless(text))


@pytest.mark.parametrize("text", ["x@all.com", "@allan", "@hereby", "@channels", "all"])
def test_other_names_stay(text: str) -> None:
    assert harmless(text) == text


def test_no_answer_loads_a_picture() -> None:
    assert harmless("a ![x](https://a.example/x.png)") == "a !\\[x](https://a.example/x.png)"
    code = "`vec![1]`\n```rs\nvec![1]\n```\n~~~\n![x](y)\n```\n![x](y)\n~~~"
    assert harmless(code) == code
    assert harmless("```a```\n![x](y)") == "```a```\n!\\[x](y)"
    assert harmless("```\n```py\n```\n![x](y)").endswith("!\\[x](y)")


@given(st.text(alphabet="@!([]`~\n allhere_.x", max_size=30))
def test_whatever_is_written_calls_nobody(text: str) -> None:
    assert not calls_everybody(harmless(text))


@given(st.text(max_size=60), st.text(max_size=10))
def test_names_of_all_kinds_are_looked_for(text: str, name: str) -> None:
    names(text, name)
    without_our_name(text, name)


@pytest.mark.parametrize(
    ("refusal", "kind"),
    [
        (Refusal(401, "api.context.session_expired.app_error"), ChannelAuthFailed),
        (Refusal(429, retry_after=3.0), ChannelRateLimited),
        (Refusal(400, "model.post.is_valid.message_length.app_error"), ChannelTooLong),
        (Refusal(413), ChannelTooLong),
        (Refusal(404), ChannelNotFound),
        (Refusal(400, "api.post.update_post.permissions_time_limit.app_error"), ChannelNotFound),
        (Refusal(403, "api.context.permissions.app_error"), ChannelRefused),
        (Refusal(400, "x"), ChannelRefused),
        (Refusal(501), ChannelRefused),
        (Refusal(500, "api.post.deduplicate_create_post.pending"), ChannelError),
    ],
)
def test_what_a_refusal_means(refusal: Refusal, kind: type[ChannelError]) -> None:
    """https://api.mattermost.com/#tag/errors"""
    for language in Language:
        error = refusal.as_error(language)
        assert type(error) is kind and len(str(error)) > 5
    if isinstance(error := refusal.as_error(Language.ENGLISH), ChannelRateLimited):
        assert error.retry_after == 3.0


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"X-Ratelimit-Reset": "5"}, 5.0),
        ({"X-Ratelimit-Reset": "1795000007"}, 7.0),
        ({"X-Ratelimit-Reset": "1794000000"}, 0.0),
        ({"Retry-After": "2", "X-Ratelimit-Reset": "9"}, 2.0),
        ({"X-Ratelimit-Reset": "99999"}, 3600.0),
        ({"X-Ratelimit-Reset": "-1"}, None),
        ({"X-Ratelimit-Reset": "9" * 40}, None),
    ],
)
def test_how_long_a_pause_is(headers: dict[str, str], seconds: float | None) -> None:
    """https://api.mattermost.com/#tag/rate-limiting"""
    assert wait_seconds(headers, 1_795_000_000.0) == seconds


def test_where_it_is_read_on() -> None:
    now = 1_795_000_000_000
    assert since_of("", 7, now) == since_of("x", 7, now) == since_of("9" * 20, 7, now) == 7
    assert since_of(str(now - 5), 7, now) == now - 5 - SLACK_MS
    assert since_of("5", 7, now) == now - LOOK_BACK_MS


def test_settings_are_read() -> None:
    raw: dict[str, Any] = {
        "botToken": " t ",
        "baseUrl": "https://a.example/chat/api/v4/",
        "mediaMaxMb": 0.5,
    }
    own = settings_from(raw)
    assert own.root == "https://a.example/chat/api/v4" and own.host == "a.example"
    assert own.token == "t" and own.most == 500_000 and "t" not in repr(own).split("'")


def test_people_have_names() -> None:
    raw = {"id": ADA, "username": "ada", "first_name": "Ada", "last_name": "L", "nickname": " "}
    assert person_of(raw) == Person("ada", "Ada L")
    assert person_of({**raw, "nickname": "A", "is_bot": True}) == Person("ada", "A", True)
    assert person_of({}) == Person()


def test_every_sentence_is_there_in_both_languages() -> None:
    assert set(PHRASES.english) == set(PHRASES.chinese)
