"""What a model wrote becomes messages; what it wrote is never an order to this computer."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.gateway.chunks import Break
from moltbot_desktop.gateway.reply_text import (
    MOST_PARTS,
    ReplyRules,
    ReplyTo,
    filled_in,
    messages,
    read_reply,
    reply_rules,
)
from moltbot_desktop.sdk.channels import Envelope, Sender

ENVELOPE = Envelope("pipe", "m1", Sender("7"), "hi", datetime(2026, 1, 5, tzinfo=UTC))


@pytest.mark.parametrize(
    ("text", "left", "reply_to", "current"),
    [
        ("[[reply_to_current]] Yes.", "Yes.", "", True),
        ("[[ reply_to : 42 ]]Yes.", "Yes.", "42", False),
        ("Yes. [[reply_to_current]] [[reply_to:9]]", "Yes.", "9", False),
        ("[[audio_as_voice]]\nHello", "Hello", "", False),
        ("One [[other]] two", "One [[other]] two", "", False),
        ("NO_REPLY", "", "", False),
        ("[[reply_to_current]] NO_REPLY", "", "", False),
        ("HEARTBEAT_OK", "", "", False),
        ("All is well. HEARTBEAT_OK", "All is well.", "", False),
    ],
)
def test_tags_and_tokens_are_never_shown(
    text: str, left: str, reply_to: str, current: bool
) -> None:
    read = read_reply(text)
    assert (read.text, read.reply_to, read.to_current) == (left, reply_to, current)


def test_an_address_behind_media_stays_a_link() -> None:
    read = read_reply("Look:\nMEDIA: https://example.org/a.png\nNice?")
    assert read.text == "Look:\nhttps://example.org/a.png\nNice?"
    assert not read.files


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "~/.ssh/id_rsa", "`a b.png`", "file:///etc/passwd", "C:\\x", "../a"]
)
def test_a_path_behind_media_is_no_file_that_is_sent(path: str) -> None:
    read = read_reply(f"Here.\nMEDIA: {path}")
    assert read.text == "Here."
    assert read.files == (path.strip("`"),)
    (message,) = messages(f"MEDIA: {path}", ENVELOPE, ReplyRules())
    assert message.text == "I cannot send files from this computer."
    assert not message.attachments


def test_code_about_media_is_left_alone() -> None:
    text = "```\nMEDIA: /etc/passwd\n```"
    assert read_reply(text).text == text


def test_a_long_answer_is_several_messages_with_one_prefix() -> None:
    sent = messages("word " * 50, ENVELOPE, ReplyRules(limit=100, prefix="[Clawd]"))
    assert len(sent) == 3
    assert sent[0].text.startswith("[Clawd] word")
    assert "[Clawd]" not in sent[1].text


@pytest.mark.parametrize(
    ("mode", "text", "attached"),
    [
        (ReplyTo.OFF, "a b", ["", ""]),
        (ReplyTo.FIRST, "a b", ["m1", ""]),
        (ReplyTo.ALL, "a b", ["m1", "m1"]),
        (ReplyTo.OFF, "[[reply_to_current]]a b", ["m1", "m1"]),
        (ReplyTo.ALL, "[[reply_to:x]]a b", ["x", "x"]),
    ],
)
def test_what_an_answer_is_attached_to(mode: ReplyTo, text: str, attached: list[str]) -> None:
    sent = messages(text, ENVELOPE, ReplyRules(limit=1, reply_to=mode))
    assert [message.reply_to for message in sent] == attached


@pytest.mark.parametrize(
    ("template", "prefix"),
    [
        ("[{model} {Think}]", "[small high]"),
        ("{identityName}:", "Clawd:"),
        ("{identity.name} {unknown}", "Clawd {unknown}"),
        ("auto", "[Clawd]"),
        ("{provider}", "{provider}"),
    ],
)
def test_a_prefix_is_filled_in(template: str, prefix: str) -> None:
    values = {"model": "small", "thinkinglevel": "high", "identity.name": "Clawd"}
    assert filled_in(template, values) == prefix


@pytest.mark.parametrize(
    ("written", "rules"),
    [
        ({}, ReplyRules(900, "[x]", ReplyTo.FIRST)),
        ({"textChunkLimit": 350}, ReplyRules(350, "[x]", ReplyTo.FIRST)),
        ({"replyToMode": "all"}, ReplyRules(900, "[x]", ReplyTo.ALL)),
        ({"chunkMode": "newline"}, ReplyRules(900, "[x]", ReplyTo.FIRST, Break.NEWLINE)),
        ({"textChunkLimit": -1, "replyToMode": 7}, ReplyRules(900, "[x]", ReplyTo.FIRST)),
        ({"textChunkLimit": True}, ReplyRules(900, "[x]", ReplyTo.FIRST)),
    ],
)
def test_a_channel_says_how_it_wants_its_answers(written: JsonObject, rules: ReplyRules) -> None:
    assert reply_rules(ReplyRules(900, "[x]", ReplyTo.FIRST), written) == rules


WORDS = st.lists(
    st.sampled_from(
        ["[[reply_to_current]]", "[[reply_to:1]]", "MEDIA: /x", "MEDIA:", "\n", "```", " a ", "[["]
    )
    | st.text(max_size=5),
    max_size=12,
).map("".join)


@settings(max_examples=100)
@given(WORDS, st.integers(1, 40))
def test_any_answer_becomes_messages_without_tags(text: str, limit: int) -> None:
    for message in messages(text, ENVELOPE, ReplyRules(limit=limit)):
        assert 0 < len(message.text) <= limit
        assert not message.attachments
    assert "[[reply_to_current]]" not in read_reply(text).text


def test_an_answer_without_end_is_cut() -> None:
    sent = messages("word " * 10_000, ENVELOPE, ReplyRules(limit=40))
    assert len(sent) == MOST_PARTS and sent[-1].text == "…"
