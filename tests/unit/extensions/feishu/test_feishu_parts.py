"""Feishu's frames, events, words and refusals, without a server."""

from __future__ import annotations

import json
from datetime import UTC, datetime
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
from moltbot_desktop.extensions.feishu.emoji import name_of
from moltbot_desktop.extensions.feishu.events import Me, quoted_message, read_event
from moltbot_desktop.extensions.feishu.frames import Frame, Parts, ping, read_frame, written
from moltbot_desktop.extensions.feishu.refusals import Refusal
from moltbot_desktop.extensions.feishu.settings import Settings, settings_from
from moltbot_desktop.extensions.feishu.writing import harmless, is_picture, key, post
from moltbot_desktop.sdk.channels import Envelope, Peer, PeerKind, Quoted, Sender
from tests.fakes import feishu_server

ME = Me("ou_bot", "molt")
NOW = datetime(2026, 11, 22, tzinfo=UTC)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
CLI = {"appId": "cli_1", "appSecret": "s"}


def event(kind: str, content: object, **more: Any) -> Envelope | None:
    message: dict[str, Any] = {
        "message_id": "om_1",
        "chat_id": "oc_1",
        "chat_type": "p2p",
        "message_type": kind,
    }
    message |= {"create_time": "1760000001000", "content": json.dumps(content), **more}
    sender = {"sender_id": {"open_id": "ou_42"}, "sender_type": more.get("sender_type", "user")}
    head = {"event_type": "im.message.receive_v1", "tenant_key": "T1"}
    return read_event({"header": head, "event": {"sender": sender, "message": message}}, ME, NOW)


def read(kind: str, content: object, **more: Any) -> Envelope:
    found = event(kind, content, **more)
    assert found is not None
    return found


def test_a_private_message_is_read() -> None:
    """https://open.feishu.cn/document/server-docs/im-v1/message/events/receive"""
    found = read("text", {"text": " hello "})
    assert found.text == "hello" and found.peer == Peer(PeerKind.DM, "ou_42")
    assert found.sent_at == datetime.fromtimestamp(1_760_000_001, UTC) and found.team_id == "T1"
    assert found.mentioned is None and not found.thread_id


def looked_up(kind: str, content: object, sender: dict[str, str], **more: Any) -> Quoted | None:
    item = {"message_id": "om_0", "msg_type": kind, "sender": sender, **more}
    item["body"] = {"content": json.dumps(content)}
    return quoted_message({"code": 0, "data": {"items": [item]}}, ME, "cli_1")


def test_what_is_answered_is_looked_up() -> None:
    """https://open.feishu.cn/document/server-docs/im-v1/message/get"""
    ada = {"id": "ou_7", "id_type": "open_id", "sender_type": "user"}
    app = {"id": "cli_1", "id_type": "app_id", "sender_type": "app"}
    names = [{"key": "@_user_1", "id": "ou_9", "name": "Ben"}]
    found = looked_up("text", {"text": "ask @_user_1"}, ada, mentions=names)
    assert found == Quoted("ask @Ben", Sender("ou_7"))
    rich = {"title": "", "content": [[{"tag": "text", "text": "Tea."}]]}
    assert looked_up("post", rich, app) == Quoted("Tea.", Sender("ou_bot", "molt"), ours=True)
    other_app = looked_up("post", rich, {**app, "id": "cli_2"})
    assert other_app is not None and not other_app.ours
    picture = looked_up("image", {"image_key": "img_1"}, ada)
    assert picture == Quoted("<image.png>", Sender("ou_7"))
    assert looked_up("text", {"text": "x"}, ada, deleted=True) is None
    assert looked_up("text", {"text": "x"}, {**ada, "id": "../x"}) is None


@given(JSON, JSON)
def test_no_looked_up_message_breaks_it(item: Any, content: Any) -> None:
    whole = {"data": {"items": [item, {"body": {"content": json.dumps(content)}}]}}
    found = quoted_message(whole, ME, "cli_1")
    assert found is None or found.text


