"""What the headers of an e-mail say, and whether it is one that is ever answered; pure.

    head = read_head(raw)                     # raw: the header block, as the server gave it
    head.sender                               # "ada@example.org", "" when that cannot be told
    head.silence                              # why it is never answered, None for a person's letter

An address counts when there is exactly one, written the plain way, and two ways of reading it
agree. Names are to be shown and nothing else.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email.errors import HeaderParseError, MessageError
from email.headerregistry import AddressHeader, HeaderRegistry
from email.message import Message
from email.parser import BytesHeaderParser
from email.policy import compat32
from enum import Enum

from moltbot_desktop.extensions.email.charsets import header_text

MOST_HEADER_BYTES = 128_000
LONGEST_ADDRESS = 254
LONGEST_NAME = 100
LONGEST_SUBJECT = 300
LONGEST_ID = 200
MOST_REFERENCES = 50
_LONGEST_FROM = 1_000
_LONGEST_LIST = 20_000
_ATOM = r"[a-z0-9!#$%&'*+/=?^_`{|}~-]"
_PLAIN = re.compile(
    rf"{_ATOM}(?:{_ATOM}|\.(?!\.)){{0,63}}(?<!\.)@(?:[a-z0-9-]{{1,63}}\.)+[a-z0-9-]{{1,63}}"
)
_BRACKETED = re.compile(r"[^<>]*<([^<>\s]*)>\s*")
_ID = re.compile(r"<([^<>\s]{1,998})>")
_NOBODY = frozenset(
    "noreply no-reply no_reply donotreply do-not-reply do_not_reply nepasrepondre "
    "mailer-daemon maildaemon mail-daemon daemon bounce bounces autoreply auto-reply "
    "postmaster".split()
)
_ROBOTS = ("noreply-", "no-reply-", "bounce-", "bounces-", "bounce+", "bounces+", "noreply+")
_LISTS = ("list-id", "list-post", "list-help", "list-unsubscribe", "list-subscribe", "list-owner")
_MORE_LISTS = ("list-archive", "mailing-list", "x-mailing-list", "x-mailman-version")


class Silence(Enum):
    """Why an e-mail is never answered."""

    LIST = "a mailing list"
    AUTOMATIC = "written by a program"
    BOUNCE = "a report of delivery"
    NO_REPLY = "from an address that nobody reads"
    BROKEN = "a header that is cut"


@dataclass(frozen=True)
class Head:
    """Attributes:
    sender: the address, lower-case; "" unless exactly one stands there the plain way.
    written: what stands in ``From``, to be shown.
    subject: decoded, in one line.
    message_id: without its brackets; one of our own making where there is none.
    answers: ids of what it answers, the first of the conversation first.
    results: the values of Authentication-Results, the topmost first.
    """

    sender: str
    name: str
    written: str
    subject: str
    message_id: str
    in_reply_to: str
    answers: tuple[str, ...]
    results: tuple[str, ...]
    silence: Silence | None

    @property
    def domain(self) -> str:
        return self.sender.rpartition("@")[2]

    @property
    def thread(self) -> str:
        """The id of the conversation's first e-mail."""
        return self.answers[0] if self.answers else self.message_id


def read_head(raw: bytes) -> Head:
    """Anything at all is read; what makes no sense is not there."""
    message = BytesHeaderParser(policy=compat32).parsebytes(raw[:MOST_HEADER_BYTES])
    senders = _all(message, "from")
    sender, name = read_sender(senders[0]) if len(senders) == 1 else ("", "")
    references = _ids(" ".join(_all(message, "references")))
    in_reply_to = (_ids(" ".join(_all(message, "in-reply-to"))) or ("",))[0]
    answers = references or ((in_reply_to,) if in_reply_to else ())
    own = _ids(" ".join(_all(message, "message-id")[:1]))
    return Head(
        sender,
        name,
        header_text(", ".join(senders))[:LONGEST_NAME],
        header_text((_all(message, "subject") or [""])[0])[:LONGEST_SUBJECT],
        own[0] if own else f"none-{hashlib.sha256(raw).hexdigest()[:32]}",
        in_reply_to,
        answers[:1] + answers[1:][-MOST_REFERENCES:],
        tuple(_all(message, "authentication-results")),
        _silence(message, sender, raw),
    )


