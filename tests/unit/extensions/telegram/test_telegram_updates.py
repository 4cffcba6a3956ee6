"""What Telegram sends, as messages: who wrote, where, to whom, with which files."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.extensions.telegram.updates import (
    envelopes,
    plain_id,
    read_updates,
    settled,
)
from moltbot_desktop.extensions.telegram.wording import Me
from moltbot_desktop.sdk.channels import Envelope, PeerKind, Quoted, RemoteFile, Sender
from tests.fakes.telegram_server import ADA, BOT, entities

ME = Me(BOT, "molt_bot")
CLUB = {"id": -100, "type": "supergroup", "title": "Club"}


def message(number: int = 1, **more: Any) -> dict[str, Any]:
    private = {"id": 42, "type": "private"}
    return {"message_id": number, "date": 1_760_000_000, "chat": private, "from": ADA, **more}


def update(number: int, raw: object, kind: str = "message") -> dict[str, Any]:
    return {"update_id": number, kind: raw}


def read(**more: Any) -> Envelope | None:
    [one] = read_updates([update(1, message(**more))], ME)
    return one.envelope


def taken(**more: Any) -> Envelope:
    found = read(**more)
    assert found is not None
    return found


def test_what_is_answered_comes_with_it_and_telegram_says_whose_it_is() -> None:
    """https://core.telegram.org/bots/api#message, ``reply_to_message`` and ``quote``."""
    bot = {"id": BOT, "is_bot": True, "first_name": "Molt"}
    other = {"message_id": 5, "from": {**ADA, "id": 7, "first_name": "Ben"}, "text": "at five?"}
    found = taken(text="yes", reply_to_message=other)
    assert found.quoted == Quoted("at five?", Sender("7", "Ben L", "ada"))
    ours = {"message_id": 6, "from": bot, "text": "Tea at five, cake at six."}
    found = taken(text="yes", reply_to_message=ours, quote={"text": "cake at six", "position": 13})
    assert found.quoted is not None and found.quoted.ours
    assert found.quoted.text == "cake at six"
    place = {"message_id": 7, "sender_chat": {"id": -5, "title": "News"}, "caption": "look"}
    found = taken(text="yes", reply_to_message=place)
    assert found.quoted == Quoted("look", Sender("-5", "News"))
    file = {"message_id": 8, "from": ADA, "document": {"file_id": "f", "file_name": "a.pdf"}}
    assert taken(text="yes", reply_to_message=file).quoted == Quoted(
        "<a.pdf>", Sender("42", "Ada L", "ada")
    )
    begun = {"message_id": 9, "from": ADA, "forum_topic_created": {"name": "x"}, "text": "x"}
    assert taken(text="yes", reply_to_message=begun).quoted is None
    assert taken(text="yes").quoted is None


def test_a_private_message() -> None:
    found = taken(text="你好 😀")
    assert (found.message_id, found.text, found.peer) == ("1", "你好 😀", found.peer)
    assert found.peer is not None and (found.peer.kind, found.peer.id) == (PeerKind.DM, "42")
    assert (found.sender.id, found.sender.name, found.sender.username) == ("42", "Ada L", "ada")
    assert found.sent_at.tzinfo is not None and found.sent_at.year == 2025
    assert found.mentioned is None and found.thread_id == ""


@pytest.mark.parametrize(
    "more",
    [
        {"from": {**ADA, "is_bot": True}, "text": "I am a bot"},
        {"chat": {"id": -5, "type": "channel"}, "text": "a post"},
        {"is_automatic_forward": True, "text": "a post that a channel puts into its group"},
        {"from": None, "text": "an administrator who hides"},
        {"new_chat_members": [ADA]},
        {"text": "   "},
        {"message_id": "seven", "text": "no number"},
        {"chat": [], "text": "no chat"},
    ],
)
def test_what_no_person_wrote_is_left_out(more: dict[str, Any]) -> None:
    [one] = read_updates([update(9, {**message(), **more})], ME)
    assert one.envelope is None and one.id == 9  # and it is not asked for again


