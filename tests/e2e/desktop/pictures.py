"""Takes a picture of every place of the window, for people to look at.

    python -m tests.e2e.desktop.pictures --out DIR [--only PLACE] [--home KIND] ...

The real program on a virtual desktop, in each language and theme, with each kind of home; then one
sheet of all pictures for each language and theme. `packaging/dev.py screenshots` runs this.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter

from moltbot_desktop.ui.kit.list_place import PlaceParts
from moltbot_desktop.ui.place import CHAT
from moltbot_desktop.ui.places import PlaceDesks, places
from tests.e2e.desktop.driver import (
    DesktopDriver,
    VirtualDesktop,
    missing_programs,
    virtual_desktop,
    wait_until,
)
from tests.e2e.desktop.homes import Home, dress, fill
from tests.e2e.program import CHECKOUT

LANGUAGES, THEMES = ("en", "zh"), ("light", "dark")
README = {"en-light-normal-chat": "chat-light", "zh-dark-normal-chat": "chat-dark-zh"}
_SIZE = QSize(1100, 780)
_STEADY_PIXELS = 400
_STEADY_TRIES = 25
_STEADY_LOOKS = 4
_THUMB = QSize(520, 400)
_COLUMNS = 4
# One process for all pictures: starting Qt takes longer than taking one. It answers each line with
# how many pixels (of a quarter of them) are other than in the picture before.
_EYE = """
import sys
from PySide6.QtWidgets import QApplication
application = QApplication([])
last = b""
for line in sys.stdin:
    name, x, y, width, height = line.rstrip("\\n").split("\\t")
    application.processEvents()
    screen = application.primaryScreen()
    image = screen.grabWindow(0, int(x), int(y), int(width), int(height)).toImage()
    image.save(name)
    seen = image.convertToFormat(image.Format.Format_Grayscale8).bits().tobytes()[::4]
    same = len(seen) == len(last)
    print(sum(a != b for a, b in zip(seen, last)) if same else len(seen), flush=True)
    last = seen
