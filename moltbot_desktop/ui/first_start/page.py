"""The first page that somebody sees, once; the menu's "Welcome" shows it again.

    FirstStartPlace(parts, desk, open_folder)

Four short steps on one page; Escape or "To the chat" leaves it at any time, and nothing has to be
answered. The language is spoken at once by all that stands in the window; rows that other places
have made already, and the assistant, follow when the program starts next, which is told.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QCheckBox, QScrollArea, QVBoxLayout, QWidget

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.first_start import Beginning, FirstStartDesk
from moltbot_desktop.ui.kit.asking import Asking, Refused
from moltbot_desktop.ui.kit.done_bar import DoneBar
from moltbot_desktop.ui.kit.list_place import PlaceParts, buttons_of
from moltbot_desktop.ui.kit.measures import GAP, HAIR, LINE_PX, PAGE, SMALL
from moltbot_desktop.ui.kit.reading_order import in_reading_order
from moltbot_desktop.ui.kit.scrolling import put_into
from moltbot_desktop.ui.kit.texts import button, heading, note, plain, title
from moltbot_desktop.ui.place import BACKUP, CHAT, Place
from moltbot_desktop.ui.theme import Theme
from moltbot_desktop.ui.translations import switch_translation
from moltbot_desktop.ui.welcome import Welcome

LANGUAGES = ((Language.ENGLISH, "English"), (Language.CHINESE, "中文"))
"""Each in its own words."""
OpenFolder = Callable[[QUrl], bool]


class FirstStartPlace(Place):
    """See the module.

    Attributes:
        language: the one that the page speaks.
    """

    def __init__(
        self,
        parts: PlaceParts,
        desk: FirstStartDesk,
        open_folder: OpenFolder = QDesktopServices.openUrl,
    ) -> None:
        super().__init__()
        self._parts, self._desk, self._open_folder = parts, desk, open_folder
        self.language = parts.language
        self._beginning: Beginning | None = None
        self.asking = Asking(parts.worker, parts.language, self)
        self.done = DoneBar(parts.icons)
        self.area = QScrollArea()
        self.area.setObjectName("place_area")
        self.area.setWidgetResizable(True)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.to_chat = button("", "primary")
        self.to_chat.clicked.connect(lambda: self.place_requested.emit(CHAT, ""))
        column = QVBoxLayout(self)
        column.setContentsMargins(PAGE, GAP, PAGE, GAP)
        column.setSpacing(SMALL)
        column.addWidget(self.area, 1)
        column.addWidget(self.done)
        column.addWidget(self.to_chat, 0, Qt.AlignmentFlag.AlignLeft)
        self._fill()

    # ------------------------------------------------------------------ as a place

    def entered(self, what: str = "") -> None:
        self.asking.ask(self._desk.look, self._take, self._refused, about="look")

    def take_focus(self) -> None:
        self.to_chat.setFocus()

    def set_theme(self, theme: Theme) -> None:
        self.done.set_theme(theme)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.LanguageChange:
            self._fill()

    # ------------------------------------------------------------------ the steps

    def _take(self, found: Beginning) -> None:
        if found != self._beginning:
            self._beginning = found
            self._fill()

    def _fill(self) -> None:
        """Make the steps, in the language of now."""
        self.to_chat.setText(self.tr("To the chat"))
        self.to_chat.setAccessibleName(self.tr("To the chat"))
        page = QWidget()
        page.setObjectName("place_details")
        page.setMaximumWidth(LINE_PX)
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, SMALL, 0)
        column.setSpacing(HAIR)
        column.addWidget(title(self.tr("Welcome")))
        column.addWidget(
            note(
                self.tr(
                    "Nothing here has to be answered, and there is no account. Escape goes to the"
                    " chat at any time."
                )
            )
        )
        for name, widgets in (
            (self.tr("Language"), self._languages()),
            (self.tr("What you can say"), self._examples()),
            (self.tr("Where everything is kept"), self._folder()),
            (self.tr("What you have elsewhere"), self._elsewhere()),
        ):
            column.addSpacing(GAP)
            column.addWidget(heading(name))
            for one in widgets:
                column.addWidget(one)
        column.addStretch(1)
        put_into(self.area, page)
        in_reading_order((page, self.done, self.to_chat))

    def _languages(self) -> Sequence[QWidget]:
        made = []
        for language, name in LANGUAGES:
            press = button(name)
            press.setObjectName("segment")
            press.setCheckable(True)
            press.setChecked(language is self.language)
            press.clicked.connect(lambda _=False, language=language: self.speak(language))
            made.append(press)
        shown: list[QWidget] = [buttons_of(made)]
        if self.language is not self._parts.language:
            shown.append(note(self.tr("I speak it myself when I start next.")))
        return shown

    def _examples(self) -> Sequence[QWidget]:
        shown: list[QWidget] = [note(self.tr("A press says it, and goes to the chat."))]
        for said in Welcome.requests_now():
            press = button(said, spoken=self.tr("Say: {what}").replace("{what}", said))
            press.setObjectName("example")
            press.clicked.connect(lambda _=False, said=said: self.said.emit(said))
            shown.append(press)
        return shown

    def _folder(self) -> Sequence[QWidget]:
        kept = self._beginning
        if kept is None:
            return ()
        press = button(self.tr("Open the folder"))
        press.clicked.connect(lambda: self._show_folder(kept.home))
        with_computer = QCheckBox(self.tr("Start with the computer, quietly"))
        with_computer.setChecked(kept.with_computer)
        with_computer.toggled.connect(self._on_with_computer)
        told = self.tr(
            "What you say, what I remember, settings and models lie in one folder on this computer:"
        )
        return (note(told), plain(str(kept.home)), buttons_of((press,)), with_computer)

    def _elsewhere(self) -> Sequence[QWidget]:
        found = self._beginning.others if self._beginning is not None else ()
        told = self.tr("A backup, or the folder of Moltbot, Clawdbot or OpenClaw, can come along.")
        if found:
            folders = ", ".join(map(str, found))
            told = self.tr("Found on this computer: {folders}").replace("{folders}", folders)
        press = button(self.tr("Look what can come along…"))
        press.clicked.connect(lambda: self.place_requested.emit(BACKUP, "import"))
        return (note(told), buttons_of((press,)))

    # ------------------------------------------------------------------ acts

    def speak(self, language: Language) -> None:
        """Write the language down, then speak it."""
        kept = self._beginning
        if kept is None or language is self.language:
            self._fill()  # the press has moved the mark
            return

        def written(_: None) -> None:
            self.language = language
            application = QCoreApplication.instance()
            assert application is not None
            switch_translation(application, language, kept.resources)
            self._fill()
            self.take_focus()

        def refused(refusal: Refused) -> None:
            self._fill()
            self._refused(refusal)

        self.asking.ask(lambda: self._desk.speak(language), written, refused)

    def _on_with_computer(self, wanted: bool) -> None:
        told = self.tr("I start with the computer.") if wanted else self.tr("I wait to be started.")
        self.asking.ask(
            lambda: self._desk.start_with_computer(wanted=wanted),
            lambda _: self.done.tell(told),
            self._refused,
        )

    def _show_folder(self, folder: Path) -> None:
        if not self._open_folder(QUrl.fromLocalFile(str(folder))):
            self.done.complain(self.tr("No program here shows folders. It is the one above."))

    def _refused(self, refusal: Refused) -> None:
        self.done.complain(refusal.words)
