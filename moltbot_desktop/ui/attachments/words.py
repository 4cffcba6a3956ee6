"""What is said about files that come along, and about those that do not."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QLocale

from moltbot_desktop.sdk.attachments import MOST_BYTES, MOST_FILES
from moltbot_desktop.ui.attachments.reading import LeftOut, Why
from moltbot_desktop.ui.words import window_language

translate = QCoreApplication.translate
_NAMED = 3


def size_words(size: int) -> str:
    """`size` in bytes, as a person reads it: 12 KB."""
    form = QLocale.DataSizeFormat.DataSizeSIFormat
    digits = 1 if size >= 1_000_000 and size % 1_000_000 else 0
    return QLocale(str(window_language())).formattedDataSize(size, digits, form)


def left_out_words(left_out: Sequence[LeftOut]) -> str:
    """A sentence for each reason why something does not come along."""
    reasons = ((why, [one for one in left_out if one.why is why]) for why in Why)
    return "\n".join(
        _sentence(why).format(names=_names(those), most=MOST_FILES, room=size_words(MOST_BYTES))
        for why, those in reasons
        if those
    )


def can_be_named(left_out: Sequence[LeftOut]) -> tuple[str, ...]:
    """The paths of those that the assistant may look at where they lie."""
    kinds = (Why.FOLDER, Why.TOO_LARGE)
    return tuple(one.path for one in left_out if one.why in kinds and one.path)


def _names(those: Sequence[LeftOut]) -> str:
    shown = [
        f"{one.name} ({size_words(one.size)})" if one.why is Why.TOO_LARGE else one.name
        for one in those[:_NAMED]
    ]
    return ", ".join([*shown, *(["…"] if len(those) > _NAMED else [])])


def _sentence(why: Why) -> str:
    match why:
        case Why.FOLDER:
            return translate("Attachments", "A folder cannot come along: {names}.")
        case Why.TOO_LARGE:
            return translate(
                "Attachments", "Too large to come along: {names}. {room} fit into one message."
            )
        case Why.TOO_MANY:
            return translate("Attachments", "{most} files fit into one message; left out: {names}.")
        case Why.GONE:
            return translate("Attachments", "No longer there: {names}.")
        case Why.UNREADABLE:
            return translate("Attachments", "Cannot be read: {names}.")
        case Why.EMPTY:
            return translate("Attachments", "There is nothing in it: {names}.")