def test_who_is_mentioned_has_a_name_and_we_are_addressed() -> None:
    mentions = [
        {"key": "@_user_1", "id": {"open_id": "ou_bot"}, "name": "molt"},
        {"key": "@_user_10", "id": {"open_id": "ou_7"}, "name": "Ada"},
    ]
    words = {"text": "@_user_1 ask @_user_10, @_user_1, @_user_3 and @_all"}
    found = read("text", words, chat_type="group", mentions=mentions)
    assert found.text == "ask @Ada, @molt, @? and @all"
    assert found.mentioned is True and found.peer == Peer(PeerKind.GROUP, "oc_1")
    assert read("text", {"text": "@_all"}, chat_type="group").mentioned is None


def test_rich_text_is_read_with_its_pictures() -> None:
    line = [
        {"tag": "text", "text": "see "},
        {"tag": "a", "text": "this", "href": "https://a.example"},
        {"tag": "at", "user_id": "@_user_1"},
        {"tag": "img", "image_key": "img_v2_1"},
        {"tag": "img", "image_key": "../../secrets"},
    ]
    found = read("post", {"title": "News", "content": [line]})
    assert found.text == "News\nsee this (https://a.example)@?"
    assert [one.ref for one in found.files] == ["om_1/image/img_v2_1"]
    by_language = {"en_us": {"title": "News", "content": [line]}}
    assert read("post", by_language).text == found.text


@pytest.mark.parametrize(
    ("kind", "content", "ref", "name"),
    [
        ("image", {"image_key": "img_1"}, "om_1/image/img_1", "image.png"),
        ("file", {"file_key": "f_1", "file_name": "a.pdf"}, "om_1/file/f_1", "a.pdf"),
        ("audio", {"file_key": "f_1", "duration": 2000}, "om_1/file/f_1", "audio.opus"),
        ("media", {"file_key": "f_1", "file_name": "a.mp4"}, "om_1/file/f_1", "a.mp4"),
    ],
)
def test_files_are_named_for_the_download(kind: str, content: object, ref: str, name: str) -> None:
    """https://open.feishu.cn/document/server-docs/im-v1/message/get-2"""
    [file] = read(kind, content).files
    assert (file.ref, file.name) == (ref, name)


def test_what_no_person_wrote_is_left_out() -> None:
    assert event("text", {"text": "beep"}, sender_type="app") is None
    assert event("text", {"text": "  "}) is None
    assert event("sticker", {"file_key": "f_1"}) is None
    assert event("text", {"text": "hello"}, message_id="../x") is None


def test_a_topic_goes_by_the_message_it_began_with() -> None:
    assert read("text", {"text": "a"}, thread_id="omt_1").thread_id == "om_1"
    later = read("text", {"text": "a"}, thread_id="omt_1", root_id="om_0", parent_id="om_9")
    assert (later.thread_id, later.reply_to) == ("om_0", "om_9")
    assert read("text", {"text": "a"}, root_id="om_0").thread_id == ""


@given(JSON, JSON, st.sampled_from(["text", "post", "image", "file", "audio", "x"]))
def test_whatever_comes_is_a_message_or_none(content: object, mentions: object, kind: str) -> None:
    found = event(kind, content, mentions=mentions)
    assert found is None or found.text or found.files


def test_a_frame_of_the_platform_is_read_and_given_back() -> None:
    raw = feishu_server.frame(1, {"type": "event", "sum": "1"}, b"{}")
    frame = read_frame(raw)
    assert frame is not None and (frame.method, frame.service, frame.log) == (1, 33, 300)
    assert frame.header("type") == "event" and frame.number("sum") == 1 and frame.payload == b"{}"
    assert written(frame) == raw
    assert feishu_server.taken_apart(ping(33)) == (0, 33, {"type": "ping"}, b"")


@given(
    st.lists(st.tuples(st.text(max_size=200), st.text(max_size=200)), max_size=5),
    st.binary(max_size=300),
    st.integers(0, 2**64 - 1),
)
def test_a_frame_comes_back(headers: list[tuple[str, str]], payload: bytes, log: int) -> None:
    frame = Frame(1, tuple(headers), payload, 33, 7, log)
    assert read_frame(written(frame)) == frame


@given(st.binary(max_size=200))
def test_any_bytes_are_a_frame_or_none(raw: bytes) -> None:
    frame = read_frame(raw)
    assert frame is None or read_frame(written(frame)) == frame


