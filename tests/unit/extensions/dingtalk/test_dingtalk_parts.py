"""DingTalk's pushes, messages, sessions, words and refusals, without a server."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

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
from moltbot_desktop.extensions.dingtalk.events import Session, Told, read_message
from moltbot_desktop.extensions.dingtalk.frames import ROBOT, Push, acknowledged, read_push
from moltbot_desktop.extensions.dingtalk.refusals import Refusal
from moltbot_desktop.extensions.dingtalk.sessions import Sessions
from moltbot_desktop.extensions.dingtalk.settings import Settings, settings_from
from moltbot_desktop.extensions.dingtalk.writing import (
    dressed,
    file,
    in_session,
    is_picture,
    markdown,
    picture,
    title,
)
from moltbot_desktop.sdk.channels import Peer, PeerKind

NOW = datetime(2026, 11, 22, tzinfo=UTC)
APP = {"clientId": "ding1", "clientSecret": "s"}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
KINDS = st.sampled_from(["text", "richText", "picture", "audio", "video", "file", "x"])


def message(kind: str = "text", content: object = None, **more: Any) -> Told | None:
    said: dict[str, Any] = {
        "msgId": "msgrK2xU+riw==",
        "conversationId": "cid6EUsg==",
        "conversationType": "1",
        "senderStaffId": "0147",
        "senderId": "$:LWCP_v1:$Bv1MhAv9",
        "senderNick": " Ada\nB ",
        "senderCorpId": "ding97",
        "createAt": 1_760_000_001_000,
        "chatbotUserId": "$:LWCP_v1:$robot",
        "sessionWebhook": "https://oapi.dingtalk.com/robot/sendBySession?session=66d7",
        "sessionWebhookExpiredTime": 1_760_005_401_000,
        "msgtype": kind,
        "text" if kind == "text" else "content": content,
    }
    return read_message({**said, **more}, NOW)


def read(kind: str = "text", content: object = None, **more: Any) -> Told:
    found = message(kind, content, **more)
    assert found is not None
    return found


def test_a_private_message_is_read() -> None:
    """https://open.dingtalk.com/document/development/robot-message-type"""
    told = read("text", {"content": " hello "})
    found = told.envelope
    assert found.text == "hello" and found.peer == Peer(PeerKind.DM, "0147")
    assert found.sender.name == "Ada B" and found.team_id == "ding97"
    assert found.sent_at == datetime.fromtimestamp(1_760_000_001, UTC) and found.mentioned is None
    assert told.session == Session(
        "https://oapi.dingtalk.com/robot/sendBySession?session=66d7", 1_760_005_401_000
    )


def test_in_a_group_we_are_named_or_not() -> None:
    """https://open.dingtalk.com/document/development/receive-message (`isInAtList`)"""
    room: dict[str, Any] = {"conversationType": "2", "conversationId": "cid77/a+b=="}
    named = read("text", {"content": " hi"}, isInAtList=True, **room).envelope
    assert named.mentioned is True and named.peer == Peer(PeerKind.GROUP, "cid77/a+b==")
    assert read("text", {"content": "hi"}, isInAtList=False, **room).envelope.mentioned is None
    assert read("text", {"content": " "}, isInAtList=True, **room).envelope.text == ""
    assert message("text", {"content": " "}, isInAtList=False, **room) is None


def test_times_are_numbers_or_texts() -> None:
    """The table of the document says text, its example has a number."""
    told = read("text", {"content": "a"}, createAt="1760000001000", sessionWebhookExpiredTime="9")
    assert told.envelope.sent_at == datetime.fromtimestamp(1_760_000_001, UTC)
    assert told.session is not None and told.session.until == 9
    assert read("text", {"content": "a"}, createAt="soon").envelope.sent_at == NOW
    assert read("text", {"content": "a"}, sessionWebhook="").session is None


def test_who_is_no_member_goes_by_the_other_id() -> None:
    """https://open.dingtalk.com/document/development/robot-message-type (`senderStaffId`)"""
    assert read("text", {"content": "a"}, senderStaffId="").envelope.sender.id.startswith("$:")


def test_rich_text_is_read_with_its_pictures() -> None:
    """https://open-dingtalk.github.io/developerpedia/docs/learn/stream/faq"""
    pieces = [
        {"text": "see\n"},
        {"type": "picture", "downloadCode": "mIof/6+=", "pictureDownloadCode": "x"},
        {"text": "this"},
        {"type": "picture", "pictureDownloadCode": "1lOl"},
        {"type": "picture", "downloadCode": "../?x"},
    ]
    found = read("richText", {"richText": pieces}).envelope
    assert found.text == "see\n\nthis"
    assert [one.ref for one in found.files] == ["mIof/6+=", "1lOl"]


