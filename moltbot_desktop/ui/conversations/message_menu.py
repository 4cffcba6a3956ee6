"""What can be done with a message: copy, quote, say it in other words, ask again, turn to another
version. Pure but for the menu itself.

    offered(entry, Standing(answerable=True, busy=False))     # in the order of the menu
    message_menu(offers, do, parent)                          # do(Doing.COPY)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QMenu, QWidget

from moltbot_desktop.sdk.channel_abilities import Markup
from moltbot_desktop.sdk.markup import rendered
from moltbot_desktop.ui.composer import MAX_TYPED_CHARACTERS
from moltbot_desktop.ui.entries import (
    AnswerEntry,
    Entry,
    EntryId,
    NoticeEntry,
    UserEntry,
)
from moltbot_desktop.ui.markup import CodeBlock, MarkdownReader

translate = QCoreApplication.translate

MOST_QUOTED = 2_000
"""Characters; who quotes more than that quotes the wrong thing."""


class Doing(StrEnum):
    """One thing to do with a message."""

    COPY = "copy"
    COPY_PLAIN = "copy-plain"
    COPY_CODE = "copy-code"
    QUOTE = "quote"
    EDIT = "edit"
    AGAIN = "again"
    BACK = "back"
    """To the version before."""
    ON = "on"


@dataclass(frozen=True)
class Standing:
    """What a person can do in the conversation that is shown.

    Attributes:
        answerable: what is said is answered there.
        busy: an answer is being written.
    """

    answerable: bool
    busy: bool


@dataclass(frozen=True)
class Offer:
    """`words` as a menu says it; `why_not`, a sentence, while it cannot be done."""

    doing: Doing
    words: str
    why_not: str = ""


def offered(entry: Entry | None, standing: Standing, *, forms: bool = True) -> tuple[Offer, ...]:
    """What can be done with `entry`, () for what is no message.

    Args:
        forms: look for other forms to copy it in, which reads all of it.
    """
    if entry is None or not text_of(entry):
        return ()
    offers = [Offer(Doing.COPY, translate("Conversations", "Copy"))]
    offers += _copies(entry) if forms else ()
    if not standing.answerable:
        return tuple(offers)
    offers.append(Offer(Doing.QUOTE, translate("Conversations", "Quote")))
    wait = translate("Conversations", "An answer is being written: wait for its end, or stop it.")
    why_not = wait if standing.busy else ""
    if isinstance(entry, UserEntry | AnswerEntry) and entry.said:
        if isinstance(entry, UserEntry):
            edit = translate("Conversations", "Edit and send again…")
            offers.append(Offer(Doing.EDIT, edit, why_not or _too_long(entry)))
        again = translate("Conversations", "Answer again")
        offers.append(Offer(Doing.AGAIN, again, why_not))
        offers += _versions(entry, why_not)
    return tuple(offers)


def _copies(entry: Entry) -> Iterator[Offer]:
    """Other forms of an answer, where it has them."""
    if isinstance(entry, AnswerEntry) and not entry.plain:
        if plain_of(entry) != entry.text.strip():
            yield Offer(Doing.COPY_PLAIN, translate("Conversations", "Copy without Markdown"))
        if code_of(entry):
            yield Offer(Doing.COPY_CODE, translate("Conversations", "Copy the code"))


def _too_long(entry: UserEntry) -> str:
    if len(entry.text) <= MAX_TYPED_CHARACTERS:
        return ""
    return translate("Conversations", "This message is too long for the input.")


def _versions(entry: UserEntry | AnswerEntry, why_not: str) -> Iterator[Offer]:
    if entry.versions is not None and entry.versions.back:
        yield Offer(Doing.BACK, translate("Conversations", "Version before"), why_not)
    if entry.versions is not None and entry.versions.on:
        yield Offer(Doing.ON, translate("Conversations", "Next version"), why_not)


def message_menu(offers: Iterable[Offer], do: Callable[[Doing], object], parent: QWidget) -> QMenu:
    """The menu of `offers`; what cannot be done now says why."""
    menu = QMenu(parent)
    menu.setToolTipsVisible(True)
    for offer in offers:
        words = f"{offer.words}\u2002({offer.why_not})" if offer.why_not else offer.words
        action = menu.addAction(words)
        action.setEnabled(not offer.why_not)
        action.setData(offer.doing)
        action.triggered.connect(lambda _=False, doing=offer.doing: do(doing))
    return menu


def text_of(entry: Entry | None) -> str:
    """The words of a message, "" for what is none."""
    match entry:
        case UserEntry() if not entry.text:
            return " ".join(file.name for file in entry.files)
        case UserEntry() | AnswerEntry():
            return entry.text.strip()
        case NoticeEntry() if not entry.quiet:
            return entry.text
        case _:
            return ""


def plain_of(entry: AnswerEntry) -> str:
    """An answer without the signs of Markdown."""
    return rendered(entry.text, Markup.PLAIN).strip()


def code_of(entry: AnswerEntry) -> str:
    """All code of an answer, "" for none."""
    pieces = MarkdownReader().read(entry.text)
    return "\n\n".join(piece.text.strip("\n") for piece in pieces if isinstance(piece, CodeBlock))


def newest(entries: Mapping[EntryId, Entry]) -> EntryId | None:
    """The last message there is."""
    return next((one for one in reversed(tuple(entries)) if text_of(entries[one])), None)


def quoted(text: str) -> str:
    """As a quotation, with room behind it for what is said about it."""
    cut = text if len(text) <= MOST_QUOTED else text[:MOST_QUOTED] + "…"
    return "".join(f"> {line}\n" for line in cut.split("\n")) + "\n"