def test_a_frame_that_is_cut_is_none() -> None:
    raw = written(Frame(1, (("type", "event"),), b"payload", 33))
    whole = [at for at in range(len(raw)) if (one := read_frame(raw[:at])) and one.payload]
    assert not whole and read_frame(b"\x80" * 20) is None


def part(name: str, total: int, place: int, payload: bytes) -> Frame:
    head = (("message_id", name), ("sum", str(total)), ("seq", str(place)))
    return Frame(1, head, payload)


def test_parts_are_put_together_in_their_order() -> None:
    parts = Parts()
    assert parts.whole(part("a", 3, 2, b"c")) is None
    assert parts.whole(part("a", 3, 0, b"a")) is None
    assert parts.whole(part("b", 1, 0, b"alone")) == b"alone"
    assert parts.whole(part("a", 3, 1, b"b")) == b"abc"
    assert parts.whole(part("a", 3, 5, b"x")) is None
    assert parts.whole(part("a", 1_000_000, 5, b"x")) is None


def test_parts_that_are_never_whole_do_not_pile_up() -> None:
    parts = Parts()
    for number in range(100):
        assert parts.whole(part(f"m{number}", 2, 0, bytes(1_000_000))) is None
    assert len(parts._open) <= 8


def test_what_is_sent_calls_nobody_and_loads_nothing() -> None:
    said = harmless("<at user_id='all'></AT> <b>ok</b> ![x](https://a.example/x.png)")
    assert "<at" not in said and "</AT" not in said and "![" not in said and "<b>ok</b>" in said
    assert harmless("```\n![x](y)\n```") == "```\n![x](y)\n```"
    assert json.loads(post("hi"))["zh_cn"]["content"] == [[{"tag": "md", "text": "hi"}]]


def test_a_key_fits_and_says_which_message() -> None:
    """https://open.feishu.cn/document/server-docs/im-v1/message/create: fifty characters"""
    assert len(key("x" * 500)) == 50 and key("a") == key("a") != key("b")


def test_large_pictures_go_as_files() -> None:
    assert is_picture("a.PNG", 1_000) and not is_picture("a.png", 20_000_000)
    assert not is_picture("a.pdf", 10)


@pytest.mark.parametrize(
    ("code", "error"),
    [
        (99991663, ChannelAuthFailed),
        (10014, ChannelAuthFailed),
        (99991400, ChannelRateLimited),
        (230025, ChannelTooLong),
        (230011, ChannelNotFound),
        (230072, ChannelNotFound),
        (230002, ChannelRefused),
        (99991672, ChannelRefused),
        (1, ChannelError),
        (424242, ChannelRefused),
    ],
)
@pytest.mark.parametrize("language", Language)
def test_a_refusal_decides_what_follows(
    code: int, error: type[ChannelError], language: Language
) -> None:
    """https://open.feishu.cn/document/server-docs/im-v1/message/create#error-codes"""
    found = Refusal(code, "rea\nson").as_error(language)
    assert type(found) is error and "\n" not in str(found) and "{" not in str(found)


def test_emoji_have_names() -> None:
    assert name_of("👀") == "GLANCE" and name_of("👍🏽") == "THUMBSUP"
    assert name_of(":DONE:") == "DONE" and name_of("🛞") is None and name_of("a/b") is None


def test_lark_is_another_house() -> None:
    assert settings_from(CLI).root == "https://open.feishu.cn"
    assert settings_from({**CLI, "domain": "lark"}).root == "https://open.larksuite.com"
    assert "s3cret" not in repr(Settings("cli_1", "s3cret"))


@pytest.mark.parametrize(
    ("address", "good"),
    [
        ("wss://msg-frontier.feishu.cn/ws/v2?ticket=1", True),
        ("wss://msg-frontier.larksuite.com/ws/v2", True),
        ("ws://msg-frontier.feishu.cn/ws/v2", False),
        ("wss://feishu.cn.evil.example/ws", False),
        ("wss://evilfeishu.cn/ws", False),
        ("https://open.feishu.cn/ws", False),
        ("wss://[", False),
        ("", False),
    ],
)
def test_a_line_is_opened_to_the_platform_alone(address: str, *, good: bool) -> None:
    assert settings_from(CLI).is_line(address) is good
