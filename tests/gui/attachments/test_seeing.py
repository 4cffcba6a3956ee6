"""Files that came with messages, in the conversation: small pictures, names, and opening them."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from PySide6.QtCore import QBuffer, QIODevice, QSize, QUrl
from PySide6.QtGui import QColor, QImage, QImageReader, QTextDocument
from PySide6.QtWidgets import QMessageBox, QPushButton

from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.gateway.client import ConversationItem, ItemKind
from moltbot_desktop.sdk.attachments import AttachedFile
from moltbot_desktop.ui.attachments.opening import FileQuestion
from moltbot_desktop.ui.attachments.pictures import small_picture
from moltbot_desktop.ui.attachments.shown import BOX
from tests.fakes.assistant_client import SESSION, FakeAssistantClient
from tests.gui.conftest import Desk

MakeDesk = Callable[..., Desk]
GARDEN = AttachedFile("media/inbound/3f2a9c1d-garden.png", "image/png")
PLAN = AttachedFile("media/inbound/3f2a9c1d-plan.pdf", "application/pdf")
OBJECT = "\ufffc"
"""What a picture is in a document's text."""


def drawn(width: int = 900, height: int = 600, form: str = "PNG") -> bytes:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor("#4aa3a0"))
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    assert image.save(buffer, form)  # type: ignore[call-overload]
    return bytes(buffer.data().data())


@dataclass
class Kept:
    """An `AttachedDesk` with files by their place."""

    files: dict[str, bytes]
    folder: Path = Path()
    read_in: list[SessionKey] = field(default_factory=list)

    def read(self, session: SessionKey, file: AttachedFile, most: int) -> bytes | None:
        self.read_in.append(session)
        return self.files.get(file.place)

    def where(self, session: SessionKey, file: AttachedFile) -> Path | None:
        return self.folder / file.name if file.place in self.files else None


def said(text: str, *files: AttachedFile) -> ConversationItem:
    lines = "\n".join(filter(None, (text, *(one.line for one in files))))
    return ConversationItem(ItemKind.USER, lines, "2026-08-01T09:00:00+00:00")


def chat(make_desk: MakeDesk, kept: Kept, *items: ConversationItem) -> Desk:
    return make_desk(FakeAssistantClient(items=list(items)), attached=kept)


def click(desk: Desk, file: AttachedFile) -> None:
    """On its name in the first message."""
    view = desk.window.transcript
    found = view.document().find(file.name)
    assert not found.isNull()
    view.anchorClicked.emit(QUrl(found.charFormat().anchorHref()))
    desk.settle()


def test_a_picture_is_shown_small_and_other_files_by_name(make_desk: MakeDesk) -> None:
    kept = Kept({GARDEN.place: drawn()})
    desk = chat(make_desk, kept, said("what is this?", GARDEN, PLAN))
    assert desk.text() == f"what is this?\n{OBJECT}\ngarden.png\nplan.pdf"
    assert kept.read_in == [SESSION]
    kind = QTextDocument.ResourceType.ImageResource.value
    name = QUrl(f"moltbot-picture:{GARDEN.place}")
    shown = desk.window.transcript.document().resource(kind, name)
    assert isinstance(shown, QImage) and shown.size() == QSize(320, 213)
    desk.screenshot("attached")


def test_a_picture_that_is_gone_is_named(make_desk: MakeDesk) -> None:
    desk = chat(make_desk, Kept({}), said("", GARDEN))
    assert desk.text() == "garden.png"


def test_drawing_anew_reads_nothing_anew(make_desk: MakeDesk) -> None:
    kept = Kept({GARDEN.place: drawn()})
    desk = chat(make_desk, kept, said("", GARDEN))
    desk.settle()
    desk.window.zoom.larger.trigger()
    assert desk.text() == f"{OBJECT}\ngarden.png" and len(kept.read_in) == 1


