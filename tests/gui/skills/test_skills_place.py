"""The place "Skills": how each stands, trust after a look, adding with what was found, undo."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QFont
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextEdit

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.skills_desk import (
    Doubt,
    Lack,
    SkillLine,
    SkillOffer,
    SkillOrigin,
    SkillSheet,
    SkillState,
)
from moltbot_desktop.ui.kit import texts
from moltbot_desktop.ui.place import SETTINGS
from moltbot_desktop.ui.real_press import GUARD_SECONDS
from moltbot_desktop.ui.skills.adding import OfferForm, SourceForm
from moltbot_desktop.ui.skills.details import SkillDetails
from moltbot_desktop.ui.skills.page import SkillsPlace
from moltbot_desktop.ui.skills.trust_question import TrustQuestion
from tests.fakes.skills_desk import FakeSkillsDesk, lacking, line
from tests.gui.places import Stage, answer, button_in, texts_in

NOTES = line("notes", description="Keeps and finds notes.")
TEA = line("tea", SkillState.NEW, SkillOrigin.WORKSPACE, "How tea is made here.")
LOG = line("garden-log", SkillState.CHANGED, SkillOrigin.MANAGED, "What was planted, and when.")
PDF = lacking("document-text", "pdftotext")
OFF = line("weather", SkillState.OFF, description="Tells the weather.")
BROKEN = replace(
    line("broken", SkillState.BROKEN, SkillOrigin.WORKSPACE, ""),
    lacks=(Lack("it has no name", "Add a line name: … to its front matter."),),
    key="",
    command="",
)
PIPE = Doubt("run.sh:3", "danger", "It runs what it fetches from the network: “curl”.", danger=True)
NET = Doubt("SKILL.md:9", "good to know", "It names an address: “https://tea.example”.", False)
DIFF = "--- SKILL.md\n+++ SKILL.md\n@@ -1 +1 @@\n-Water it.\n+Water it twice."


@pytest.fixture
def desk() -> FakeSkillsDesk:
    desk = FakeSkillsDesk(BROKEN, PDF, LOG, NOTES, TEA, OFF)
    desk.sheets[LOG.id] = SkillSheet("# Garden log\n\nWater it twice.", ("SKILL.md",), changes=DIFF)
    return desk


def opened(stage: Stage, desk: FakeSkillsDesk, *, real: bool = True) -> SkillsPlace:
    parts = replace(stage.parts, is_real=lambda _: real)
    return stage.show(SkillsPlace(parts, desk))


def choose(stage: Stage, place: SkillsPlace, skill: SkillLine) -> list[str]:
    """What then stands beside the list."""
    place.rows.choose(skill.id)
    stage.settle()
    return texts_in(place.area)


def press(stage: Stage, place: SkillsPlace, text: str) -> None:
    button_in(place, text).click()
    stage.settle()


def agree(stage: Stage, place: SkillsPlace) -> str:
    """Say yes to the question about trust with a key; returns what it tells."""
    [question] = [one for one in place.window().findChildren(TrustQuestion) if one.isVisible()]
    told = f"{question.text()}\n{question.informativeText()}"
    clock = stage.parts.clock
    assert isinstance(clock, ManualClock)
    clock.advance(GUARD_SECONDS + 0.1)
    yes = next(one for one in question.buttons() if one.text() == "Trust it")
    QTest.keyClick(yes, Qt.Key.Key_Return)
    stage.settle()
    return told


def test_each_stands_with_what_it_is_and_how_it_stands(stage: Stage, desk: FakeSkillsDesk) -> None:
    place = opened(stage, desk)
    waiting: list[int] = []
    place.badge_changed.connect(waiting.append)
    assert [(one.title, one.badge) for one in place.rows.rows] == [
        ("garden-log", "changed"),
        ("tea", "new"),
        ("broken", "unreadable"),
        ("document-text", "needs pdftotext"),
        ("notes", "ready"),
        ("weather", "off"),
    ]
    assert place.rows.rows[2].detail == "it has no name"
    place.refresh()
    stage.settle()
    assert waiting == [2]  # what waits for the person stands in the rail
    place.search.setText("KEEPS AND")
    stage.qtbot.waitUntil(lambda: [one.title for one in place.rows.rows] == ["notes"])


def test_the_details_say_what_is_missing_and_where_it_lies(
    stage: Stage, desk: FakeSkillsDesk
) -> None:
    place = opened(stage, desk)
    told = choose(stage, place, PDF)
    assert "These programs are not installed: pdftotext" in told
    assert "– the program pdftotext: missing" in told
    assert "It works with these tools: read." in told
    assert "Came with the program: /skills/document-text" in told
    told = choose(stage, place, NOTES)
    assert "Write /notes in the chat, or say what you want." in told
    assert place.area.findChildren(QPlainTextEdit)[0].toPlainText().startswith("---\nname: notes")
    told = choose(stage, place, BROKEN)
    assert "It has no name" in told and "Add a line name: … to its front matter." in told


def test_what_a_skill_says_is_shown_as_plain_text(stage: Stage, desk: FakeSkillsDesk) -> None:
    hostile = "<img src='http://tea.example/x.png'><b>Trusted</b>"
    desk.lines = [replace(NOTES, description=hostile)]
    desk.sheets[NOTES.id] = SkillSheet(f"![x](http://tea.example) {hostile}", ("SKILL.md",))
    place = opened(stage, desk)
    assert hostile in texts_in(place.area)
    [text] = place.area.findChildren(QPlainTextEdit)
    assert hostile in text.toPlainText() and text.isReadOnly()


def test_a_sign_that_no_font_has_is_named_by_its_number(
    stage: Stage, desk: FakeSkillsDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever judges the text sees no empty box in it."""

    class Poor:
        """What a computer has without a font of pictures."""

        def __init__(self, _font: QFont) -> None:
            self._drawn = set(map(ord, "emoji: 花\n—"))

        def inFontUcs4(self, sign: int) -> bool:
            return sign in self._drawn

    monkeypatch.setattr(texts, "QFontMetrics", Poor)
    desk.sheets[NOTES.id] = SkillSheet("emoji: 🌱\ufe0f 花\n—", ("SKILL.md",))
    place = opened(stage, desk)
    choose(stage, place, NOTES)
    [text] = place.area.findChildren(QPlainTextEdit)
    assert text.toPlainText() == "emoji: U+1F331\ufe0f 花\n—"


