"""What every place of the real window promises to everybody who uses it without a mouse or eyes.

The window is made as the program makes it, on the desks of tests/fakes/desktop_program.py; a place
that is added there is walked through here by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, QSize, Qt, QTranslator
from PySide6.QtGui import QAccessible, QFont, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.qt.worker import Worker
from moltbot_desktop.ui.appearance import application_font, dress
from moltbot_desktop.ui.icons import Icons
from moltbot_desktop.ui.kit.list_place import PlaceParts
from moltbot_desktop.ui.kit.segments import Segments
from moltbot_desktop.ui.main_window import MainWindow
from moltbot_desktop.ui.parts import WindowParts
from moltbot_desktop.ui.place import WELCOME, PlaceId
from moltbot_desktop.ui.places import places
from moltbot_desktop.ui.settings.view import SettingsView
from moltbot_desktop.ui.theme import DARK, LIGHT, Theme
from moltbot_desktop.ui.translations import install_translation
from tests.fakes.assistant_client import FakeAssistantClient
from tests.fakes.desktop_program import FakeDesks
from tests.gui.times import START

_SIZE = QSize(1000, 760)
_LONGEST_ROUND = 200
# A ring or a border around the smallest control has more than these; a text cursor has fewer.
_SEEN_PIXELS = 36
_SEEN_STEP = 25
_MARGIN = 16


@dataclass
class Walk:
    """The window with all places."""

    window: MainWindow
    workers: tuple[Worker, ...]
    qtbot: QtBot

    @property
    def places(self) -> list[PlaceId]:
        return [*self.window.rail.buttons]

    def go(self, place: PlaceId) -> QWidget:
        """There, with all that its desk had to say."""
        self.window.go(place)
        self.settle()
        return self.window.place(place)

    def views(self) -> Iterator[tuple[str, QWidget]]:
        """Each place, the welcome too, and each of the parts that one can choose in it."""
        for place in (*self.places, WELCOME):
            shown = self.go(place)
            yield place, shown
            for segments in shown.findChildren(Segments):
                for part in [*segments.buttons][1:]:
                    segments.choose(part)
                    self.settle()
                    yield f"{place}, {part}", shown

    def settle(self) -> None:
        self.qtbot.waitUntil(lambda: all(one.idle for one in self.workers))
        QApplication.processEvents()

    def stops(self, inside: QWidget) -> list[QWidget]:
        """What Tab stops at there."""
        tab = Qt.FocusPolicy.TabFocus
        found = [one for one in inside.findChildren(QWidget) if one.isVisibleTo(inside)]
        found = [one for one in found if one.isEnabled() and one.focusPolicy() & tab]
        # Parts of a control that Qt made have the keys for it.
        return [one for one in found if not one.focusProxy() and "qt_" not in one.objectName()]


Open = Callable[..., Walk]


@pytest.fixture
def open_window(
    qapp: QApplication,
    qtbot: QtBot,
    tmp_path: Path,
    checkout: Path,
) -> Iterator[Open]:
    """Opens the window once, in a theme and a language, with text that much larger."""
    resources, usual = checkout / "resources", QFont(qapp.font())
    blinking = qapp.cursorFlashTime()
    qapp.setCursorFlashTime(0)
    made: list[Walk] = []
    translators: list[QTranslator] = []

    def open_it(
        theme: Theme = LIGHT, language: Language = Language.ENGLISH, larger: float = 1.0
    ) -> Walk:
        translators.extend(install_translation(qapp, language, resources))
        font = application_font()
        font.setPointSizeF(font.pointSizeF() * larger)
        qapp.setFont(font)
        dress(qapp, theme, resources)
        icons, clock = Icons(resources), ManualClock(START)
        workers = Worker(), Worker()
        specs = places(FakeDesks(), PlaceParts(icons, workers[0], language, clock))
        parts = WindowParts(icons, workers[1], clock, theme, font, tmp_path / "window.ini")
        window = MainWindow(parts, specs)
        window.resize(_SIZE)
        walk = Walk(window, workers, qtbot)
        made.append(walk)
        window.show()
        with qtbot.waitActive(window):
            window.activateWindow()
        window.set_client(FakeAssistantClient())
        walk.settle()
        return walk

    yield open_it
    for walk in made:
        walk.window.hide()
        assert [one.close(30_000) for one in walk.workers] == [True, True]
        walk.window.deleteLater()
    for one in translators:
        qapp.removeTranslator(one)
        one.deleteLater()
    qapp.setFont(usual)
    qapp.setCursorFlashTime(blinking)


def spoken(widget: QWidget) -> tuple[str, QAccessible.Role]:
    told = QAccessible.queryAccessibleInterface(widget)
    assert told is not None
    return told.text(QAccessible.Text.Name).strip(), told.role()


def known(place: str, widget: QWidget) -> str:
    """To find it in the source."""
    return f"{place}: {type(widget).__name__} {widget.objectName()!r} {widget.accessibleName()!r}"


def test_all_that_takes_the_keys_has_a_name_and_a_role(open_window: Open) -> None:
    walk = open_window()
    mute = []
    for place, shown in walk.views():
        stops = walk.stops(shown)
        assert stops, f"nothing takes the keys in {place}"
        for one in stops:
            name, role = spoken(one)
            if not name or role in (QAccessible.Role.NoRole, QAccessible.Role.Client):
                mute.append(f"{known(place, one)} is {role}")
    assert mute == []


def test_who_goes_to_a_place_is_somewhere_that_has_a_name(open_window: Open) -> None:
    walk = open_window()
    lost = []
    for place in (*walk.places, WELCOME):
        shown, holder = walk.go(place), walk.window.focusWidget()
        if holder is None or not shown.isAncestorOf(holder) or not holder.isVisible():
            lost.append(f"{place}: {holder}")
        elif not spoken(holder)[0]:
            lost.append(known(place, holder))
    assert lost == []


def test_tab_comes_to_everything_and_around(open_window: Open) -> None:
    walk = open_window()
    missed = []
    for place, shown in walk.views():
        stops = walk.stops(shown)
        met = _met_by_tab(walk.window)
        missed += [known(place, one) for one in stops if one not in met and not _one_of_many(one)]
    assert missed == []


def test_tab_goes_as_one_reads(open_window: Open) -> None:
    """From left to right in a line, downwards in a column. In a form a field comes before what
    stands above it for it ("Use the default", "Remove"): who fills it in goes from field to field.
    """
    walk = open_window()
    back = []
    for place, shown in walk.views():
        stops = [] if isinstance(shown, SettingsView) else walk.stops(shown)
        for one, other in pairwise(_met_by_tab(walk.window)):
            if one in stops and other in stops and _is_back(_where(one), _where(other)):
                back.append(f"{known(place, one)} -> {known(place, other)}")
    assert not back, "\n".join(back)


def _where(widget: QWidget) -> QRect:
    return QRect(widget.mapToGlobal(QPoint(0, 0)), widget.size())


def _is_back(one: QRect, other: QRect) -> bool:
    """Whether `other` is read before `one`."""
    in_line = other.top() <= one.bottom() and one.top() <= other.bottom()
    in_column = other.left() <= one.right() and one.left() <= other.right()
    left = in_line and other.right() < one.left()
    return left or (in_column and other.bottom() < one.top())


def _met_by_tab(window: MainWindow) -> list[QWidget]:
    met: list[QWidget] = []
    for _ in range(_LONGEST_ROUND):
        now = window.focusWidget()
        if now is None or now in met[1:]:
            break
        met.append(now)
        QTest.keyClick(now, Qt.Key.Key_Tab)
    return met


def _one_of_many(widget: QWidget) -> bool:
    """Of buttons that exclude each other, Tab stops at the chosen one; arrows go on from there."""
    group = getattr(widget, "group", lambda: None)()
    alone = getattr(widget, "autoExclusive", lambda: False)()
    return bool((group and group.exclusive()) or alone) and not widget.property("checked")


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_one_sees_where_the_keys_are(open_window: Open, theme: Theme) -> None:
    walk = open_window(theme)
    unseen = []
    for place in walk.places:
        shown = walk.go(place)
        for one in walk.stops(shown):
            other = walk.window.rail.buttons[place]
            other.setFocus(Qt.FocusReason.TabFocusReason)
            without = _picture(one)
            one.setFocus(Qt.FocusReason.TabFocusReason)
            QApplication.processEvents()
            if one.hasFocus() and _changed(without, _picture(one)) < _SEEN_PIXELS:
                unseen.append(known(place, one))
    assert unseen == []


def _picture(widget: QWidget) -> QImage:
    """It and what frames it."""
    window = widget.window()
    place = QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())
    return window.grab(place.adjusted(-_MARGIN, -_MARGIN, _MARGIN, _MARGIN)).toImage()


def _changed(one: QImage, other: QImage) -> int:
    """Pixels that look clearly other."""
    grey = QImage.Format.Format_Grayscale8
    first, second = one.convertToFormat(grey), other.convertToFormat(grey)
    if first.size() != second.size():
        return _SEEN_PIXELS
    pairs = zip(bytes(first.constBits()), bytes(second.constBits()), strict=True)
    return sum(abs(before - after) > _SEEN_STEP for before, after in pairs)


@pytest.mark.parametrize("language", [Language.ENGLISH, Language.CHINESE], ids=["en", "zh"])
@pytest.mark.parametrize("larger", [1.0, 1.5], ids=["usual", "larger"])
def test_no_word_is_cut(open_window: Open, language: Language, larger: float) -> None:
    walk = open_window(LIGHT, language, larger)
    cut = []
    for place in walk.places:
        shown = walk.go(place)
        labels = [one for one in shown.findChildren(QLabel) if one.isVisible() and one.text()]
        for label in labels:
            needed = label.heightForWidth(label.width()) if label.wordWrap() else 0
            if label.height() < needed:
                cut.append(f"{known(place, label)} {label.text()!r}")
        buttons = [one for one in shown.findChildren(QPushButton) if one.isVisible()]
        narrow = [one for one in buttons if one.width() < one.minimumSizeHint().width()]
        cut += [f"{known(place, one)} {one.text()!r}" for one in narrow]
    assert cut == []