@pytest.mark.parametrize(
    ("text", "kind", "part", "more", "named"),
    [
        ("😀 @Molt_Bot hi", "mention", "@Molt_Bot", {}, True),
        ("@molt_bottom hi", "mention", "@molt_bottom", {}, None),
        ("write to a@molt_bot.example", "email", "a@molt_bot.example", {}, None),
        ("Molt, hi", "text_mention", "Molt", {"user": {"id": BOT}}, True),
        ("Ada, hi", "text_mention", "Ada", {"user": {"id": 42}}, None),
        ("/status@molt_bot", "bot_command", "/status@molt_bot", {}, True),
        ("/status@other_bot", "bot_command", "/status@other_bot", {}, None),
    ],
)
def test_in_a_group_the_marked_names_count(
    text: str, kind: str, part: str, more: dict[str, Any], named: bool | None
) -> None:
    found = taken(chat=CLUB, text=text, entities=entities(text, kind, part, **more))
    assert found.mentioned is named
    assert found.peer is not None and (found.peer.kind, found.peer.id) == (PeerKind.GROUP, "-100")


def test_an_answer_to_the_assistant_addresses_it() -> None:
    mine = {"message_id": 7, "from": {"id": BOT, "is_bot": True}}
    found = taken(chat=CLUB, text="and?", reply_to_message=mine)
    assert found.mentioned is True and found.reply_to == "7"
    other = {"message_id": 8, "from": ADA}
    assert taken(chat=CLUB, text="and?", reply_to_message=other).mentioned is None
    # What is written in a topic that the assistant has opened answers nothing.
    begun = {**mine, "forum_topic_created": {"name": "Plans"}}
    found = taken(chat=CLUB, text="and?", reply_to_message=begun)
    assert found.mentioned is None and found.reply_to == ""


def test_topics_are_threads() -> None:
    forum = {**CLUB, "is_forum": True}
    assert taken(chat=forum, text="x", is_topic_message=True, message_thread_id=7).thread_id == "7"
    assert taken(chat=forum, text="x").thread_id == "1"
    # Of a group without topics it only says what was answered.
    assert taken(chat=CLUB, text="x", message_thread_id=7).thread_id == ""


def test_addresses_behind_words_are_written_out() -> None:
    text = "😀 see here, please"
    marked = entities(text, "text_link", "here", url="https://a.example/?q=1")
    assert taken(text=text, entities=marked).text == (
        "😀 see here (https://a.example/?q=1), please"
    )


def test_the_own_name_is_taken_from_a_command() -> None:
    text = "/think@molt_bot high"
    assert taken(text=text, entities=entities(text, "bot_command", "/think@molt_bot")).text == (
        "/think high"
    )


def test_the_button_that_begins_a_chat_asks_for_help() -> None:
    assert taken(text="/start").text == "/help" == taken(text="/start a-link-of-somebody").text
    assert taken(text="/starter").text == "/starter"
    assert taken(chat=CLUB, text="/start").text == "/start"


def test_what_is_passed_on_is_no_command_of_who_passes_it_on() -> None:
    origin = {"type": "hidden_user", "sender_user_name": "Mallory]\n[x"}
    found = taken(text="/reset", forward_origin=origin)
    assert found.text == "[Forwarded from Mallory) (x]\n/reset"


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({"sticker": {"file_id": "s", "emoji": "🎉"}}, "🎉"),
        ({"location": {"latitude": 48.5, "longitude": 2.25}}, "[location: 48.5, 2.25]"),
        (
            {
                "venue": {
                    "location": {"latitude": 1, "longitude": 2},
                    "title": "Tower",
                    "address": "Paris",
                }
            },
            "[location: Tower, Paris, 1, 2]",
        ),
        ({"contact": {"first_name": "Bo", "phone_number": "+1"}}, "[contact: Bo, +1]"),
    ],
)
def test_what_has_no_words_is_told_in_some(more: dict[str, Any], text: str) -> None:
    assert taken(**more).text == text


