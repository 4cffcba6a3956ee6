"""The files of a message in the conversation: pictures as small images, all others by name.

    pictures = ShownPictures(desk, worker)
    pictures.image(file)           # None while it is not there; `ready` tells when it is
    width = write_files(writer, entry, entry_id, pictures)

A picture is read and made small beside the window, at most once, and only the last ones are kept.
Nothing but files that lie with the conversation's agent can be asked for.
"""

from __future__ import annotations

from collections import OrderedDict
from functools import partial

from PySide6.QtCore import QObject, QSize, QUrl, Signal
from PySide6.QtGui import QFontMetricsF, QImage, QTextImageFormat

from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.qt.worker import Worker
from moltbot_desktop.sdk.attachments import AttachedDesk, AttachedFile
from moltbot_desktop.ui.attachments.pictures import load_formats, small_picture
from moltbot_desktop.ui.document_writer import DocumentWriter, Spacing, block_format
from moltbot_desktop.ui.entries import UserEntry
from moltbot_desktop.ui.words import words

SCHEME = "moltbot-picture"
BOX = QSize(320, 220)
_MOST_BYTES = 20_000_000
_KEPT = 100
_LINE = Spacing(top=4, bottom=0, line=115)


class ShownPictures(QObject):
    """Signals:
    ready: the picture at this place can be drawn now.
    """

    ready = Signal(str)

    def __init__(self, desk: AttachedDesk, worker: Worker, parent: QObject) -> None:
        super().__init__(parent)
        self._desk, self._worker = desk, worker
        self._session = SessionKey("")
        self._kept: OrderedDict[str, QImage | None] = OrderedDict()
        self._asked: set[str] = set()

    def look_in(self, session: SessionKey) -> None:
        """The files are those of this conversation from now on."""
        if session != self._session:
            self._session = session
            self._kept.clear()

    def image(self, file: AttachedFile) -> QImage | None:
        """None where there is none (yet); asks for it when nobody has."""
        if file.place in self._kept:
            self._kept.move_to_end(file.place)
            return self._kept[file.place]
        if self._session and file.place not in self._asked:
            self._asked.add(file.place)
            load_formats()
            read = partial(_read, self._desk, self._session, file)
            self._worker.submit(read, partial(self._take, self._session, file.place))
        return None

    def resource(self, name: QUrl | str) -> QImage | None:
        """What the document asks for by the address that `write_files` wrote."""
        url = QUrl(name)
        return self._kept.get(url.path()) if url.scheme() == SCHEME else None

    def _take(self, session: SessionKey, place: str, picture: QImage | None) -> None:
        self._asked.discard(place)
        if session != self._session:
            return
        self._kept[place] = picture
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        if picture is not None:
            self.ready.emit(place)


def _read(desk: AttachedDesk, session: SessionKey, file: AttachedFile) -> QImage | None:
    content = desk.read(session, file, _MOST_BYTES)
    return None if content is None else small_picture(content, BOX)


def write_files(
    writer: DocumentWriter, entry: UserEntry, entry_id: int, pictures: ShownPictures | None
) -> float:
    """Write the files of `entry` below its words; the width that they take, in pixels."""
    width = 0.0
    for number, file in enumerate(entry.files):
        address = f"moltbot:file/{entry_id}/{number}"
        picture = pictures.image(file) if pictures is not None and file.is_picture else None
        if picture is not None:
            width = max(width, _write_picture(writer, file, address, picture))
        look = writer.style.link_look(address, scale=0.92)
        look.setForeground(writer.style.look(colour=writer.style.theme.on_bubble).foreground())
        writer.begin_block(block_format(_LINE), look)
        writer.text(file.name, look)
        width = max(width, QFontMetricsF(look.font()).horizontalAdvance(file.name))
    for name in entry.bringing:
        muted = writer.style.look(colour=writer.style.theme.muted, scale=0.92)
        writer.begin_block(block_format(_LINE), muted)
        said = words().bringing.replace("{file}", name)
        writer.text(said, muted)
        width = max(width, QFontMetricsF(muted.font()).horizontalAdvance(said))
    return width


def _write_picture(
    writer: DocumentWriter, file: AttachedFile, address: str, picture: QImage
) -> float:
    plain = writer.style.look()
    writer.begin_block(block_format(Spacing(top=6, bottom=0, line=100)), plain)
    shown = QTextImageFormat()
    shown.setName(f"{SCHEME}:{file.place}")
    shown.setWidth(picture.width())
    shown.setHeight(picture.height())
    shown.setAnchor(True)
    shown.setAnchorHref(address)
    shown.setToolTip(file.name)
    writer.cursor.insertImage(shown)
    return float(picture.width())
