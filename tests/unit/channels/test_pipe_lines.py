"""Lines of a pipe: what is a message, and what is told of everything else."""

from __future__ import annotations

import contextlib
import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.channels.pipe_lines import ack_line, answer_line, envelope_of, error_line
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.sdk.channels import (
    DeliveryTarget,
    Envelope,
    OutboundMessage,
    Peer,
    PeerKind,
    Quoted,
    Sender,
)

NOON = datetime(2026, 3, 1, 12, tzinfo=timezone(timedelta(hours=8)))


def read(record: object) -> Envelope:
    return envelope_of(json.dumps(record).encode(), "build", NOON, "17")


def test_a_line_may_say_what_it_answers() -> None:
    told = {"text": "tea?", "sender": {"id": "ben", "name": "Ben"}}
    assert read({"text": "yes", "quoted": told}).quoted == Quoted("tea?", Sender("ben", "Ben"))
    ours = read({"text": "yes", "quoted": {"text": "tea?", "ours": True}}).quoted
    assert ours == Quoted("tea?", Sender("local"), ours=True)
    assert read({"text": "yes", "quoted": {"text": " "}}).quoted is None


def test_only_the_text_must_be_there() -> None:
    assert read({"text": "hello"}) == Envelope(
        "pipe",
        "",
        Sender("local"),
        "hello",
        NOON,
        account="build",
        peer=Peer(PeerKind.DM, "local"),
        cursor="17",
    )


def test_everything_an_envelope_knows_can_be_said() -> None:
    envelope = read(
        {
            "messageId": 7,
            "text": "x",
            "sender": {"id": "ada", "name": "Ada", "username": "a"},
            "peer": {"kind": "group", "id": "g"},
            "guildId": "G",
            "teamId": "T",
            "threadId": "t",
            "replyTo": "6",
            "mentioned": True,
            "sentAt": "2026-01-05T12:00:00+00:00",
        }
    )
    assert (envelope.message_id, envelope.sender) == ("7", Sender("ada", "Ada", "a"))
    assert envelope.peer == Peer(PeerKind.GROUP, "g")
    assert (envelope.guild_id, envelope.team_id, envelope.thread_id) == ("G", "T", "t")
    assert (envelope.reply_to, envelope.mentioned) == ("6", True)
    assert envelope.sent_at == datetime(2026, 1, 5, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        ([], "not an object"),
        ({}, "no text"),
        ({"text": 1}, "no text"),
        ({"text": "x", "colour": 1}, "'colour'"),
        ({"text": "x", "sender": {}}, "no id"),
        ({"text": "x", "peer": {"kind": "crowd"}}, "kind"),
        ({"text": "x", "peer": "ada"}, "kind"),
        ({"text": "x", "messageId": "m" * 201}, "messageId"),
        ({"text": "x", "sentAt": "noon"}, "sentAt"),
        ({"text": "x", "quoted": "tea?"}, "quoted"),
        ({"text": "x", "quoted": {"text": 5}}, "quoted"),
        ({"text": "x", "quoted": {"text": "x", "sender": {}}}, "no id"),
    ],
)
def test_what_is_wrong_is_said(record: object, problem: str) -> None:
    with pytest.raises(UserInputInvalid) as refused:
        read(record)
    assert problem in refused.value.message


@settings(max_examples=200, deadline=None)
@given(
    st.binary()
    | st.recursive(
        st.none() | st.booleans() | st.text() | st.integers(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(
                st.sampled_from("text sender peer kind id sentAt mentioned quoted".split()),
                inner,
            )
        ),
    ).map(lambda value: json.dumps(value).encode())
)
def test_any_line_is_a_message_or_is_refused_in_words(line: bytes) -> None:
    with contextlib.suppress(UserInputInvalid):
        assert envelope_of(line, "a", NOON, "").text is not None
    assert json.loads(error_line("no", line))["error"] == "no"


def test_answers_are_one_line_whatever_they_say() -> None:
    target = DeliveryTarget("pipe", "build", Peer(PeerKind.DM, "ada"))
    line = answer_line(OutboundMessage(target, "two\nlines \ud800", "7"), "r:0")
    assert line.count(b"\n") == 1
    assert json.loads(line) == {
        "text": "two\nlines \ud800",
        "peer": {"kind": "dm", "id": "ada"},
        "replyTo": "7",
        "key": "r:0",
    }
    assert json.loads(ack_line("7")) == {"ack": "7"}


@pytest.mark.parametrize("part", ["", "~1", ":work", "~1:work", ":said"])
def test_an_answer_to_an_answer_speaks_to_the_assistant(part: str) -> None:
    run = "1fad9bf9c2bd44288641b4e944237e37"
    target = DeliveryTarget("pipe", peer=Peer(PeerKind.GROUP, "g"))
    written = json.loads(answer_line(OutboundMessage(target, "yes"), f"{run}{part}:0"))
    for more in ({}, {"mentioned": False}):
        assert read({"text": "why?", "replyTo": written["key"], **more}).mentioned is True


@pytest.mark.parametrize("reply_to", ["", "6", "a:1", "1fad9bf9", "x" * 32 + ":0", "f" * 32])
def test_an_answer_to_somebody_else_does_not(reply_to: str) -> None:
    assert read({"text": "why?", "replyTo": reply_to}).mentioned is None