def test_what_was_spoken_is_read_as_it_was_understood() -> None:
    """https://open.dingtalk.com/document/development/receive-message (`recognition`)"""
    heard = read("audio", {"downloadCode": "a1", "recognition": "钉钉", "duration": 4000}).envelope
    assert heard.text == "钉钉" and not heard.files
    [voice] = read("audio", {"downloadCode": "a1", "recognition": " "}).envelope.files
    assert (voice.ref, voice.name) == ("a1", "voice.amr")


@pytest.mark.parametrize(
    ("kind", "content", "name"),
    [
        ("picture", {"downloadCode": "a1"}, "image.png"),
        ("file", {"downloadCode": "a1", "fileName": "钉钉.pdf"}, "钉钉.pdf"),
        ("file", {"downloadCode": "a1"}, "file"),
        ("video", {"downloadCode": "a1", "videoType": "MOV"}, "video.mov"),
        ("video", {"downloadCode": "a1", "videoType": "../x"}, "video.mp4"),
    ],
)
def test_files_are_named_for_the_download(kind: str, content: object, name: str) -> None:
    [found] = read(kind, content).envelope.files
    assert (found.ref, found.name) == ("a1", name)


def test_what_no_person_wrote_is_left_out() -> None:
    assert message("text", {"content": "  "}) is None
    assert message("interactiveCard", {"x": 1}) is None
    assert message("text", {"content": "a"}, msgId="") is None
    assert message("text", {"content": "a"}, senderStaffId="a b") is None
    assert message("text", {"content": "a"}, senderStaffId="$:LWCP_v1:$robot") is None


@given(JSON, JSON, KINDS)
def test_whatever_comes_is_a_message_or_none(content: object, other: object, kind: str) -> None:
    found = message(kind, content, createAt=other, isInAtList=other, senderNick=other)
    assert found is None or found.envelope.text or found.envelope.files


@given(st.dictionaries(st.text(max_size=20), JSON, max_size=6))
def test_any_object_is_a_message_or_none(data: dict[str, Any]) -> None:
    assert read_message(data, NOW) is None


@given(JSON)
def test_any_rich_text_is_words_and_files(pieces: object) -> None:
    found = message("richText", {"richText": pieces})
    assert found is None or found.envelope.text or found.envelope.files


def push(kind: str, topic: str, data: str = "{}") -> str:
    head = {"topic": topic, "messageId": "213d_97", "contentType": "application/json"}
    return json.dumps({"specVersion": "1.0", "type": kind, "headers": head, "data": data})


def test_a_push_is_read_and_answered() -> None:
    """https://open-dingtalk.github.io/developerpedia/docs/learn/stream/protocol"""
    found = read_push(push("CALLBACK", ROBOT, '{"a": 1}'))
    assert found == Push("CALLBACK", ROBOT, "213d_97", '{"a": 1}')
    answer = json.loads(acknowledged(found, kept=True))
    assert answer["code"] == 200 and answer["message"] == "OK"
    assert answer["headers"] == {"messageId": "213d_97", "contentType": "application/json"}
    assert json.loads(answer["data"]) == {"response": None}
    assert json.loads(acknowledged(found, kept=False))["code"] == 500


def test_a_ping_and_a_goodbye_are_known() -> None:
    ping = read_push(push("SYSTEM", "ping", '{"opaque": "1"}'))
    assert ping is not None and not ping.is_goodbye
    assert json.loads(acknowledged(ping, kept=True))["data"] == '{"opaque": "1"}'
    bye = read_push(push("SYSTEM", "disconnect"))
    assert bye is not None and bye.is_goodbye
    other = read_push(push("CALLBACK", "disconnect"))
    assert other is not None and not other.is_goodbye


@given(st.text(max_size=60) | JSON.map(json.dumps))
def test_any_text_is_a_push_or_none(raw: str) -> None:
    found = read_push(raw)
    assert found is None or json.loads(acknowledged(found, kept=True))["code"] == 200


