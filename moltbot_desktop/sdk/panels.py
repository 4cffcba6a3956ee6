"""What stands above the form of a settings page, as it is now: rows with buttons, a guide.

    Panel((PanelPart("Accounts", (PanelRow("default", "open since 10:42", Tone.GOOD,
                                           (PanelAction("test:default", "Test"),)),)),))

Values only: whoever draws them knows nothing of channels, whoever makes them nothing of widgets.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Tone(StrEnum):
    """How something stands, beside the words that say it."""

    PLAIN = "plain"
    GOOD = "good"
    BAD = "bad"


@dataclass(frozen=True)
class PanelAction:
    """A button. It is carried out by the desk, unless it copies something or goes to a page.

    Attributes:
        id: unique on its page; what `SettingsDesk.act` is given.
        label: what stands on it.
        name: what screen readers are told; the label alone where it is "".
        asks: a question before it is carried out, "" for none.
        copies: a text that it puts into the clipboard.
        page: id of a page that it goes to.
    """

    id: str
    label: str
    name: str = ""
    asks: str = ""
    copies: str = ""
    page: str = ""


@dataclass(frozen=True)
class PanelRow:
    """One line, what belongs to it in smaller letters, and buttons."""

    text: str
    detail: str = ""
    tone: Tone = Tone.PLAIN
    actions: tuple[PanelAction, ...] = ()


@dataclass(frozen=True)
class PanelPart:
    """Rows below a title.

    Attributes:
        empty: what is said where there are no rows.
        guide: Markdown of the program's own, shown on demand; nothing is loaded for it.
        unfolded: it is shown from the beginning.
    """

    title: str
    rows: tuple[PanelRow, ...] = ()
    empty: str = ""
    guide: str = ""
    unfolded: bool = False


Panel = tuple[PanelPart, ...]
