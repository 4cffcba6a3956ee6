"""What a message stanza says, read from its XML; pure.

    heard = read_message(stanza.xml)            # Heard(...), or None for what is no text
    archived = read_archived(result.xml)        # the same out of the server's archive (XEP-0313)
    heard.archive_id("molty@example.org")       # where it stands in that archive, "" nowhere

Only the archive whose owner says it is believed: ``stanza-id`` names who gave it (XEP-0359, 4).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from types import MappingProxyType
from xml.etree import ElementTree as ET

_CLIENT = "{jabber:client}"
_SID = "{urn:xmpp:sid:0}stanza-id"
_DELAY = "{urn:xmpp:delay}delay"
_CORRECTION = "{urn:xmpp:message-correct:0}replace"
_REPLY = "{urn:xmpp:reply:0}reply"
_FALLBACK = "{urn:xmpp:fallback:0}fallback"
_FALLBACK_BODY = "{urn:xmpp:fallback:0}body"
_REPLIES = "urn:xmpp:reply:0"
_RETRACT = "{urn:xmpp:message-retract:1}retract"
_RESULT = "{urn:xmpp:mam:2}result"
_FORWARDED = "{urn:xmpp:forward:0}forwarded"
_NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LONGEST_ID = 500
_NOBODY: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class Heard:
    """A message with a text.

    Attributes:
        sender: full JID; of a room ``room@service/nick``.
        kind: ``chat``, ``normal`` or ``groupchat``.
        id: the sender's; "" when there is none.
        archive_ids: by the JID that gave them.
        sent_at: None when it was sent just now.
        reply_to: id of what it answers.
        answered: who wrote that, as whoever answers has it.
        quoted: what it said, likewise; it is no part of `text`.
    """

    sender: str
    kind: str
    id: str
    text: str
    archive_ids: Mapping[str, str] = field(default_factory=lambda: _NOBODY)
    sent_at: datetime | None = None
    reply_to: str = ""
    answered: str = ""
    quoted: str = ""

    @property
    def bare(self) -> str:
        """Without the part after the slash."""
        return self.sender.partition("/")[0].lower()

    @property
    def resource(self) -> str:
        return self.sender.partition("/")[2]

    def archive_id(self, owner: str) -> str:
        return self.archive_ids.get(owner, "")


def read_message(xml: ET.Element) -> Heard | None:
    """None for what says nothing new: states, corrections of what was answered already, errors,
    and what comes out of an archive."""
    kind = xml.get("type", "normal")
    text = xml.findtext(f"{_CLIENT}body") or ""
    silent = any(xml.find(one) is not None for one in (_CORRECTION, _RETRACT, _RESULT))
    sender = xml.get("from", "")
    if kind not in ("chat", "normal", "groupchat") or silent or not text.strip() or not sender:
        return None
    given = [(one.get("by", "").lower(), one.get("id", "")) for one in xml.iterfind(_SID)]
    delay = xml.find(_DELAY)
    reply = xml.find(_REPLY)
    text, quoted = _parted(xml, text) if reply is not None else (text, "")
    return Heard(
        sender,
        kind,
        xml.get("id", "")[:_LONGEST_ID],
        text,
        MappingProxyType({by: name[:_LONGEST_ID] for by, name in given if by and name}),
        _time(delay),
        reply.get("id", "")[:_LONGEST_ID] if reply is not None else "",
        reply.get("to", "")[:_LONGEST_ID] if reply is not None else "",
        quoted,
    )


def _parted(xml: ET.Element, text: str) -> tuple[str, str]:
    """What somebody says, and what they quote for programs that know no answers: it stands before
    the words, and the stanza says how far. https://xmpp.org/extensions/xep-0461.html#compat
    Places count characters: https://xmpp.org/extensions/xep-0428.html"""
    for mark in xml.iterfind(_FALLBACK):
        body = mark.find(_FALLBACK_BODY)
        if mark.get("for") != _REPLIES or body is None:
            continue
        start, end = body.get("start", ""), body.get("end", "")
        if not (start.isascii() and start.isdigit() and end.isascii() and end.isdigit()):
            continue
        if len(start) > 6 or len(end) > 6 or not int(start) < int(end) <= len(text):
            continue
        words = text[: int(start)] + text[int(end) :]
        if words.strip():  # else the quote is all that is said
            lines = text[int(start) : int(end)].strip().split("\n")
            return words.strip(), "\n".join(one.removeprefix(">").strip() for one in lines)
    return text, ""


def read_archived(xml: ET.Element, owner: str) -> Heard | None:
    """The message in a ``result`` of the archive of `owner` (bare JID)."""
    result = xml.find(_RESULT)
    forwarded = result.find(_FORWARDED) if result is not None else None
    message = forwarded.find(f"{_CLIENT}message") if forwarded is not None else None
    if result is None or forwarded is None or message is None:
        return None
    heard = read_message(message)
    if heard is None:
        return None
    ids = MappingProxyType({owner: result.get("id", "")[:_LONGEST_ID]})
    return replace(heard, archive_ids=ids, sent_at=_time(forwarded.find(_DELAY)))


def xml_text(text: str) -> str:
    """`text` without what no XML may have: a server ends the connection at it."""
    return _NOT_IN_XML.sub("", text)


def names(text: str, nick: str) -> bool:
    """Whether `nick` stands in `text` as a word of its own."""
    found = rf"(?<!\w){re.escape(nick)}(?!\w)"
    return bool(nick) and re.search(found, text, re.IGNORECASE) is not None


def _time(delay: ET.Element | None) -> datetime | None:
    if delay is None:
        return None
    try:
        found = datetime.fromisoformat(delay.get("stamp", ""))
    except ValueError:
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