def read_sender(value: str) -> tuple[str, str]:
    """The address and the name of a ``From`` line; ("", "") for any but one plain address.

    `value` has bytes beyond ASCII as surrogates.
    """
    value = value.replace("\r", "").replace("\n", "").strip()
    bracketed = _BRACKETED.fullmatch(value) if len(value) <= _LONGEST_FROM else None
    address = plain_address(bracketed[1] if bracketed else value)
    if not address:
        return "", ""
    shown = value.encode("ascii", "surrogateescape") if _is_raw(value) else value.encode()
    header = _parsed(shown.decode("utf-8", "replace"))
    if header is None or header[0].lower() != address:
        return "", ""
    return address, header_text(header[1])[:LONGEST_NAME]


def plain_address(text: str) -> str:
    """An address in lower case, "" unless it is ``name@domain`` of ASCII without quotes: letters
    of other alphabets can look like these."""
    low = text.strip().lower()
    fits = text.isascii() and len(low) <= LONGEST_ADDRESS and _PLAIN.fullmatch(low)
    return low if fits else ""


def short_id(text: str) -> str:
    """An id of at most `LONGEST_ID` characters, the same for the same."""
    if len(text) <= LONGEST_ID:
        return text
    return f"long-{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()}"


def _parsed(value: str) -> tuple[str, str] | None:
    """Address and name as the standard library reads them; None for none or several."""
    try:
        header: object = HeaderRegistry()("from", value)
        if not isinstance(header, AddressHeader) or len(header.addresses) != 1:
            return None
        if any(one.display_name is not None for one in header.groups):
            return None
        return str(header.addresses[0].addr_spec), str(header.addresses[0].display_name)
    except (HeaderParseError, MessageError, ValueError, LookupError, TypeError):
        return None
    except (AttributeError, RecursionError):  # its parser breaks on some of what it does not know
        return None


def _all(message: Message, name: str) -> list[str]:
    return [str(value) for value in _values(message, name)]


def _values(message: Message, name: str) -> Sequence[object]:
    # As they stand: `get_all` would make an object of what has bytes beyond ASCII.
    return [value for key, value in message.raw_items() if key.lower() == name]


def _ids(text: str) -> tuple[str, ...]:
    found = (short_id(one) for one in _ID.findall(text[:_LONGEST_LIST]))
    return tuple(dict.fromkeys("".join(c for c in one if " " < c < "\x7f") for one in found if one))


def _silence(message: Message, sender: str, raw: bytes) -> Silence | None:
    headers: Mapping[str, str] = {
        key.lower(): str(value).strip().lower()[:500] for key, value in message.raw_items()
    }
    kind = headers.get("content-type", "")
    local = sender.partition("@")[0]
    if len(raw) >= MOST_HEADER_BYTES:
        return Silence.BROKEN
    if kind.startswith(("multipart/report", "message/delivery-status")):
        return Silence.BOUNCE
    if headers.get("return-path", "x").replace(" ", "") in ("<>", ""):
        return Silence.BOUNCE
    if any(name in headers for name in (*_LISTS, *_MORE_LISTS)):
        return Silence.LIST
    if headers.get("precedence", "") in ("bulk", "list", "junk", "auto_reply"):
        return Silence.LIST
    if headers.get("auto-submitted", "no").partition(";")[0].strip() != "no":
        return Silence.AUTOMATIC
    suppressed = headers.get("x-auto-response-suppress", "").replace(",", " ").split()
    if any(one in ("all", "autoreply") for one in suppressed):
        return Silence.AUTOMATIC
    if any(name in headers for name in ("x-autoreply", "x-autorespond", "x-loop")):
        return Silence.AUTOMATIC
    if local in _NOBODY or local.startswith(_ROBOTS):
        return Silence.NO_REPLY
    return None


def _is_raw(value: str) -> bool:
    return all(one < "\x80" or "\udc80" <= one <= "\udcff" for one in value)
