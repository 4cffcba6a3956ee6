"""What an XMPP message says, and who is believed about it."""

from __future__ import annotations

from datetime import UTC, datetime
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.extensions.xmpp.cursors import Cursors
from moltbot_desktop.extensions.xmpp.settings import settings_from
from moltbot_desktop.extensions.xmpp.stanzas import names, read_archived, read_message, xml_text

ME = "molty@example.org"


def message(inside: str, attributes: str = "type='chat' id='m1'") -> ET.Element:
    head = f"<message xmlns='jabber:client' from='Ada@example.org/phone' {attributes}>"
    return ET.fromstring(f"{head}{inside}</message>")


def archived(inside: str) -> ET.Element:
    result = (
        "<result xmlns='urn:xmpp:mam:2' id='a-7'><forwarded xmlns='urn:xmpp:forward:0'>"
        "<delay xmlns='urn:xmpp:delay' stamp='2026-11-22T12:00:00Z'/>"
        f"<message xmlns='jabber:client' from='ada@example.org/p' id='m1' type='chat'>{inside}"
        "</message></forwarded></result>"
    )
    return ET.fromstring(f"<message xmlns='jabber:client' from='{ME}'>{result}</message>")


def test_a_message_with_its_place_in_the_archive() -> None:
    """https://xmpp.org/extensions/xep-0359.html"""
    heard = read_message(
        message(
            f"<body>hello</body><stanza-id xmlns='urn:xmpp:sid:0' by='{ME}' id='a-1'/>"
            "<stanza-id xmlns='urn:xmpp:sid:0' by='eve@example.org' id='forged'/>"
            "<reply xmlns='urn:xmpp:reply:0' id='m0'/>"
        )
    )
    assert heard is not None
    assert (heard.bare, heard.resource, heard.id) == ("ada@example.org", "phone", "m1")
    assert (heard.text, heard.reply_to, heard.sent_at) == ("hello", "m0", None)
    assert heard.archive_id(ME) == "a-1" and heard.archive_id("else@example.org") == ""


FALLBACK = (
    "<fallback xmlns='urn:xmpp:fallback:0' for='urn:xmpp:reply:0'>"
    "<body xmlns='urn:xmpp:fallback:0' {}/></fallback>"
)
REPLY = "<reply xmlns='urn:xmpp:reply:0' to='ben@example.org' id='m0'/>"


def test_what_is_quoted_for_older_programs_is_no_part_of_the_words() -> None:
    """https://xmpp.org/extensions/xep-0461.html#compat"""
    body = "<body>&gt; tea 😀\n&gt; at five\nand cake</body>"
    heard = read_message(message(body + REPLY + FALLBACK.format("start='0' end='18'")))
    assert heard is not None
    assert (heard.text, heard.quoted) == ("and cake", "tea 😀\nat five")
    assert (heard.reply_to, heard.answered) == ("m0", "ben@example.org")


@pytest.mark.parametrize(
    "place",
    ["", "start='0'", "start='a' end='2'", "start='-1' end='2'", "start='0' end='999'",
     "start='9' end='2'", "start='0' end='18000000'", "start='0' end='26'"],
)  # fmt: skip
def test_a_quote_without_a_sound_place_is_words(place: str) -> None:
    body = "<body>&gt; tea 😀\n&gt; at five\nand cake</body>"
    heard = read_message(message(body + REPLY + FALLBACK.format(place)))
    assert heard is not None and heard.quoted == "" and "and cake" in heard.text


def test_a_quote_without_an_answer_is_words() -> None:
    body = "<body>&gt; tea\nand cake</body>"
    heard = read_message(message(body + FALLBACK.format("start='0' end='6'")))
    assert heard is not None and (heard.text, heard.quoted) == ("> tea\nand cake", "")


