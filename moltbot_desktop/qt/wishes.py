"""What another start, a shell or a link may ask of the program that runs, and how it is written.

    Wish.of_page("memory")                       # moltbot-desktop open memory
    wish_of_link("moltbot://ask?text=hello")     # fills the field of the quick question
    read_wish(written(wish)) == wish             # one line of the socket

A wish shows something or fills a field. None says yes, sends, changes or carries a key: whoever
can write to the socket or make a link that is clicked is not the owner pressing Enter.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Self
from urllib.parse import parse_qsl, unquote, urlsplit

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.late import LateModule

if TYPE_CHECKING:
    import json
else:
    json = LateModule("json")

SCHEME = "moltbot"
MOST_TEXT = 4_000
"""Characters that a link may put into the field: a question with a paragraph to go with it."""
MOST_BYTES = 32_768
"""Of a wish as it is written: the longest text, each character six bytes."""
_PAGE = re.compile(r"[a-z][a-z-]{0,31}")
_LONGEST_LINK = 16_384
_CHAT = "chat"


class WishKind(StrEnum):
    WINDOW = "window"
    SETTINGS = "settings"
    TOGGLE = "toggle"
    """Show the quick question, or hide it."""
    PAGE = "page"
    ASK = "ask"
    """Show the quick question with a text in its field."""


@dataclass(frozen=True)
class Wish:
    """One request.

    Attributes:
        page: of `PAGE`, a name of lower-case letters; whoever shows pages knows which there are.
        text: of `ASK`, what to put into the field.
    """

    kind: WishKind
    page: str = ""
    text: str = ""

    @classmethod
    def of_page(cls, page: str) -> Self:
        """The wish for a page; the chat and the settings are ones of their own.

        Raises:
            UserInputInvalid: no page is called like that.
        """
        if page in ("", _CHAT):
            return cls(WishKind.WINDOW)
        if page == WishKind.SETTINGS:
            return cls(WishKind.SETTINGS)
        if not _PAGE.fullmatch(page):
            raise UserInputInvalid("There is no such page.")
        return cls(WishKind.PAGE, page=page)

    @classmethod
    def of_text(cls, text: str) -> Self:
        """The wish for a quick question that `text` stands in already."""
        return cls(WishKind.ASK, text=_plain(text)[:MOST_TEXT])


WINDOW = Wish(WishKind.WINDOW)
SETTINGS = Wish(WishKind.SETTINGS)
TOGGLE = Wish(WishKind.TOGGLE)


def wish_of_link(link: str) -> Wish:
    """What a ``moltbot:`` address asks for: ``moltbot://ask?text=...``, ``moltbot://open/memory``.

    Everything else in it, a key or a token too, is left unread.

    Raises:
        UserInputInvalid: it is no such address.
    """
    refused = UserInputInvalid(
        "This link asks for nothing that I know.",
        hint="Links begin with moltbot://ask?text= or moltbot://open/.",
    )
    if len(link) > _LONGEST_LINK:
        raise refused
    try:
        parts = urlsplit(link)
        if parts.scheme != SCHEME:
            raise refused
        # Desktops hand on both forms: moltbot://ask?... and moltbot:ask?...
        verb, _, rest = f"{parts.netloc}{parts.path}".partition("/")
        given = dict(parse_qsl(parts.query, max_num_fields=20, errors="replace"))
    except ValueError as error:
        raise refused from error
    match verb.lower():
        case "ask":
            return Wish.of_text(given.get("text", ""))
        case "open":
            return Wish.of_page(unquote(rest).strip("/").lower())
        case _:
            raise refused


def is_link(text: str) -> bool:
    """Whether `text` is meant as an address of ours, right or wrong."""
    return text[: len(SCHEME) + 1].lower() == f"{SCHEME}:"


def written(wish: Wish) -> bytes:
    """`wish` as one line."""
    line = {"wish": wish.kind.value, "page": wish.page, "text": wish.text}
    return json.dumps({key: value for key, value in line.items() if value}).encode() + b"\n"


def read_wish(line: bytes) -> Wish | None:
    """What `written` wrote; None for anything else."""
    try:
        read = json.loads(line) if len(line) <= MOST_BYTES else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(read, dict):
        return None
    page, text = read.get("page", ""), read.get("text", "")
    if not isinstance(page, str) or not isinstance(text, str):
        return None
    try:
        match WishKind(read.get("wish", "")):
            case WishKind.PAGE:
                return Wish.of_page(page)
            case WishKind.ASK:
                return Wish.of_text(text)
            case kind:
                return Wish(kind)
    except (ValueError, TypeError, UserInputInvalid):
        return None


def _plain(text: str) -> str:
    """Without what could hide or turn the words that the owner is about to send."""
    return "".join(one for one in text if one in "\n\t" or one.isprintable())