def test_a_session_is_used_while_it_lasts() -> None:
    sessions, ada = Sessions(), Peer(PeerKind.DM, "0147")
    until = NOW + timedelta(minutes=5)
    sessions.keep(ada, Session("https://a", int(until.timestamp() * 1000)))
    assert sessions.of(ada, NOW) == "https://a"
    assert sessions.of(Peer(PeerKind.GROUP, "0147"), NOW) == ""
    assert sessions.of(ada, until - timedelta(seconds=30)) == ""
    assert sessions.of(ada, NOW) == ""  # it was thrown away
    assert "https" not in repr(sessions)


def test_sessions_do_not_pile_up() -> None:
    sessions = Sessions()
    late = int((NOW + timedelta(hours=1)).timestamp() * 1000)
    people = [Peer(PeerKind.DM, str(number)) for number in range(2_001)]
    for one in people:
        sessions.keep(one, Session("https://a", late))
    assert sessions.of(people[0], NOW) == "" and sessions.of(people[-1], NOW)


def test_lines_stay_lines_and_nothing_is_loaded() -> None:
    """https://open.dingtalk.com/document/development/robot-message-type (Markdown)"""
    assert dressed("one\ntwo\n\nthree") == "one  \ntwo  \n\nthree"
    assert dressed("see ![x](https://a.example/x.png)") == "see [x](https://a.example/x.png)"
    code = "```py\na = 1\n![x](y)\n```"
    assert dressed(code) == code
    assert dressed("~~~\na\n```\nb\n~~~\nend") == "~~~\na\n```\nb\n~~~\nend"


def test_a_link_makes_nobodys_dingtalk_act() -> None:
    """https://open.dingtalk.com/document/development/faq-robot (links that open DingTalk)"""
    said = dressed("[ok](dtmd://dingtalkclient/sendMessage?content=yes) [b](DingTalk://x)")
    assert "dtmd:" not in said and "DingTalk:" not in said and "[ok](" in said


def test_a_table_can_be_read() -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |"
    assert dressed(f"so:\n\n{table}\n\nend") == f"so:  \n\n```\n{table}\n```\n\nend"
    assert dressed(f"```\n{table}\n```") == f"```\n{table}\n```"
    assert dressed("| alone") == "| alone"


@given(st.text(alphabet="|`~ -ab![\n", max_size=60))
def test_no_word_is_lost_on_the_way(text: str) -> None:
    kept = [one for one in text if one in "ab"]
    assert [one for one in dressed(text) if one in "ab"] == kept


def test_what_is_said_has_a_title_and_parameters() -> None:
    assert title("# **Ready**\nnow") == "Ready now" and title("  ") == "…"
    assert len(title("x" * 500)) == 40
    key, param = markdown("**茶**")
    assert key == "sampleMarkdown" and json.loads(param) == {"title": "茶", "text": "**茶**"}
    assert in_session("hi") == {"msgtype": "markdown", "markdown": {"title": "hi", "text": "hi"}}
    assert json.loads(picture("@lAz")[1]) == {"photoURL": "@lAz"}
    key, param = file("a b.PDF", "@lAz")
    assert key == "sampleFile" and json.loads(param)["fileType"] == "pdf"
    assert is_picture("a.PNG") and not is_picture("a.webp")


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("invalidClientIdOrSecret", ChannelAuthFailed),
        ("authFailed", ChannelAuthFailed),
        ("InvalidAuthentication", ChannelAuthFailed),
        ("send.too.fast", ChannelRateLimited),
        ("Forbidden.AccessDenied.QpsLimitForAppkeyAndApi", ChannelRateLimited),
        ("90018", ChannelRateLimited),
        ("130101", ChannelRateLimited),
        ("invalidParameter.msgParam.tooLong", ChannelTooLong),
        ("460101", ChannelTooLong),
        ("robot.processQueryKey.expired", ChannelNotFound),
        ("Forbidden.AccessDenied.AccessTokenPermissionDenied", ChannelRefused),
        ("Forbidden.AccessDenied.IpNotInWhiteList", ChannelRefused),
        ("Forbidden.AccessDenied.ApiCountLimitForOrg", ChannelRefused),
        ("invalidParameter.robotCode.notExsit", ChannelRefused),
        ("group.disbanded", ChannelRefused),
        ("contain.unsafe.url", ChannelRefused),
        ("40004", ChannelRefused),
        ("40009", ChannelRefused),
        ("system.error", ChannelError),
        ("some.thing.else", ChannelRefused),
    ],
)
@pytest.mark.parametrize("language", Language)
def test_a_refusal_decides_what_follows(
    code: str, error: type[ChannelError], language: Language
) -> None:
    """https://open.dingtalk.com/document/development/the-robot-sends-a-group-message"""
    found = Refusal(code, "rea\nson").as_error(language)
    assert type(found) is error and "\n" not in str(found) and "{" not in str(found) + found.hint
    assert str(found) != str(Refusal(code, "rea\nson").as_error(_other(language)))
    if error is ChannelRefused:  # what is known has a way out
        assert bool(found.hint) == (code != "some.thing.else")


