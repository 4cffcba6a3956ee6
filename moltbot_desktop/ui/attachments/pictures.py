"""Pictures made small, within limits: whoever drew one may have drawn it to break a program.

    small_picture(content, QSize(320, 220))      # a QImage that fits, or None for no picture

Only the formats below are read, only their first frame, and none that says that it is huge. Safe on
any thread once `load_formats` was called on the window's.
"""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QSize, Qt
from PySide6.QtGui import QImage, QImageReader

FORMATS = frozenset({b"png", b"jpeg", b"gif", b"webp", b"bmp"})
MOST_PIXELS = 60_000_000
"""Of a picture as it lies there; a camera's have half as many."""
_QUALITY = 88


@lru_cache(maxsize=1)
def load_formats() -> None:
    """Load what reads pictures, once; on the window's thread, 40 ms.

    Where Qt loads it at the first picture on another thread, it hands it over to the window's,
    under a lock. That thread may hold this lock while it waits for the interpreter (an animation
    that is taken apart asks whether Python has a say), which the other has all the time: the window
    stood still for ever.
    """
    QImageReader.supportedImageFormats()


def small_picture(content: bytes, box: QSize) -> QImage | None:
    """The picture in `content`, at most as large as `box` (pixels); None where there is none."""
    given = QByteArray(content)
    buffer = QBuffer(given)
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer)
    reader.setDecideFormatFromContent(True)
    reader.setAutoTransform(True)
    size = reader.size()
    if reader.format().data() not in FORMATS or not size.isValid():
        return None
    if size.width() * size.height() > MOST_PIXELS:
        return None
    if size.width() > 2 * box.width() or size.height() > 2 * box.height():
        # Twice the box: it may be turned afterwards, and the last step is smoother.
        reader.setScaledSize(
            size.scaled(box * 2, Qt.AspectRatioMode.KeepAspectRatio).expandedTo(QSize(1, 1))
        )
    picture = reader.read()
    if picture.isNull():
        return None
    if picture.width() > box.width() or picture.height() > box.height():
        kept, smooth = (
            Qt.AspectRatioMode.KeepAspectRatio,
            Qt.TransformationMode.SmoothTransformation,
        )
        fitted = picture.size().scaled(box, kept).expandedTo(QSize(1, 1))
        picture = picture.scaled(fitted, Qt.AspectRatioMode.IgnoreAspectRatio, smooth)
    return picture.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)


def picture_file(picture: QImage, most: int) -> tuple[str, bytes]:
    """A copied picture as a file: its ending and content, as PNG unless that is over `most` bytes;
    an empty content where it cannot be written."""
    content = _written(picture, "PNG", -1)
    if len(content) <= most:
        return ".png", content
    return ".jpg", _written(picture, "JPEG", _QUALITY)


def _written(picture: QImage, form: str, quality: int) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    done = picture.save(buffer, form, quality)  # type: ignore[call-overload]
    return bytes(buffer.data().data()) if done else b""
