"""Files come with a message: chosen, pasted, dropped; seen, taken away, and never lost."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import (
    QColor,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QGuiApplication,
    QImage,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QWidget

from moltbot_desktop.core.ids import RunId
from moltbot_desktop.core.results import OutcomeKind
from moltbot_desktop.gateway.client import FilesKept, GivenFile, HistoryLoaded
from moltbot_desktop.sdk.attachments import MOST_BYTES, MOST_FILES, AttachedFile
from moltbot_desktop.ui.attachments import given, reading
from moltbot_desktop.ui.attachments.given import GivenRow
from moltbot_desktop.ui.entries import UserEntry
from tests.fakes.assistant_client import SESSION, FakeAssistantClient, stored
from tests.gui.conftest import Desk

MakeDesk = Callable[..., Desk]


@pytest.fixture(autouse=True)
def _nothing_stays_copied(qapp: QApplication) -> Iterator[None]:
    yield
    qapp.clipboard().clear()


def row(desk: Desk) -> GivenRow:
    given = desk.window.composer.given
    assert given is not None
    return given


def names(desk: Desk) -> list[str]:
    desk.qtbot.waitUntil(lambda: not row(desk).reading)
    return [one.name for one in row(desk).files]


def add(desk: Desk, *paths: Path) -> list[str]:
    row(desk).add_paths(paths)
    return names(desk)


def written(folder: Path, name: str, content: bytes = b"milk\n") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def picture(folder: Path, name: str = "garden.png", width: int = 400, height: int = 300) -> Path:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor("#4aa3a0"))
    assert image.save(str(folder / name))
    return folder / name


def of_files(paths: Sequence[Path]) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return data


def drag(target: QWidget, data: QMimeData) -> bool:
    """Bring it over `target`; whether it would be taken."""
    event = QDragEnterEvent(
        QPoint(20, 20),
        Qt.DropAction.CopyAction | Qt.DropAction.MoveAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(target, event)
    return event.isAccepted()


def drop(target: QWidget, data: QMimeData) -> Qt.DropAction:
    """Offer to move it; what was done."""
    event = QDropEvent(
        QPointF(20, 20),
        Qt.DropAction.CopyAction | Qt.DropAction.MoveAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.ShiftModifier,
    )
    assert event.proposedAction() is Qt.DropAction.MoveAction
    QApplication.sendEvent(target, event)
    return event.dropAction()


def paste(desk: Desk, data: QMimeData) -> None:
    QGuiApplication.clipboard().setMimeData(data)
    desk.window.composer.edit.paste()


def press(desk: Desk, key: Qt.Key) -> None:
    target = QApplication.focusWidget()
    assert target is not None
    QTest.keyClick(target, key)


def test_what_reads_pictures_is_loaded_by_the_window_before_a_file_is_read(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[tuple[str, bool]] = []

    def note(what: str) -> None:
        order.append((what, threading.current_thread() is threading.main_thread()))

    def small(*_: object) -> None:
        note("read")

    monkeypatch.setattr(given, "load_formats", lambda: note("loaded"))
    monkeypatch.setattr(reading, "small_picture", small)
    add(desk, picture(tmp_path))
    assert order == [("loaded", True), ("read", False)]


def test_a_chosen_file_stands_above_the_field_and_goes_with_the_words(
    desk: Desk, tmp_path: Path
) -> None:
    desk.window.composer.set_text("sum this up")
    assert add(desk, written(tmp_path, "plan 报告.md"), picture(tmp_path)) == [
        "plan 报告.md",
        "garden.png",
    ]
    assert row(desk).isVisible()
    texts = [one.text() for one in row(desk).findChildren(QLabel)]
    assert "plan 报告.md" in texts and "5 bytes" in texts
    text_chip, picture_chip = row(desk).chips
    assert text_chip.taken.picture is None and picture_chip.taken.picture is not None
    assert text_chip.accessibleName() == "plan 报告.md, 5 bytes"
    assert text_chip.cross.accessibleName() == "Remove plan 报告.md, 5 bytes"
    desk.screenshot("attachments")
    QTest.keyClick(desk.window.composer.edit, Qt.Key.Key_Return)
    assert desk.client.sent == ["sum this up"]
    plan, garden = desk.client.brought[0]
    assert plan == GivenFile("plan 报告.md", b"milk\n") and garden.content[1:4] == b"PNG"
    assert not row(desk).isVisible() and names(desk) == [] and desk.window.composer.text == ""
    assert "plan 报告.md is being kept…" in desk.text()


def test_files_alone_are_a_message(desk: Desk, tmp_path: Path) -> None:
    composer = desk.window.composer
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    assert desk.client.sent == []
    assert not composer.button.property("ready")
    add(desk, written(tmp_path, "a.md"))
    assert composer.button.property("ready")
    composer.button.click()
    assert desk.client.sent == [""] and len(desk.client.brought[0]) == 1


def test_enter_waits_for_files_that_are_still_being_read(desk: Desk, tmp_path: Path) -> None:
    desk.window.composer.set_text("and this")
    row(desk).add_paths([written(tmp_path, "a.md")])
    QTest.keyClick(desk.window.composer.edit, Qt.Key.Key_Return)
    desk.qtbot.waitUntil(lambda: desk.client.sent == ["and this"])
    assert [one.name for one in desk.client.brought[0]] == ["a.md"]


def test_nothing_goes_by_itself_when_a_file_stays_behind(desk: Desk, tmp_path: Path) -> None:
    desk.window.composer.set_text("and this")
    row(desk).add_paths([written(tmp_path, "a.md"), tmp_path / "gone.md"])
    QTest.keyClick(desk.window.composer.edit, Qt.Key.Key_Return)
    assert names(desk) == ["a.md"]
    assert desk.client.sent == [] and desk.window.composer.text == "and this"
    assert desk.window.banner.text == "No longer there: gone.md."


def test_a_file_is_taken_away_by_mouse_and_by_keyboard(desk: Desk, tmp_path: Path) -> None:
    add(desk, *(written(tmp_path, f"{name}.md") for name in "abcd"))
    row(desk).chips[0].cross.click()
    assert names(desk) == ["b.md", "c.md", "d.md"]
    row(desk).chips[0].cross.setFocus()
    desk.qtbot.waitUntil(row(desk).chips[0].cross.hasFocus)
    press(desk, Qt.Key.Key_Right)
    press(desk, Qt.Key.Key_Delete)
    assert names(desk) == ["b.md", "d.md"]
    press(desk, Qt.Key.Key_Left)
    press(desk, Qt.Key.Key_Backspace)
    press(desk, Qt.Key.Key_Return)
    assert names(desk) == [] and not row(desk).isVisible()
    assert desk.window.composer.edit.hasFocus()


def test_the_keyboard_goes_through_it_as_one_reads(desk: Desk, tmp_path: Path) -> None:
    add(desk, written(tmp_path, "a.md"), written(tmp_path, "b.md"))
    composer, (first, second) = desk.window.composer, row(desk).chips
    first.cross.setFocus()
    desk.qtbot.waitUntil(first.cross.hasFocus)
    for expected in (second.cross, composer.clip, composer.edit, composer.button):
        press(desk, Qt.Key.Key_Tab)
        assert expected.hasFocus()


def test_files_are_dropped_anywhere_on_the_chat(desk: Desk, tmp_path: Path) -> None:
    page, data = desk.window, of_files([written(tmp_path, "a.md")])
    hint = page.files.drops.hint
    assert drag(page, data) and hint.isVisible()
    QApplication.sendEvent(page, QDragLeaveEvent())
    assert not hint.isVisible()
    drag(page, data)
    assert drop(page, data) is Qt.DropAction.CopyAction  # it stays where it is
    assert not hint.isVisible()
    assert names(desk) == ["a.md"]
    edit = page.composer.edit.viewport()
    assert drag(edit, data)
    assert drop(edit, data) is Qt.DropAction.CopyAction
    assert names(desk) == ["a.md", "a.md"] and page.composer.text == ""


def test_words_that_are_dragged_are_no_files(desk: Desk) -> None:
    data = QMimeData()
    data.setText("just words")
    assert not drag(desk.window, data) and not desk.window.files.drops.hint.isVisible()
    web = QMimeData()
    web.setUrls([QUrl("https://example.org/a.pdf")])
    assert not drag(desk.window, web)


def test_nothing_is_dropped_where_nobody_answers(desk: Desk, tmp_path: Path) -> None:
    past = HistoryLoaded(SESSION, tuple(stored(["a", "b"])), False, "past", answerable=False)
    desk.client.tell(past)
    data = of_files([written(tmp_path, "a.md")])
    assert not drag(desk.window, data)
    drop(desk.window, data)
    assert names(desk) == []


def test_files_and_pictures_are_pasted(desk: Desk, tmp_path: Path) -> None:
    paste(desk, of_files([written(tmp_path, "a.md")]))
    assert names(desk) == ["a.md"]
    image = QMimeData()
    image.setImageData(QImage(str(picture(tmp_path))))
    paste(desk, image)
    assert names(desk) == ["a.md", "picture.png"]
    assert row(desk).files[1].content[1:4] == b"PNG"
    both = QMimeData()
    both.setImageData(QImage(str(picture(tmp_path))))
    both.setText("a table")
    paste(desk, both)
    assert names(desk) == ["a.md", "picture.png"]
    assert desk.window.composer.text == "a table"


def test_a_copied_picture_that_is_too_large_as_it_is_comes_smaller(desk: Desk) -> None:
    noise = QImage(os.urandom(1_300 * 1_300 * 4), 1_300, 1_300, QImage.Format.Format_RGB32)
    data = QMimeData()
    data.setImageData(noise.copy())
    paste(desk, data)
    assert names(desk) == ["picture.jpg"]
    assert len(row(desk).files[0].content) <= MOST_BYTES


def test_what_does_not_fit_is_said_and_named_where_it_lies(desk: Desk, tmp_path: Path) -> None:
    folder = tmp_path / "my folder"
    folder.mkdir()
    large = written(tmp_path, "film.mov", bytes(MOST_BYTES + 1))
    desk.window.composer.set_text("look at")
    assert add(desk, written(tmp_path, "a.md"), folder, large, tmp_path / "gone.md") == ["a.md"]
    assert desk.window.banner.text.split("\n") == [
        "A folder cannot come along: my folder.",
        "Too large to come along: film.mov (5.0 MB). 5 MB fit into one message.",
        "No longer there: gone.md.",
    ]
    assert desk.window.banner.hint == "I wrote down where it lies, so that I can look there."
    assert desk.window.composer.text == f'look at "{folder}" {large} '


def test_all_files_together_have_a_limit_and_so_has_their_number(
    desk: Desk, tmp_path: Path
) -> None:
    half = bytes(MOST_BYTES // 2)
    assert add(desk, *(written(tmp_path, f"{n}.bin", half) for n in range(3))) == ["0.bin", "1.bin"]
    assert "2.bin (2.5 MB)" in desk.window.banner.text
    row(desk).clear()
    many = [written(tmp_path, f"{n}.md") for n in range(MOST_FILES + 4)]
    row(desk).add_paths(many[:6])  # nobody waits for the first ones
    row(desk).add_paths(many[6:])
    assert names(desk) == [f"{n}.md" for n in range(MOST_FILES)]
    assert (
        (desk.window.banner.text.split("\n")[-1])
        == "10 files fit into one message; left out: 10.md, 11.md, 12.md, …."
    )


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in folders here")
def test_what_cannot_be_read_is_said(desk: Desk, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert add(desk, tmp_path / "pipe", written(tmp_path, "empty.md", b"")) == []
    assert desk.window.banner.text.split("\n") == [
        "Cannot be read: pipe.",
        "There is nothing in it: empty.md.",
    ]


def test_what_is_sent_is_what_was_chosen(desk: Desk, tmp_path: Path) -> None:
    path = written(tmp_path, "a.md", b"as it was")
    add(desk, path)
    path.unlink()
    desk.window.composer.button.click()
    assert desk.client.brought == [(GivenFile("a.md", b"as it was"),)]


def test_a_message_that_was_not_kept_comes_back_with_its_files(desk: Desk, tmp_path: Path) -> None:
    desk.window.composer.set_text("precious")
    add(desk, picture(tmp_path))
    desk.window.composer.button.click()
    desk.client.end(RunId("run-1"), "The disk is full.", OutcomeKind.FAILED)
    assert names(desk) == ["garden.png"] and row(desk).chips[0].taken.picture is not None
    assert desk.window.composer.text == "precious"
    assert desk.window.banner.text == "The disk is full."
    assert desk.text() == ""


def test_a_message_that_is_refused_keeps_everything(desk: Desk, tmp_path: Path) -> None:
    desk.window.composer.set_text("a\0b")
    add(desk, written(tmp_path, "a.md"))
    desk.window.composer.button.click()
    assert names(desk) == ["a.md"] and desk.window.composer.text == "a\0b"


def test_files_wait_for_an_assistant_that_still_starts(make_desk: MakeDesk, tmp_path: Path) -> None:
    desk = make_desk(connect=False)
    add(desk, written(tmp_path, "a.md"))
    desk.window.composer.button.click()
    assert names(desk) == ["a.md"]
    desk.frame.set_client(desk.client)
    assert desk.client.sent == [""] and len(desk.client.brought[0]) == 1


def test_a_draft_keeps_its_files_while_another_conversation_is_shown(
    desk: Desk, tmp_path: Path
) -> None:
    items = tuple(stored(["hello", "hi"]))
    desk.client.tell(HistoryLoaded(SESSION, items, False, "one"))
    desk.window.composer.set_text("for the first")
    add(desk, written(tmp_path, "a.md"))
    desk.client.tell(HistoryLoaded(SESSION, items, False, "two"))
    assert names(desk) == [] and desk.window.composer.text == ""
    add(desk, written(tmp_path, "b.md"))
    desk.client.tell(HistoryLoaded(SESSION, items, False, "one"))
    assert names(desk) == ["a.md"] and desk.window.composer.text == "for the first"
    desk.client.tell(HistoryLoaded(SESSION, items, False, "two"))
    assert names(desk) == ["b.md"]


def test_what_is_still_being_read_does_not_come_into_another_message(
    desk: Desk, tmp_path: Path
) -> None:
    row(desk).add_paths([written(tmp_path, "a.md")])
    row(desk).clear()
    assert names(desk) == []


def test_commands_of_buttons_take_no_files(desk: Desk, tmp_path: Path) -> None:
    add(desk, written(tmp_path, "a.md"))
    desk.window.send("/undo")
    assert desk.client.brought == [()] and names(desk) == ["a.md"]


def test_a_model_without_eyes_is_said_to_have_none(make_desk: MakeDesk, tmp_path: Path) -> None:
    desk = make_desk()
    add(desk, written(tmp_path, "a.md"))
    assert row(desk).note == ""
    add(desk, picture(tmp_path))
    assert row(desk).note.startswith("The model reads text alone")
    seeing = make_desk(FakeAssistantClient(sees=True))
    add(seeing, picture(tmp_path))
    assert row(seeing).note == ""


def test_files_are_chosen_in_the_systems_dialog(desk: Desk, tmp_path: Path) -> None:
    path = written(tmp_path, "a.md")
    desk.window.composer.clip.click()
    dialog = desk.window.composer.findChild(QFileDialog)
    assert dialog is not None
    assert dialog.fileMode() is QFileDialog.FileMode.ExistingFiles
    dialog.filesSelected.emit([str(path)])
    dialog.close()
    assert names(desk) == ["a.md"]
    assert desk.window.composer.clip.accessibleName() == "Add files"
    assert desk.window.files.action in desk.window.actions()


def test_kept_files_take_the_place_of_their_names(desk: Desk, tmp_path: Path) -> None:
    desk.window.composer.set_text("sum this up")
    add(desk, written(tmp_path, "my plan.md"))
    desk.window.composer.button.click()
    kept = AttachedFile("media/inbound/3f2a9c1d-my_plan.md", "text/plain")
    desk.client.tell(FilesKept(RunId("run-1"), (kept,)))
    assert desk.text() == "sum this up\nmy_plan.md\nwaits for its turn"
    desk.client.start(RunId("run-1"), f"sum this up\n{kept.line}")
    assert desk.text() == "sum this up\nmy_plan.md"
    assert list(desk.window._conversation.entries.values()) == [
        UserEntry("sum this up", files=(kept,))
    ]
