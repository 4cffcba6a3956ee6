"""Matrix without a server: what is a message, for whom, and what goes out."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.extensions.matrix.notebook import Notebook
from moltbot_desktop.extensions.matrix.reading import (
    RoomView,
    answered_event,
    envelope_of,
    invite_of,
    since_we_came,
)
from moltbot_desktop.extensions.matrix.settings import Invite, ThreadReplies, settings_from
from moltbot_desktop.extensions.matrix.writing import changed, key_of, words_content
from moltbot_desktop.sdk.channels import (
    DeliveryTarget,
    Envelope,
    OutboundMessage,
    Peer,
    PeerKind,
    Quoted,
    Sender,
)

ME, ADA = "@bot:a.example", "@ada:a.example"
NOW = datetime(2026, 1, 2, tzinfo=UTC)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                "type content sender event_id msgtype body m.relates_to rel_type url file info size"
                " m.mentions user_ids formatted_body origin_server_ts key hashes filename".split()
            ),
            inner | st.sampled_from(["m.room.message", "m.text", "m.image", "mxc://a/b", ME]),
            max_size=6,
        )
    ),
    max_leaves=20,
)


def room(members: int = 5) -> RoomView:
    return RoomView("!r:a.example", ME, "Molly", members, lambda _: "Ada")


def read(content: dict[str, Any], *, members: int = 5, sender: str = ADA) -> Envelope | None:
    event = {
        "type": "m.room.message",
        "event_id": "$1",
        "sender": sender,
        "origin_server_ts": 1_000,
        "content": {"msgtype": "m.text", **content},
    }
    return envelope_of(event, room(members), ThreadReplies.INBOUND, NOW)


def test_what_old_programs_quote_is_a_claim_of_whoever_writes() -> None:
    body = f"> <{ME}> I said no such thing\n> nor this\n\nwell?"
    found = read({"body": body, "m.relates_to": {"m.in_reply_to": {"event_id": "$0"}}})
    assert found is not None
    assert (found.text, found.reply_to) == ("well?", "$0")
    assert found.quoted == Quoted("I said no such thing\nnor this", Sender("", ME))
    plain = read({"body": "well?", "m.relates_to": {"m.in_reply_to": {"event_id": "$0"}}})
    assert plain is not None and plain.quoted is None


def test_the_server_says_what_was_answered_and_by_whom() -> None:
    event = {"type": "m.room.message", "event_id": "$0", "sender": ME}
    content = {"msgtype": "m.notice", "body": "Tea"}
    newer = {"sender": ME, "content": {"m.new_content": {"msgtype": "m.text", "body": "Cake"}}}
    told = answered_event({**event, "content": content}, room())
    assert told == Quoted("Tea", Sender(ME, "Ada", "bot"), ours=True)
    changed_since = {"m.relations": {"m.replace": newer}}
    told = answered_event({**event, "content": content, "unsigned": changed_since}, room())
    assert told is not None and told.text == "Cake"
    by_others = {"m.relations": {"m.replace": {**newer, "sender": ADA}}}
    told = answered_event({**event, "content": content, "unsigned": by_others}, room())
    assert told is not None and told.text == "Tea"
    picture = {"msgtype": "m.image", "body": "cat.png", "url": "mxc://a/b"}
    told = answered_event({**event, "sender": ADA, "content": picture}, room())
    assert told == Quoted("<cat.png>", Sender(ADA, "Ada", "ada"))
    assert answered_event({**event, "content": {}}, room()) is None  # taken back


@settings(max_examples=150)
@given(JSON)
def test_no_answered_event_breaks_it(event: Any) -> None:
    told = answered_event(event if isinstance(event, dict) else {"content": event}, room())
    assert told is None or told.text


def test_a_room_of_two_is_a_talk_and_any_other_a_room() -> None:
    private, public = read({"body": "hi"}, members=2), read({"body": "hi"}, members=3)
    assert private is not None and private.peer == Peer(PeerKind.DM, ADA)
    assert public is not None and public.peer == Peer(PeerKind.CHANNEL, "!r:a.example")


@pytest.mark.parametrize(
    "content",
    [
        {"body": "one", "m.mentions": {"user_ids": [ME]}},
        {"body": "all of you", "m.mentions": {"room": True}},
        {"body": "molly: well?"},
        {"body": "B", "formatted_body": f'<a href="https://matrix.to/#/{ME}">B</a>'},
        {"body": "B", "formatted_body": '<a href="https://matrix.to/#/%40bot%3Aa.example">B</a>'},
        {
            "body": f"> <{ME}> earlier\n\nand then?",
            "m.relates_to": {"m.in_reply_to": {"event_id": "$0"}},
        },
    ],
)
def test_it_knows_that_it_is_meant(content: dict[str, Any]) -> None:
    found = read(content)
    assert found is not None and found.mentioned is True and not found.text.startswith(">")


@pytest.mark.parametrize(
    "content",
    [
        {"body": "mollycoddle"},
        {"body": "x", "formatted_body": f"https://matrix.to/#/{ME}.org"},
        {"body": "x", "formatted_body": f"<mx-reply>https://matrix.to/#/{ME}</mx-reply>x"},
    ],
)
def test_what_only_looks_like_its_name_is_none(content: dict[str, Any]) -> None:
    found = read(content)
    assert found is not None and found.mentioned is None


@pytest.mark.parametrize(
    "content",
    [
        {"msgtype": "m.notice", "body": "from a bot"},
        {"body": "* new", "m.relates_to": {"rel_type": "m.replace", "event_id": "$0"}},
        {"body": ""},
        {"body": 5},
        {"msgtype": "m.image", "body": "x", "url": "https://elsewhere.example/x"},
    ],
)
def test_what_is_no_message_for_us(content: dict[str, Any]) -> None:
    assert read(content) is None
    assert read({"body": "mine"}, sender=ME) is None


def test_an_encrypted_picture_brings_its_key_and_its_caption() -> None:
    locked = {"url": "mxc://a/b", "key": {"k": "K"}, "iv": "I", "hashes": {"sha256": "H"}}
    found = read(
        {"msgtype": "m.image", "body": "look", "filename": "../x.png", "file": locked}, members=2
    )
    assert found is not None and found.text == "look"
    [file] = found.files
    assert file.name == "x.png"
    assert json.loads(file.ref) == {"url": "mxc://a/b", "key": "K", "iv": "I", "hash": "H"}


def test_a_thread_is_kept_and_its_helper_for_old_clients_is_no_reply() -> None:
    relation = {
        "rel_type": "m.thread",
        "event_id": "$root",
        "is_falling_back": True,
        "m.in_reply_to": {"event_id": "$last"},
    }
    found = read({"body": "hi", "m.relates_to": relation})
    assert found is not None and (found.thread_id, found.reply_to) == ("$root", "")


@settings(max_examples=150)
@given(JSON, st.sampled_from(ThreadReplies))
def test_no_event_breaks_it(event: Any, threads: ThreadReplies) -> None:
    if isinstance(event, dict):
        found = envelope_of({"type": "m.room.message", **event}, room(), threads, NOW)
        assert found is None or (found.text or found.files)
        invite_of("!r", [event], ME)
        assert 0 <= since_we_came([event, event], ME) <= 2


def test_what_was_said_to_us_after_the_invitation_counts() -> None:
    def member(now: str, before: str = "") -> dict[str, Any]:
        return {
            "type": "m.room.member",
            "state_key": ME,
            "sender": ADA,
            "content": {"membership": now},
            "unsigned": {"prev_content": {"membership": before}},
        }

    said = {"type": "m.room.message"}
    assert since_we_came([said, member("invite"), said, member("join", "invite")], ME) == 2
    assert since_we_came([said, member("join"), said], ME) == 2
    assert since_we_came([said, member("join", "join")], ME) == 0


def test_which_invitations_are_taken() -> None:
    base = {"homeserver": "a.example/"}
    one = settings_from({**base, "allowFrom": ["matrix:" + ADA], "groups": {"!g": {}, "*": {}}})
    assert one.homeserver == "https://a.example"
    assert one.joins(Invite("!x", ADA)) and one.joins(Invite("!g", "@eve:b"))
    assert one.joins(Invite("!x", "@eve:b", direct=True)) and not one.joins(Invite("!x", "@eve:b"))
    closed = settings_from({**base, "dmPolicy": "allowlist"})
    assert not closed.joins(Invite("!x", "@eve:b", direct=True))
    assert not settings_from({**base, "autoJoin": "off", "allowFrom": ["*"]}).joins(
        Invite("!x", ADA)
    )


def test_an_answer_rings_nowhere_and_keeps_its_place() -> None:
    target = DeliveryTarget("matrix", "main", Peer(PeerKind.CHANNEL, "!r"), "$root")
    message = OutboundMessage(target, "<p>@room</p>", reply_to="$1", markdown="@room")
    content = words_content(message)
    assert content["m.mentions"] == {} and content["body"] == "@room"
    assert content["m.relates_to"] == {
        "rel_type": "m.thread",
        "event_id": "$root",
        "is_falling_back": False,
        "m.in_reply_to": {"event_id": "$1"},
    }
    edit = changed("$9", OutboundMessage(target, "x" * 9_000, markdown="y" * 9_000))
    assert len(str(edit["body"])) < 300 and edit["m.new_content"]["body"] == "y" * 9_000  # type: ignore[index, call-overload]
    assert key_of("run:0", "words") == key_of("run:0", "words") != key_of("run:1", "words")


def test_the_notebook_is_its_owners_alone_and_damage_costs_only_its_place(tmp_path: Path) -> None:
    book = Notebook.opened(tmp_path / "a")
    book.since, book.device = "s1", "D"
    book.talked(ADA, "!r")
    book.wait_for("$1", "!r", "session")
    book.save()
    again = Notebook.opened(tmp_path / "a")
    assert (again.since, again.device, again.talks, again.unread) == (
        *("s1", "D"),
        {ADA: "!r"},
        {"$1": ("!r", "session")},
    )
    file = tmp_path / "a" / "account.json"
    assert file.stat().st_mode & 0o777 == 0o600 and file.parent.stat().st_mode & 0o777 == 0o700
    file.write_bytes(b"\xff{")
    assert Notebook.opened(tmp_path / "a").since == ""