def test_a_message_out_of_the_archive() -> None:
    """https://xmpp.org/extensions/xep-0313.html; what the sender says of the archive is nothing."""
    forged = f"<stanza-id xmlns='urn:xmpp:sid:0' by='{ME}' id='forged'/>"
    heard = read_archived(archived(f"<body>hi</body>{forged}"), ME)
    assert heard is not None and heard.archive_id(ME) == "a-7"
    assert heard.sent_at == datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "inside",
    [
        "",
        "<body> </body>",
        "<active xmlns='http://jabber.org/protocol/chatstates'/>",
        "<body>new words</body><replace xmlns='urn:xmpp:message-correct:0' id='m0'/>",
        "<body>gone</body><retract xmlns='urn:xmpp:message-retract:1' id='m0'/>",
        "<body>x</body><result xmlns='urn:xmpp:mam:2' id='a'/>",
    ],
)
def test_what_says_nothing_new_is_left(inside: str) -> None:
    assert read_message(message(inside)) is None
    assert inside.startswith("<body>x") or read_archived(archived(inside), ME) is None


def test_an_error_is_no_message() -> None:
    assert read_message(message("<body>x</body>", "type='error'")) is None
    assert read_archived(message("<body>x</body>"), ME) is None


_TAGS = [
    "{jabber:client}body",
    "{urn:xmpp:mam:2}result",
    "{urn:xmpp:forward:0}forwarded",
    "{jabber:client}message",
    "{urn:xmpp:delay}delay",
    "{urn:xmpp:sid:0}stanza-id",
]


def _elements() -> st.SearchStrategy[ET.Element]:
    def made(
        tag: str, text: str, attributes: dict[str, str], inside: list[ET.Element]
    ) -> ET.Element:
        element = ET.Element(tag, attributes)
        element.text = text
        element.extend(inside)
        return element

    values = st.sampled_from(["", "a@b/c", "chat", "2026-11-22", "2026-11-22T12:00:00", "x"])
    attributes = st.dictionaries(st.sampled_from(["from", "id", "by", "type", "stamp"]), values)
    leaf = st.builds(made, st.sampled_from(_TAGS), st.text(max_size=5), attributes, st.just([]))
    return st.recursive(
        leaf,
        lambda inner: st.builds(
            made,
            st.sampled_from(_TAGS),
            st.text(max_size=5),
            attributes,
            st.lists(inner, max_size=4),
        ),
        max_leaves=8,
    )


@given(_elements())
@settings(max_examples=150, deadline=None)
def test_whatever_comes_is_read_or_left(xml: ET.Element) -> None:
    for heard in (read_message(xml), read_archived(xml, ME)):
        assert heard is None or heard.text.strip()


@given(st.text(max_size=60))
@settings(max_examples=150, deadline=None)
def test_what_is_sent_is_always_xml(text: str) -> None:
    clean = xml_text(text)
    element = ET.Element("body")
    element.text = clean
    assert (ET.fromstring(ET.tostring(element, "unicode")).text or "").split() == clean.split()


def test_a_nick_is_a_word_of_its_own() -> None:
    assert names("hi Molty!", "molty") and names("molty：你好", "molty")
    assert not names("moltys", "molty") and not names("hi", "")


def test_one_cursor_for_several_archives() -> None:
    cursors = Cursors().moved(ME, "a-1").moved("lab@muc", "r-1").moved(ME, "a-2").moved("x@y", "")
    assert Cursors.parsed(cursors.text) == cursors
    assert dict(cursors.last) == {ME: "a-2", "lab@muc": "r-1"}


@pytest.mark.parametrize("text", ["", "no", "[]", "3", '{"a": 1, "b": ""}'])
def test_a_cursor_that_is_none_is_the_beginning(text: str) -> None:
    assert Cursors.parsed(text) == Cursors() and Cursors().text == ""


def test_settings_as_people_write_them() -> None:
    found = settings_from(
        {"jid": "Molty@Example.org/home", "password": "x", "rooms": ["Tea@muc.example.org secret"]}
    )
    assert (found.jid, found.domain, found.port) == (ME, "example.org", 5222)
    assert found.rooms == (("tea@muc.example.org", "secret"),)
    assert settings_from({"jid": "a@b", "password": "x", "directTls": True}).port == 5223