def test_one_is_found_and_told_of_by_what_it_is_called(stage: Stage, desk: FakeSkillsDesk) -> None:
    desk.lines = [replace(NOTES, name="todo", title="待办清单"), TEA]
    place = opened(stage, desk)
    assert [one.title for one in place.rows.rows] == ["tea", "待办清单"]
    for searched in ("待办", "todo"):
        place.search.setText(searched)
        stage.qtbot.waitUntil(lambda: len(place.rows.rows) == 1)
        assert place.rows.rows[0].title == "待办清单"
    assert "待办清单" in texts_in(place.area)


def test_trust_is_asked_for_after_the_change_was_shown_and_can_be_taken_back(
    stage: Stage, desk: FakeSkillsDesk
) -> None:
    place = opened(stage, desk)
    told = choose(stage, place, LOG)
    assert "What changed since you trusted it" in told
    [diff, text] = place.area.findChildren(QPlainTextEdit)
    assert diff.toPlainText() == DIFF and "twice" in text.toPlainText()
    stage.screenshot("skills-changed-light-en")
    press(stage, place, "Trust it…")
    assert "Trust “garden-log” as it is now?" in agree(stage, place)
    assert place.done.label.text() == "Trusted as it is now: garden-log"
    assert desk.lines[2].state is SkillState.READY
    place.done.undo.click()
    stage.settle()
    assert not desk.lines[2].trusted and place.rows.current == LOG.id
    assert place.done.label.text() == "Not trusted any more, and not used: garden-log"


def test_what_was_trusted_stays_in_sight(stage: Stage, desk: FakeSkillsDesk) -> None:
    last = line("zebra", SkillState.NEW, SkillOrigin.WORKSPACE)
    desk.lines = [line(f"skill-{number}") for number in range(60)] + [last]
    place = opened(stage, desk)
    assert place.rows.rows[0].title == "zebra"
    press(stage, place, "Trust it…")
    agree(stage, place)
    stage.qtbot.waitUntil(lambda: place.rows.rows[-1].title == "zebra")
    stage.settle()
    assert place.rows.current == last.id
    seen = place.rows.visualRect(place.rows.currentIndex())
    assert place.rows.viewport().rect().contains(seen)


