"""Draws the program's icon in the sizes that systems want, from the one SVG.

    python icons.py moltbot.svg FOLDER        # FOLDER/16.png … FOLDER/512.png, FOLDER/moltbot.ico

Run in the environment of a build: it has Qt and Pillow.
"""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

SIZES = (16, 22, 24, 32, 48, 64, 128, 256, 512)


def draw(source: Path, folder: Path) -> None:
    """A PNG for each of `SIZES` in `folder`.

    Raises:
        ValueError: `source` is no SVG, or a picture cannot be written.
    """
    renderer = QSvgRenderer(str(source))
    if not renderer.isValid():
        raise ValueError(f"{source} cannot be drawn")
    folder.mkdir(parents=True, exist_ok=True)
    for size in SIZES:
        image = QImage(size, size, QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        renderer.render(painter)
        painter.end()
        if not image.save(str(folder / f"{size}.png")):
            raise ValueError(f"{folder} takes no picture")
    with Image.open(folder / "256.png") as largest:  # Windows' installer wants all of them in one
        largest.save(folder / "moltbot.ico", sizes=[(size, size) for size in SIZES if size <= 256])


if __name__ == "__main__":
    draw(Path(sys.argv[1]), Path(sys.argv[2]))
