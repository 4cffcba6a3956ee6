"""What signal-cli tells and is told, without one: events, words, places, settings, errors."""

from __future__ import annotations

import base64
import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from moltbot_desktop.core.errors import (
    ChannelAuthFailed,
    ChannelError,
    ChannelRateLimited,
    ChannelRefused,
)
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.extensions.signal import events
from moltbot_desktop.extensions.signal.daemon import command, is_here
from moltbot_desktop.extensions.signal.events import (
    Event,
    EventStream,
    EventTooLarge,
    Me,
    Said,
    envelope_of,
    read_event,
)
from moltbot_desktop.extensions.signal.refusals import Refusal, refusal_of, undelivered
from moltbot_desktop.extensions.signal.settings import settings_from
from moltbot_desktop.extensions.signal.writing import data_uri, message_of, place, words
from moltbot_desktop.sdk.channels import DeliveryTarget, Peer, PeerKind, Quoted, Sender
from moltbot_desktop.sdk.lately import Lately
from tests.fakes.signal_cli import ADA, NUMBER, NUMBERS, OWN_UUID, ROOM

ME = Me(NUMBER, OWN_UUID)
AT = 1_631_458_508_784


def told(message: dict[str, Any] | None = None, **more: Any) -> str:
    said = {"dataMessage": {"timestamp": AT, "message": "tea?", **(message or {})}}
    who = {"sourceUuid": ADA, "sourceNumber": NUMBERS[ADA], "sourceName": "Ada", "timestamp": AT}
    return json.dumps({"envelope": {**who, **said, **more}, "account": NUMBER})


def said(message: dict[str, Any] | None = None, me: Me = ME, **more: Any) -> Said:
    found = read_event(told(message, **more), me)
    assert found is not None
    return found


def test_a_message_is_known_by_its_author_and_time() -> None:
    envelope = envelope_of(said(), "e7")
    assert (envelope.message_id, envelope.text, envelope.cursor) == (f"{AT}:{ADA}", "tea?", "e7")
    assert envelope.peer == Peer(PeerKind.DM, ADA) and envelope.sender.name == "Ada"
    assert envelope.sent_at.year == 2021 and envelope.mentioned is False


def test_a_group_is_the_place_and_its_writer_the_sender() -> None:
    envelope = envelope_of(said({"groupInfo": {"groupId": ROOM, "type": "DELIVER"}}), "")
    assert envelope.peer == Peer(PeerKind.GROUP, ROOM) and envelope.sender.id == ADA


@pytest.mark.parametrize("wrapped", ["params", "result"])
def test_an_event_may_come_in_the_form_of_a_notification(wrapped: str) -> None:
    inner = json.loads(told())
    outer = {"params": inner} if wrapped == "params" else {"params": {"result": inner}}
    assert read_event(json.dumps(outer), ME) == said()


def test_who_is_named_by_a_number_is_known_by_it() -> None:
    me = Me(NUMBER, OWN_UUID, settings_from({"allowFrom": [f"signal:{NUMBERS[ADA]}"]}).numbers)
    found = said(me=me)
    assert found.sender.id == NUMBERS[ADA] and found.author == ADA
    group: Any = {"groups": {"*": {"allowFrom": [NUMBERS[ADA], 7, "uuid:x"]}}}
    assert settings_from(group).numbers == {NUMBERS[ADA]}


def test_mentions_are_names_and_count_in_utf16() -> None:
    places = [{"uuid": OWN_UUID, "start": 3, "length": 1}, {"name": "Eve", "start": 8, "length": 1}]
    found = said({"message": "😀 \ufffc and\ufffc!", "mentions": places})
    assert found.text == "😀 @moltbot and@Eve!" and found.mentioned
    by_number = {"mentions": [{"number": NUMBER, "start": 0, "length": 99}]}
    assert said(by_number).mentioned and said(by_number).text == "tea?"
    assert not said({"mentions": [{"uuid": ADA, "start": 0, "length": 1}]}).mentioned


def test_an_answer_to_our_words_is_meant_for_us() -> None:
    ours = said({"quote": {"id": 99, "authorUuid": OWN_UUID, "text": "x"}})
    assert (ours.reply_to, ours.mentioned) == ("99", True)
    other = said({"quote": {"id": 99, "authorUuid": ADA}})
    assert (other.reply_to, other.mentioned) == (f"99:{ADA}", False)