def test_only_a_press_of_the_persons_own_gives_trust(stage: Stage, desk: FakeSkillsDesk) -> None:
    place = opened(stage, desk, real=False)
    choose(stage, place, TEA)
    press(stage, place, "Trust it…")
    agree(stage, place)
    assert desk.lines[4] == TEA
    for one in place.window().findChildren(TrustQuestion):
        one.close()


def test_nothing_can_be_trusted_before_it_was_looked_into(
    stage: Stage, desk: FakeSkillsDesk
) -> None:
    details = SkillDetails(TEA)
    [trust] = [one for act, one in details.buttons.items() if act == "trust"]
    assert not trust.isEnabled()
    details.show_sheet(desk.sheet(TEA.id))
    assert trust.isEnabled()
    details.deleteLater()


def test_danger_stands_in_the_question(stage: Stage, desk: FakeSkillsDesk) -> None:
    desk.sheets[TEA.id] = SkillSheet("# Tea", ("SKILL.md", "run.sh"), doubts=(PIPE, NET))
    place = opened(stage, desk)
    told = choose(stage, place, TEA)
    line_of_it = "▲ danger · It runs what it fetches from the network: “curl”. · run.sh:3"
    assert line_of_it in told and "Its files: SKILL.md, run.sh" in told
    press(stage, place, "Trust it…")
    press(stage, place, "Trust it…")  # a question takes the place of the one before
    asked = agree(stage, place)
    assert line_of_it in asked and "tea.example" not in asked


def test_one_is_switched_off_and_on_again(stage: Stage, desk: FakeSkillsDesk) -> None:
    place = opened(stage, desk)
    choose(stage, place, NOTES)
    press(stage, place, "Switch off")
    assert place.done.label.text() == "Switched off: notes"
    assert "Switched off: nobody uses it." in texts_in(place.area)
    place.done.undo.click()
    stage.settle()
    assert desk.lines[3].state is SkillState.READY
    assert place.rows.current == NOTES.id


def test_what_was_removed_comes_back(stage: Stage, desk: FakeSkillsDesk) -> None:
    place = opened(stage, desk)
    choose(stage, place, LOG)
    place.rows.setFocus()
    stage.press(Qt.Key.Key_Delete)
    assert [one.name for one in desk.lines] == [
        "broken",
        "document-text",
        "notes",
        "tea",
        "weather",
    ]
    place.done.undo.click()
    stage.settle()
    stage.qtbot.waitUntil(lambda: place.rows.current == LOG.id)
    assert desk.lines[-1] == LOG
    choose(stage, place, NOTES)
    place.rows.setFocus()
    stage.press(Qt.Key.Key_Delete)
    assert NOTES in desk.lines  # what came with the program can only be switched off


def test_its_folder_is_opened_after_a_yes(stage: Stage, desk: FakeSkillsDesk) -> None:
    folders: list[QUrl] = []

    def take(url: QUrl) -> bool:
        folders.append(url)
        return False

    place = stage.show(SkillsPlace(stage.parts, desk, take))
    choose(stage, place, TEA)
    press(stage, place, "Open the folder")
    assert folders == []
    assert "/skills/tea" in answer(place, "Open")
    assert folders == [QUrl.fromLocalFile("/skills/tea")]
    assert "The folder is /skills/tea" in place.done.label.text()


def test_its_settings_are_a_press_away(stage: Stage, desk: FakeSkillsDesk) -> None:
    place = opened(stage, desk)
    gone: list[tuple[str, str]] = []
    place.place_requested.connect(lambda where, what: gone.append((where, what)))
    choose(stage, place, OFF)
    press(stage, place, "Its settings")
    assert gone == [(SETTINGS, "skills#weather")]


