"""Our own icons, drawn from SVG at the sizes a panel asks for. The home of QtSvg."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

_PANEL_SIZES = (16, 20, 22, 24, 32, 48, 64, 128)
_BUTTON_SIZES = (16, 20, 24, 32, 40)


def drawn_icon(svg: bytes, sizes: tuple[int, ...]) -> QIcon:
    """`svg` as an icon that holds a picture of each size (pixels)."""
    renderer = QSvgRenderer(QByteArray(svg))
    icon = QIcon()
    for size in sizes:
        picture = QPixmap(size, size)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        renderer.render(painter, QRectF(0, 0, size, size))
        painter.end()
        icon.addPixmap(picture)
    return icon


class Icons:
    """The icons of resources/icons."""

    def __init__(self, resources: Path) -> None:
        self._folder = resources / "icons"
        self._signs: dict[tuple[str, str], QIcon] = {}

    def picture(self, name: str, sizes: tuple[int, ...] = _PANEL_SIZES) -> QIcon:
        """A coloured icon: the program's own, or a state of the tray."""
        return drawn_icon((self._folder / f"{name}.svg").read_bytes(), sizes)

    def sign(self, name: str, colour: str) -> QIcon:
        """A sign for a button in `colour` (#rrggbb); the files are drawn in black.

        Drawn once: a button that changes its sign while an answer streams must not wait for it.
        """
        if (known := self._signs.get((name, colour))) is None:
            svg = (self._folder / f"{name}.svg").read_bytes().replace(b"#000000", colour.encode())
            known = self._signs[name, colour] = drawn_icon(svg, _BUTTON_SIZES)
        return known