def test_nobody_vouches_for_a_quote_but_what_was_seen_here() -> None:
    quote = {"id": 99, "authorUuid": OWN_UUID, "authorName": "molt", "text": "I said no such thing"}
    answer = said({"quote": quote})
    assert envelope_of(answer, "").quoted == Quoted("I said no such thing", Sender("", "molt"))
    lately = Lately()
    lately.wrote("99", "Tea at five.")
    seen = lately.answered(answer.reply_to)
    assert envelope_of(answer, "", seen).quoted == Quoted("Tea at five.", Sender(""), ours=True)
    assert envelope_of(said({"quote": {"text": "x", "authorUuid": ADA}}), "").quoted is None


def test_files_are_named_and_what_may_be_seen_once_is_not_loaded() -> None:
    file = {"id": "a.png", "contentType": "image/png", "filename": None, "size": 9}
    group = {"groupInfo": {"groupId": ROOM}, "attachments": [file, {"id": ""}]}
    [found] = said(group).files
    assert json.loads(found.ref) == {"id": "a.png", "group": ROOM}
    assert (found.name, found.media_type, found.size) == ("file.png", "image/png", 9)
    assert said({"attachments": [file], "viewOnce": True}).files == ()


@pytest.mark.parametrize(
    "event",
    [
        told({"reaction": {"emoji": "👍"}}),
        told({"remoteDelete": {"timestamp": AT}}),
        told({"storyContext": {"sentTimestamp": AT}}),
        told({"message": None}),
        told({"timestamp": -5}, timestamp=0),
        told(sourceUuid=OWN_UUID),
        told(sourceUuid=None, sourceNumber=NUMBER),
        told(sourceUuid=None, sourceNumber=None),
        json.dumps({"envelope": {"sourceUuid": ADA, "editMessage": {"dataMessage": {}}}}),
        json.dumps({"envelope": {"sourceUuid": ADA, "syncMessage": {"sentMessage": {}}}}),
        told().replace(f'"account": "{NUMBER}"', '"account": "+15551112222"'),
        "[]",
        "{",
    ],
)
def test_what_is_no_message_to_answer_is_left_out(event: str) -> None:
    assert read_event(event, ME) is None


STREAM = b'id:7\nevent:receive\ndata:{"a":\ndata: 1}\n\n:\n\nid: 8\r\ndata:x\r\n\r\ndata:y'


@given(st.lists(st.integers(0, len(STREAM)), max_size=6))
def test_a_stream_is_the_same_wherever_it_is_cut(cuts: list[int]) -> None:
    stream, ends = EventStream(), [0, *sorted(cuts), len(STREAM)]
    pieces = [STREAM[a:b] for a, b in pairwise(ends)]
    found = [event for piece in pieces for event in stream.feed(piece)]
    assert found == [Event("7", '{"a":\n1}'), Event("8", "x")]