def test_the_status_alone_says_something_too() -> None:
    assert type(Refusal("HTTP 429", status=429).as_error(Language.ENGLISH)) is ChannelRateLimited
    assert type(Refusal("HTTP 502", status=502).as_error(Language.ENGLISH)) is ChannelError
    second = Refusal("90018").as_error(Language.ENGLISH)
    minute = Refusal("130101").as_error(Language.ENGLISH)
    assert isinstance(second, ChannelRateLimited) and second.retry_after == 1.0
    assert isinstance(minute, ChannelRateLimited) and minute.retry_after == 60.0


def test_the_international_dingtalk_is_another_house() -> None:
    """https://help.dingtalk.io/open/development/the-robot-sends-a-group-message"""
    assert settings_from(APP).root == "https://api.dingtalk.com"
    there = settings_from({**APP, "domain": "dingtalk.io"})
    assert (there.root, there.old_root) == ("https://api.dingtalk.io", "https://oapi.dingtalk.io")
    assert settings_from(APP).robot == "ding1"
    assert settings_from({**APP, "robotCode": "r1"}).robot == "r1"
    assert "s3cret" not in repr(Settings("ding1", "s3cret"))


@pytest.mark.parametrize(
    ("address", "good"),
    [
        ("wss://wss-open-connection.dingtalk.com:443/connect", True),
        ("wss://wss-open-connection-union.dingtalk.com:443/connect", True),
        ("wss://wss.dingtalk.io/connect", True),
        ("ws://wss-open-connection.dingtalk.com/connect", False),
        ("wss://dingtalk.com.evil.example/connect", False),
        ("wss://evildingtalk.com/connect", False),
        ("wss://a:b@x.dingtalk.com/connect", False),
        ("https://api.dingtalk.com/connect", False),
        ("wss://[", False),
        ("", False),
    ],
)
def test_a_line_is_opened_to_the_platform_alone(address: str, *, good: bool) -> None:
    assert settings_from(APP).is_line(address) is good


@pytest.mark.parametrize(
    ("address", "good"),
    [
        ("https://oapi.dingtalk.com/robot/sendBySession?session=1", True),
        ("https://oapi.dingtalk.io/robot/sendBySession?session=1", True),
        ("http://oapi.dingtalk.com/robot/sendBySession?session=1", False),
        ("https://oapi.dingtalk.com.evil.example/robot/sendBySession", False),
        ("https://127.0.0.1/robot/sendBySession", False),
        ("https://oapi.dingtalk.com@evil.example/x", False),
        ("https://[", False),
    ],
)
def test_words_are_posted_to_the_platform_alone(address: str, *, good: bool) -> None:
    assert settings_from(APP).is_session(address) is good


@pytest.mark.parametrize(
    ("address", "asked"),
    [
        ("https://down-cdn.dingtalk.com/a?x=%2F", "https://down-cdn.dingtalk.com/a?x=%2F"),
        ("http://a.oss-cn-b.aliyuncs.com/c", "https://a.oss-cn-b.aliyuncs.com/c"),
        ("http://8.134.254.49:30000/c", ""),
        ("https://aliyuncs.com.evil.example/c", ""),
        ("https://169.254.169.254/latest", ""),
        ("file:///etc/passwd", ""),
        ("//down.dingtalk.com/a", ""),
        ("", ""),
    ],
)
def test_files_are_loaded_from_the_platforms_stores_alone(address: str, asked: str) -> None:
    assert settings_from(APP).file_address(address) == asked


@given(st.text(max_size=40))
def test_any_address_is_one_or_none(address: str) -> None:
    found = replace(settings_from(APP), proxy="")
    assert not found.is_line(address) or address.startswith("wss://")
    assert found.file_address(address) in ("", address) or address.startswith("http:")
    assert found.is_session(address) in (True, False)


def _other(language: Language) -> Language:
    return Language.CHINESE if language is Language.ENGLISH else Language.ENGLISH
