"""What is kept as text comes back as it was, and what is no such text is refused."""

from __future__ import annotations

import json
from datetime import UTC
from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.core.errors import IndexCorrupt
from moltbot_desktop.gateway.mail_items import (
    envelope_from,
    envelope_text,
    message_from,
    message_text,
    storable,
    target_text,
)
from moltbot_desktop.sdk.channels import (
    Attachment,
    DeliveryTarget,
    Envelope,
    OutboundMessage,
    Peer,
    PeerKind,
    Quoted,
    RemoteFile,
    Sender,
)
from tests.fakes.mail import envelope, outbound

TEXTS = st.text(st.characters(), max_size=20)  # halves of characters too
PEERS = st.none() | st.builds(Peer, st.sampled_from(PeerKind), TEXTS)
PATHS = st.text("abc/", max_size=9).map(PurePosixPath)
ATTACHMENTS = st.lists(st.builds(Attachment, PATHS, TEXTS, TEXTS), max_size=2).map(tuple)
SENDERS = st.builds(Sender, TEXTS, TEXTS, TEXTS)
ENVELOPES = st.builds(
    Envelope,
    *(TEXTS, TEXTS, SENDERS, TEXTS),
    sent_at=st.datetimes(timezones=st.just(UTC)),
    account=TEXTS,
    peer=PEERS,
    guild_id=TEXTS,
    team_id=TEXTS,
    thread_id=TEXTS,
    reply_to=TEXTS,
    mentioned=st.none() | st.booleans(),
    attachments=ATTACHMENTS,
    cursor=TEXTS,
    files=st.lists(st.builds(RemoteFile, TEXTS, TEXTS, TEXTS, st.integers(0)), max_size=2).map(
        tuple
    ),
    quoted=st.none() | st.builds(Quoted, TEXTS, SENDERS, st.booleans()),
)
TARGETS = st.builds(DeliveryTarget, TEXTS, TEXTS, PEERS, TEXTS)


@given(ENVELOPES)
def test_an_envelope_comes_back_as_it_was(given_envelope):
    back = envelope_from(envelope_text(given_envelope))
    assert back == given_envelope


@given(st.builds(OutboundMessage, TARGETS, TEXTS, TEXTS, ATTACHMENTS, TEXTS))
def test_a_message_comes_back_as_it_was(message):
    assert message_from(message_text(message)) == message


@given(TARGETS, TARGETS)
def test_the_same_text_means_the_same_target(one, other):
    assert (target_text(one) == target_text(other)) == (one == other)


@given(TEXTS)
def test_any_text_can_be_stored(text):
    storable(text).encode()


def test_a_plain_text_is_stored_as_it_is():
    assert storable("名字 ok \\ud83d") == "名字 ok \\ud83d"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["channel", "sender", "id", "peer", "kind", "sentAt", "attachments"]),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


@given(JSON.map(json.dumps) | st.text(max_size=30))
def test_what_is_no_kept_message_is_called_damaged(text):
    for read in (envelope_from, message_from):
        try:
            read(text)
        except IndexCorrupt:
            continue


@pytest.mark.parametrize("key", ["channel", "sender", "sentAt"])
def test_without_what_makes_it_one_it_is_no_envelope(key):
    value = json.loads(envelope_text(envelope("1")))
    del value[key]
    with pytest.raises(IndexCorrupt):
        envelope_from(json.dumps(value))


def test_what_was_kept_before_there_were_quotes_is_read_and_a_damaged_quote_is_refused():
    value = json.loads(envelope_text(envelope("1")))
    del value["quoted"]
    assert envelope_from(json.dumps(value)) == envelope("1")
    for broken in ({}, {"text": "x"}, {"sender": {"id": "7"}}, "x", [1]):
        with pytest.raises(IndexCorrupt):
            envelope_from(json.dumps({**value, "quoted": broken}))


def test_what_a_newer_program_adds_is_passed_over():
    value = json.loads(message_text(outbound("hi")))
    assert message_from(json.dumps({**value, "effects": ["x"]})) == outbound("hi")