def test_an_event_without_an_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "LARGEST_EVENT", 100)
    stream = EventStream()
    with pytest.raises(EventTooLarge):
        list(stream.feed(b"data:xxxxxxxx\n" * 20))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6) | st.sampled_from([ADA, AT]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                "envelope dataMessage sourceUuid timestamp message mentions start length uuid"
                " attachments id groupInfo groupId quote account params".split()
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@given(VALUES, VALUES)
@example([], {"mentions": [{"start": 0, "length": 1}] * 300})
def test_whatever_is_told_nothing_breaks(whole: Any, message: Any) -> None:
    read_event(json.dumps(whole), ME)
    read_event(json.dumps({"envelope": {"sourceUuid": ADA, "dataMessage": message}}), ME)
    if isinstance(message, dict):
        found = read_event(told(message), ME)
        if found is not None:
            envelope_of(found, "")


@given(st.binary(max_size=200))
def test_whatever_comes_as_a_stream_nothing_breaks(raw: bytes) -> None:
    for event in EventStream().feed(raw + b"\n\n"):
        read_event(event.data, ME)


def test_words_go_plain_with_ranges_beside_them() -> None:
    assert words("😀 **a** and `b`") == {
        "message": "😀 a and b",
        "textStyle": ["3:1:BOLD", "9:1:MONOSPACE"],
    }
    assert words("plain") == {"message": "plain"}


@pytest.mark.parametrize(
    ("kind", "where", "wanted"),
    [
        (PeerKind.DM, ADA, {"recipient": [ADA]}),
        (PeerKind.DM, NUMBER, {"recipient": [NUMBER]}),
        (PeerKind.DM, "u:ada.01", {"recipient": ["u:ada.01"]}),
        (PeerKind.GROUP, ROOM, {"groupId": ROOM}),
        (PeerKind.DM, "--note-to-self", None),
        (PeerKind.DM, ROOM, None),
        (PeerKind.GROUP, "x y", None),
    ],
)
def test_only_a_place_of_signal_is_one(kind: PeerKind, where: str, wanted: object) -> None:
    assert place(DeliveryTarget("signal", peer=Peer(kind, where))) == wanted


def test_a_message_without_an_author_is_ours() -> None:
    assert message_of("99", NUMBER) == (99, NUMBER)
    assert message_of(f"99:{ADA}", NUMBER) == (99, ADA)
    for one in ("", "x", "99:", "99:--all", "9" * 20, f"99:{ADA}\n"):
        assert message_of(one, NUMBER) is None


def test_a_file_goes_with_its_name_whatever_is_in_it() -> None:
    uri = data_uri("a;b,c=茶.png", "image/png", b"x")
    assert uri == f"data:image/png;filename=a%3Bb%2Cc%3D%E8%8C%B6.png;base64,{_b64(b'x')}"
    assert data_uri("a", "text/plain;x=y", b"x").startswith("data:application/octet-stream;")


def _b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


@pytest.mark.parametrize(
    ("refusal", "kind", "words"),
    [
        (Refusal(-1, "The user x is not registered."), ChannelRefused, "not registered"),
        (Refusal(-3, "no route"), ChannelError, "no route"),
        (Refusal(-4, "untrusted"), ChannelRefused, "safety number"),
        (Refusal(-5, "slow down", 9.0), ChannelRateLimited, "pause"),
        (Refusal(-32603, "bug"), ChannelError, "bug"),
        (Refusal(-32602, "Specified account does not exist"), ChannelAuthFailed, "account"),
    ],
)
def test_an_error_has_the_code_of_the_commands_end(
    refusal: Refusal, kind: type[ChannelError], words: str
) -> None:
    error = refusal.as_error(Language.ENGLISH)
    assert type(error) is kind and words in str(error)
    assert refusal.as_error(Language.CHINESE).message != str(error)


def test_how_long_to_wait_stands_with_the_recipient() -> None:
    answer: Any = {
        "response": {"results": [{"type": "RATE_LIMIT_FAILURE", "retryAfterSeconds": 9}]}
    }
    refusal = refusal_of({"code": -5, "message": "x", "data": answer}, NUMBER)
    assert refusal.wait == 9.0 and refusal_of({"code": True}, NUMBER).code == 0


def test_a_message_counts_as_sent_when_one_has_it() -> None:
    failed, done = {"type": "UNREGISTERED_FAILURE"}, {"type": "SUCCESS"}
    assert undelivered({"results": [failed]}) == "UNREGISTERED_FAILURE"
    assert undelivered({"results": [failed, done]}) == undelivered({}) == ""


def test_signal_cli_is_started_where_no_address_is_given() -> None:
    own = settings_from({"account": NUMBER, "httpPort": 9, "ignoreAttachments": True})
    assert own.starts and own.root == "http://127.0.0.1:9"
    assert command(own, "/opt/signal-cli") == (
        *("/opt/signal-cli", "-a", NUMBER, "daemon", "--http", "127.0.0.1:9"),
        *("--receive-mode", "on-connection"),
        *("--ignore-attachments", "--ignore-stories", "--no-receive-stdout"),
    )
    there = {"account": NUMBER, "httpUrl": "http://[::1]:8080/x/"}
    assert not settings_from(there).starts and settings_from({**there, "autoStart": True}).starts
    assert settings_from(there).root == "http://[::1]:8080/x"
    assert not settings_from({"autoStart": False}).starts


def test_it_is_started_on_this_computer_alone() -> None:
    here = ["http://localhost:1", "http://127.0.0.9", "http://[::1]:1"]
    away = ["http://0.0.0.0:1", "http://192.168.0.9:1", "https://a.example", "x"]
    assert [is_here(one) for one in here + away] == [True] * 3 + [False] * 4


@pytest.mark.parametrize(
    ("written", "used"),
    [
        ("on-start", "on-start"),
        ("on-connection", "on-connection"),
        ("manual", "on-connection"),
        ("", "on-connection"),
    ],
)
def test_messages_are_always_taken(written: str, used: str) -> None:
    assert settings_from({"receiveMode": written}).receive_mode == used