"""


class Eye:
    """Looks at the screen until nothing moves any more."""

    def __init__(self, desktop: VirtualDesktop) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _EYE],
            env={**desktop.environment, "QT_QPA_PLATFORM": "xcb"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def take(self, file: Path, part: QRect) -> None:
        """A picture of `part` of the screen once it is steady (a text cursor may blink). One look
        is not enough: a place that waits for its desk is steady too."""
        still = 0
        for _ in range(_STEADY_TRIES):
            time.sleep(0.3)
            still = still + 1 if self._look(file, part) < _STEADY_PIXELS else 0
            if still == _STEADY_LOOKS:
                return

    def _look(self, file: Path, part: QRect) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        numbers = (part.x(), part.y(), part.width(), part.height())
        self._process.stdin.write("\t".join([str(file), *map(str, numbers)]) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


def place_names() -> list[str]:
    """The chat and all places of the rail, in its order: none of them is made for that."""
    nothing = cast(PlaceDesks, None)
    return [
        str(CHAT),
        *(str(one.id) for one in places(nothing, cast(PlaceParts, None)) if one.in_rail),
    ]


def take_all(
    kind: Home, home: Path, look: tuple[str, str], wanted: Sequence[str], out: Path
) -> None:
    """The pictures of one home in one look (language, theme) as out/LANGUAGE-THEME-KIND-PLACE."""
    dress(home / ".moltbot", *look)
    with virtual_desktop(home) as desktop, _eye(desktop) as eye:
        driver = DesktopDriver(desktop, [sys.executable, "-m", "moltbot_desktop"])
        driver.start()
        try:
            for name in place_names():
                if name in wanted:
                    _picture(driver, eye, name, out / f"{'-'.join(look)}-{kind.value}-{name}.png")
        finally:
            driver.kill()


def _picture(driver: DesktopDriver, eye: Eye, place: str, file: Path) -> None:
    go_to(driver, place)
    x, y = (1280 - _SIZE.width()) // 2, 60
    window = _window(driver)
    driver.desktop.xdotool("windowsize", window, str(_SIZE.width()), str(_SIZE.height()))
    driver.desktop.xdotool("windowmove", window, str(x), str(y))
    eye.take(file, QRect(QPoint(x, y), _SIZE))
    _say(file.name)


def _window(driver: DesktopDriver) -> str:
    """Its id. xdotool finds none at all when some window vanishes while it looks: ask again."""
    found: list[str] = []

    def shown() -> bool:
        found[:] = driver.desktop.windows("Moltbot")
        return bool(found) or not driver.running

    wait_until(shown, "the window")
    assert driver.running, driver.printed
    return found[0]


def go_to(driver: DesktopDriver, place: str) -> None:
    """By the keys that a person has: the first places have numbers, the others are paged to."""
    at = place_names().index(place)
    driver.focus()
    driver.press(f"ctrl+{min(at, 8) + 1}")
    for _ in range(at - 8):
        driver.press("ctrl+Next")


@contextmanager
def _eye(desktop: VirtualDesktop) -> Iterator[Eye]:
    eye = Eye(desktop)
    try:
        yield eye
    finally:
        eye.close()


def sheet(files: Sequence[Path]) -> QImage:
    """All pictures small, each under its name."""
    label = 24
    rows = -(-len(files) // _COLUMNS)
    size = QSize(_THUMB.width() * _COLUMNS, (_THUMB.height() + label) * rows)
    made = QImage(size, QImage.Format.Format_RGB32)
    made.fill(Qt.GlobalColor.gray)
    painter = QPainter(made)
    for number, file in enumerate(files):
        x = number % _COLUMNS * _THUMB.width()
        y = number // _COLUMNS * (_THUMB.height() + label)
        painter.drawText(x + 6, y + 17, file.stem)
        small = QImage(str(file)).scaled(
            _THUMB - QSize(8, 4),
            Qt.AspectRatioMode.KeepAspectRatio,
            Qt.TransformationMode.SmoothTransformation,
        )
        painter.drawImage(x + 4, y + label, small)
    painter.end()
    return made


def options(argv: Sequence[str]) -> argparse.Namespace:
    made = argparse.ArgumentParser(description=__doc__)
    made.add_argument("--out", type=Path, required=True)
    made.add_argument("--only", action="append", choices=place_names(), help="this place")
    made.add_argument("--home", action="append", choices=[one.value for one in Home])
    made.add_argument("--language", action="append", choices=LANGUAGES)
    made.add_argument("--theme", action="append", choices=THEMES)
    made.add_argument("--readme", action="store_true", help="bring the README's up to date")
    return made.parse_args(argv)


def main(argv: Sequence[str]) -> int:
    chosen = options(argv)
    if missing_programs():
        _say(f"Install first: {', '.join(missing_programs())}")
        return 1
    os.environ["PYTHONPATH"] = str(CHECKOUT)
    out: Path = chosen.out.absolute()
    out.mkdir(parents=True, exist_ok=True)
    for language in chosen.language or LANGUAGES:
        for kind in map(Home, chosen.home or [one.value for one in Home]):
            with tempfile.TemporaryDirectory(prefix="pictures-") as folder:
                home = Path(folder)
                fill(kind, home / ".moltbot", language)
                for theme in chosen.theme or THEMES:
                    take_all(kind, home, (language, theme), chosen.only or place_names(), out)
    _finish(out, readme=chosen.readme)
    return 0


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def _finish(out: Path, *, readme: bool) -> None:
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    application = QGuiApplication.instance() or QGuiApplication([])
    for look in (f"{language}-{theme}" for language in LANGUAGES for theme in THEMES):
        if files := sorted(out.glob(f"{look}-*.png")):
            sheet(files).save(str(out / f"sheet-{look}.png"))
    for name, kept in README.items():
        if readme and (out / f"{name}.png").exists():
            shutil.copy(out / f"{name}.png", CHECKOUT / "resources" / "screenshots" / f"{kept}.png")
    del application


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
