"""What can be done with a message: copy, quote, ask again, say it differently. By the right mouse
button or the Menu key, which means the newest message.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QMenu, QWidget

from moltbot_desktop.ui.entries import AnswerEntry, Entry, EntryId, NoticeEntry, UserEntry

translate = QCoreApplication.translate

MOST_QUOTED = 2_000
"""Characters; who quotes more than that quotes the wrong thing."""


@dataclass(frozen=True)
class MessageDoing:
    """What the chat does with a message.

    Attributes:
        copy, quote, edit: with its text.
        again: another answer to the last message.
    """

    copy: Callable[[str], None]
    quote: Callable[[str], None]
    edit: Callable[[str], None]
    again: Callable[[], None]


def message_menu(
    entries: Mapping[EntryId, Entry],
    chosen: EntryId,
    doing: MessageDoing,
    parent: QWidget,
    *,
    answerable: bool,
) -> QMenu | None:
    """The menu of the message `chosen`; None for what is no message. Only the last exchange can be
    said again, and nothing where nobody answers."""
    text = text_of(entries.get(chosen))
    if not text:
        return None
    menu = QMenu(parent)
    menu.addAction(translate("Conversations", "Copy"), lambda: doing.copy(text))
    if not answerable:
        return menu
    menu.addAction(translate("Conversations", "Quote"), lambda: doing.quote(text))
    if chosen == _last(entries, AnswerEntry):
        menu.addAction(translate("Conversations", "Ask for another answer"), doing.again)
    if chosen == _last(entries, UserEntry):
        words = translate("Conversations", "Say it differently…")
        menu.addAction(words, lambda: doing.edit(text))
    return menu


def text_of(entry: Entry | None) -> str:
    """The words of a message, "" for what is none."""
    match entry:
        case UserEntry() | AnswerEntry():
            return entry.text.strip()
        case NoticeEntry() if not entry.quiet:
            return entry.text
        case _:
            return ""


def newest(entries: Mapping[EntryId, Entry]) -> EntryId | None:
    """The last message there is."""
    return next((one for one in reversed(tuple(entries)) if text_of(entries[one])), None)


def quoted(text: str) -> str:
    """As a quotation, with room behind it for what is said about it."""
    cut = text if len(text) <= MOST_QUOTED else text[:MOST_QUOTED] + "…"
    return "".join(f"> {line}\n" for line in cut.split("\n")) + "\n"


def _last(entries: Mapping[EntryId, Entry], kind: type[Entry]) -> EntryId | None:
    return next((one for one in reversed(tuple(entries)) if isinstance(entries[one], kind)), None)