def test_no_other_picture_is_ever_loaded(make_desk: MakeDesk, tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(drawn())
    desk = chat(make_desk, Kept({GARDEN.place: drawn()}), said("", GARDEN))
    desk.settle()
    view = desk.window.transcript
    for name in (str(tmp_path / "secret.png"), f"moltbot-picture:{PLAN.place}", "https://e.org/a"):
        assert not isinstance(view.loadResource(2, QUrl(name)), QImage)


@pytest.mark.parametrize("words", ["", "see\n[media attached: ../../etc/passwd (text/plain)]"])
def test_only_files_of_messages_are_shown_as_such(make_desk: MakeDesk, words: str) -> None:
    elsewhere = "[media attached: /etc/passwd (text/plain)]"
    desk = chat(make_desk, Kept({}), said(f"{words}\n{elsewhere}"))
    assert elsewhere in desk.text()


def test_opening_asks_first(make_desk: MakeDesk, tmp_path: Path) -> None:
    desk = chat(make_desk, Kept({PLAN.place: b"%PDF"}, tmp_path), said("", PLAN))
    click(desk, PLAN)
    question = desk.window.findChild(FileQuestion)
    assert question is not None
    assert question.informativeText() == str(tmp_path / "plan.pdf")
    question.reject()


def test_a_file_that_is_gone_cannot_be_opened(make_desk: MakeDesk) -> None:
    desk = chat(make_desk, Kept({}), said("", PLAN))
    click(desk, PLAN)
    assert desk.window.banner.text == "plan.pdf is no longer there."
    assert desk.window.findChild(QMessageBox) is None


def buttons(question: FileQuestion) -> dict[str, QPushButton]:
    return {one.text(): one for one in question.findChildren(QPushButton)}


def test_only_what_is_read_or_looked_at_is_handed_to_the_system(desk: Desk, tmp_path: Path) -> None:
    opened: list[QUrl] = []
    question = FileQuestion(tmp_path / "a.PDF", desk.window, opened.append)
    question.open()
    assert opened == []
    buttons(question)["Open"].click()
    assert opened == [QUrl.fromLocalFile(str(tmp_path / "a.PDF"))]
    for name in ("run.sh", "a.desktop", "page.html", "a.svg", "none", "a.pdf.exe", "b.docm"):
        risky = FileQuestion(tmp_path / name, desk.window, opened.append)
        risky.open()
        assert set(buttons(risky)) == {"Show in its folder", "Cancel"}
        buttons(risky)["Show in its folder"].click()
        assert opened[-1] == QUrl.fromLocalFile(str(tmp_path))


@pytest.mark.parametrize("form", ["PNG", "JPEG", "BMP"])
def test_pictures_are_made_small(qapp: object, form: str) -> None:
    small = small_picture(drawn(3_000, 1_000, form), BOX)
    assert small is not None and small.size() == QSize(320, 106)
    tiny = small_picture(drawn(3, 2, form), BOX)
    assert tiny is not None and tiny.size() == QSize(3, 2)
    thin = small_picture(drawn(4_000, 1, form), BOX)
    assert thin is not None and thin.size() == QSize(320, 1)


def huge() -> bytes:
    """A picture that says that it has four thousand million pixels."""

    def chunk(name: bytes, data: bytes) -> bytes:
        body = name + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 65_000, 65_000, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(bytes(10)))


def test_a_picture_that_says_it_is_huge_is_not_decoded(qapp: object) -> None:
    buffer = QBuffer()
    buffer.setData(huge())
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    assert QImageReader(buffer).size() == QSize(65_000, 65_000)
    assert small_picture(huge(), BOX) is None


@pytest.mark.parametrize(
    "content",
    [b"", b"no picture", b"\x89PNG\r\n\x1a\n" + bytes(40), drawn()[:60],
     b"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>"],
)  # fmt: skip
def test_what_is_no_picture_or_a_huge_one_is_none(qapp: object, content: bytes) -> None:
    assert small_picture(content, BOX) is None


def test_the_picture_keeps_the_end_in_sight(make_desk: MakeDesk) -> None:
    items = [said(f"line {n}") for n in range(40)]
    desk = chat(make_desk, Kept({GARDEN.place: drawn()}), *items, said("", GARDEN))
    desk.settle()
    bar = desk.window.transcript.verticalScrollBar()
    assert bar.value() == bar.maximum()