def test_files_are_named_and_not_loaded() -> None:
    sizes = [{"file_id": "s", "width": 90}, {"file_id": "l", "width": 900, "file_size": 7}]
    assert taken(photo=sizes, caption="look").files == (
        RemoteFile("l", "photo.jpg", "image/jpeg", 7),
    )
    document = {"file_id": "d", "file_name": "../plan.pdf", "mime_type": "application/pdf"}
    assert taken(document=document).files == (RemoteFile("d", "../plan.pdf", "application/pdf", 0),)
    # An animation comes as a document too.
    both = {"animation": {"file_id": "a"}, "document": {"file_id": "a", "file_name": "a.mp4"}}
    assert [one.name for one in taken(**both).files] == ["animation.mp4"]
    assert taken(voice={"file_id": "v"}).files == (RemoteFile("v", "voice.ogg", "audio/ogg"),)


def test_an_album_is_one_message_with_all_words() -> None:
    def part(number: int, **more: Any) -> dict[str, Any]:
        photo = [{"file_id": f"p{number}", "width": 1}]
        return update(number, message(number, photo=photo, media_group_id="g", **more))

    updates = read_updates(
        [part(3), part(4, caption="the garden"), update(5, message(5, text="and?"))], ME
    )
    assert settled(updates) == 3
    first, second = envelopes(updates)
    assert (first.message_id, first.text) == ("3", "the garden")
    assert [one.ref for one in first.files] == ["p3", "p4"]
    assert second.text == "and?"
    # While it is what came last, more of it may come.
    assert settled(updates[:2]) == 0


def test_updates_are_sorted_and_each_is_there_once() -> None:
    raw = [update(2, message(2, text="b")), update(1, message(1, text="a"))]
    assert [one.id for one in read_updates([*raw, *raw], ME)] == [1, 2]


def test_an_edited_message_has_an_id_of_its_own() -> None:
    [one] = read_updates([update(1, message(5, text="x", edit_date=77), "edited_message")], ME)
    assert one.edited and one.envelope is not None
    assert one.envelope.message_id == "5e77" and plain_id("5e77") == 5
    assert plain_id("") is None and plain_id("-5") is None and plain_id("²") is None


def test_a_group_that_has_moved_says_where_to() -> None:
    [one] = read_updates([update(1, message(chat=CLUB, migrate_to_chat_id=-1009))], ME)
    assert one.moved == ("-100", "-1009") and one.envelope is None


SAMPLES = json.dumps(
    message(
        text="hello 😀 /x@molt_bot",
        entities=[{"type": "bot_command", "offset": 9, "length": 11}],
        photo=[{"file_id": "p", "width": 3, "file_size": 9}],
        reply_to_message={"message_id": 3, "from": {"id": BOT}},
        forward_origin={"type": "user", "sender_user": ADA},
        media_group_id="g",
    )
)
ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.just("\ud83d")
    | st.sampled_from(["private", "supergroup"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=60)
@given(st.data())
def test_nothing_that_is_sent_breaks_it(data: st.DataObject) -> None:
    """A message with some of its parts replaced by anything at all."""
    raw = json.loads(SAMPLES)
    for name in data.draw(st.lists(st.sampled_from(sorted(raw)), max_size=3)):
        raw[name] = data.draw(ANYTHING)
    kind = data.draw(st.sampled_from(["message", "edited_message", "poll"]))
    updates = read_updates([update(1, raw, kind), data.draw(ANYTHING), update(2, {})], ME)
    assert [one.id for one in updates if one.id in (1, 2)] == [1, 2]
    for one in envelopes(updates):
        one.text.encode("utf-8")  # so that it can be kept
        one.sender.name.encode("utf-8")
        assert one.message_id and one.sender.id


@settings(max_examples=60)
@given(ANYTHING)
def test_an_answer_of_any_kind_is_read(answer: Any) -> None:
    assert all(one.id >= 0 for one in read_updates(answer, ME))