def test_one_is_added_after_what_was_found_in_it_was_told(
    stage: Stage, desk: FakeSkillsDesk, tmp_path: Path
) -> None:
    desk.offered = (SkillOffer("1", "compost", "How to make compost.", 2, (PIPE, NET)),)
    place = opened(stage, desk)
    stage.press(Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    form = place.area.widget()
    assert isinstance(form, SourceForm) and form.folder.hasFocus()
    place.offer(tmp_path)
    stage.settle()
    assert isinstance(place.area.widget(), OfferForm) and desk.asked == [tmp_path]
    told = texts_in(place.area)
    assert told[0] == "Add “compost”?" and any("run.sh:3" in one for one in told)
    stage.screenshot("skills-add-light-en")
    press(stage, place, "Add")
    added = place.rows.current
    assert added.endswith("compost/SKILL.md") and "compost" in place.done.label.text()
    assert any(one.startswith("New: it is not used") for one in texts_in(place.area))
    place.done.undo.click()
    stage.settle()
    assert "compost" not in [one.name for one in desk.lines]


def test_of_several_one_chooses(stage: Stage, desk: FakeSkillsDesk, tmp_path: Path) -> None:
    desk.offered = (
        SkillOffer("1", "compost", "How to make compost.", 1),
        SkillOffer("2", "evil", "Nothing at all.", 1, (PIPE,)),
        SkillOffer("3", "notes", "Keeps and finds notes.", 1, same=True),
        SkillOffer("4", "roses", "How to cut roses.", 1),
    )
    place = opened(stage, desk)
    place.offer(tmp_path)
    stage.settle()
    form = place.area.widget()
    assert isinstance(form, OfferForm)
    assert [one.name for one in form.chosen] == ["compost", "roses"]
    form.boxes["1"].click()
    form.boxes["4"].click()
    assert not form.add.isEnabled()
    form.boxes["4"].click()
    press(stage, place, "Add")
    assert [one.name for one in desk.lines][-1] == "roses" and len(desk.lines) == 7


def test_one_that_is_there_already_is_not_added(
    stage: Stage, desk: FakeSkillsDesk, tmp_path: Path
) -> None:
    desk.offered = (SkillOffer("3", "notes", "Keeps and finds notes.", 1, same=True),)
    place = opened(stage, desk)
    place.offer(tmp_path)
    stage.settle()
    assert any("exactly this one is there already" in one for one in texts_in(place.area))
    assert not button_in(place, "Add").isEnabled()
    stage.press(Qt.Key.Key_Escape)
    assert isinstance(place.area.widget(), SkillDetails)


def test_a_folder_can_be_dropped(stage: Stage, desk: FakeSkillsDesk, tmp_path: Path) -> None:
    place = opened(stage, desk)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path))])
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    copy = Qt.DropAction.CopyAction
    enter = QDragEnterEvent(QPoint(9, 9), copy, data, buttons, keys)
    QApplication.sendEvent(place, enter)
    assert enter.isAccepted()
    QApplication.sendEvent(place, QDropEvent(QPointF(9, 9), copy, data, buttons, keys))
    stage.settle()
    assert desk.asked == [tmp_path]
    assert "There is no SKILL.md" in place.done.label.text()  # and nothing else changes
    assert isinstance(place.area.widget(), SkillDetails)


def test_a_new_one_appears_by_itself_and_moves_nothing(stage: Stage, desk: FakeSkillsDesk) -> None:
    place = opened(stage, desk)
    choose(stage, place, NOTES)
    before = place.area.widget()
    desk.lines.append(line("roses", SkillState.NEW, SkillOrigin.WORKSPACE))
    stage.qtbot.waitUntil(lambda: "roses" in [one.title for one in place.rows.rows])
    assert place.rows.current == NOTES.id and place.area.widget() is before


def test_an_empty_place_teaches(stage: Stage) -> None:
    desk = FakeSkillsDesk()
    place = opened(stage, desk)
    assert "There are no skills." in place.state.text and "Every Friday" in place.state.text
    place.state.button.click()
    assert isinstance(place.area.widget(), SourceForm)


def test_what_cannot_be_read_says_so(stage: Stage, desk: FakeSkillsDesk) -> None:
    desk.refusal = StorageError("The disk is gone.", hint="Plug it in.")
    place = opened(stage, desk)
    assert "The disk is gone. Plug it in." in place.state.text
    desk.refusal = None
    place.state.button.click()
    stage.settle()
    assert len(place.rows.rows) == 6


@pytest.mark.parametrize("stage", [Language.CHINESE], indirect=True)
def test_a_picture_in_the_dark(stage: Stage, desk: FakeSkillsDesk) -> None:
    desk.sheets[TEA.id] = SkillSheet("# Tea\n\nBoil it.", ("SKILL.md",), doubts=(PIPE, NET))
    place = stage.show(SkillsPlace(stage.parts, desk), dark=True)
    choose(stage, place, TEA)
    stage.screenshot("skills-dark-zh")
