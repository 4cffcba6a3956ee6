"""Takes a picture of every place of the window, for people to look at.

    python -m tests.e2e.desktop.pictures --out DIR [--only PLACE] [--home KIND] ...

The real program on a virtual desktop, in each language and theme, with each kind of home, and what
else there is to see in a place (`scenes`); each place once more on a screen twice as fine; then one
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
from dataclasses import dataclass
from pathlib import Path
from typing import cast
from unittest.mock import patch

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter

from moltbot_desktop.ui.desktop_parts import WindowDesks
from moltbot_desktop.ui.kit.list_place import PlaceParts
from moltbot_desktop.ui.place import CHAT
from moltbot_desktop.ui.places import places
from tests.e2e.desktop.driver import (
    DesktopDriver,
    VirtualDesktop,
    missing_programs,
    virtual_desktop,
    wait_until,
)
from tests.e2e.desktop.homes import Home, dress, fill
from tests.e2e.desktop.person import Person
from tests.e2e.desktop.scenes import SCENES, Stage
from tests.e2e.desktop.sight import TELLING, sight_of
from tests.e2e.program import CHECKOUT

LANGUAGES, THEMES = ("en", "zh"), ("light", "dark")
README = {"en-light-normal-chat": "chat-light", "zh-dark-normal-chat": "chat-dark-zh"}
HIGH = 2
_SCREEN = QSize(1280, 900)
_WINDOW = QRect(90, 60, 1100, 780)
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
            env={**desktop.environment, "QT_QPA_PLATFORM": "xcb", "QT_SCALE_FACTOR": "1"},
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
    nothing = cast(WindowDesks, None)
    return [
        str(CHAT),
        *(str(one.id) for one in places(nothing, cast(PlaceParts, None)) if one.in_rail),
    ]


@dataclass(frozen=True)
class Shot:
    """What is taken.

    Attributes:
        look: language and theme.
        wanted: names of places, and titles of scenes.
        scale: how many pixels a point has; scenes are played at 1 alone.
    """

    look: tuple[str, str]
    wanted: Sequence[str]
    out: Path
    scale: int = 1

    def file(self, kind: Home, name: str) -> Path:
        """out/LANGUAGE-THEME-KIND-NAME.png."""
        mark = f"@{self.scale}" if self.scale > 1 else ""
        return self.out / f"{'-'.join(self.look)}-{kind.value}-{name}{mark}.png"


def take_all(kind: Home, home: Path, shot: Shot) -> list[str]:
    """The pictures of one home in one look; the names of those that could not be taken."""
    dress(home / ".moltbot", *shot.look)
    size = (_SCREEN.width() * shot.scale, _SCREEN.height() * shot.scale)
    environment = {**TELLING, "QT_SCALE_FACTOR": str(shot.scale)}
    with (
        patch.dict(os.environ, environment),
        virtual_desktop(home, size=size) as desktop,
        _eye(desktop) as eye,
        sight_of(desktop) as sight,
    ):
        driver = DesktopDriver(desktop, [sys.executable, "-m", "moltbot_desktop"])
        driver.start()
        camera = Camera(driver, eye, kind, shot)
        try:
            for name in place_names():
                if name in shot.wanted:
                    camera.take_place(name)
            if shot.scale > 1:
                return []
            return camera.take_scenes(Person(driver, sight, "pictures"))
        finally:
            driver.kill()


@dataclass(frozen=True)
class Camera:
    """Takes the pictures of one home while the program runs."""

    driver: DesktopDriver
    eye: Eye
    kind: Home
    shot: Shot

    def take_place(self, name: str) -> None:
        go_to(self.driver, name)
        self._place_window()
        self._take(name)

    def take_scenes(self, person: Person) -> list[str]:
        """One that cannot be played is told, and the others are taken all the same; which."""
        missed = []
        stage = Stage(person, self.shot.look[0])
        for scene in SCENES:
            if self.kind in scene.homes and scene.title in self.shot.wanted:
                go_to(self.driver, scene.place)
                self._place_window()
                try:
                    scene.play(stage)
                    self._take(scene.title, whole=scene.whole)
                    scene.leave(stage)
                except AssertionError as error:
                    self.driver.press("Escape")
                    missed.append(self.shot.file(self.kind, scene.title).name)
                    _say(f"{missed[-1]} was not taken: {error}")
        return missed

    def _take(self, name: str, *, whole: bool = False) -> None:
        file = self.shot.file(self.kind, name)
        self.eye.take(file, _times(QRect(QPoint(0, 0), _SCREEN) if whole else _WINDOW, self.shot))
        _say(file.name)

    def _place_window(self) -> None:
        place, window = _times(_WINDOW, self.shot), _window(self.driver)
        self.driver.desktop.xdotool("windowsize", window, str(place.width()), str(place.height()))
        self.driver.desktop.xdotool("windowmove", window, str(place.x()), str(place.y()))


def _times(place: QRect, shot: Shot) -> QRect:
    """In pixels."""
    return QRect(place.topLeft() * shot.scale, place.size() * shot.scale)


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
    driver.desktop.xdotool("windowactivate", "--sync", _window(driver))
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


def names() -> list[str]:
    """Everything that can be chosen: the places, and what else there is in them."""
    return [*place_names(), *(scene.title for scene in SCENES)]


def chosen_names(only: Sequence[str]) -> list[str]:
    """Those of `names` that are meant: a place means its scenes too; none given means all."""
    return [one for one in names() if not only or one in only or one.split(".")[0] in only]


def options(argv: Sequence[str]) -> argparse.Namespace:
    made = argparse.ArgumentParser(description=__doc__)
    made.add_argument("--out", type=Path, required=True)
    made.add_argument("--only", action="append", default=[], choices=names(), help="this alone")
    made.add_argument("--home", action="append", choices=[one.value for one in Home])
    made.add_argument("--language", action="append", choices=LANGUAGES)
    made.add_argument("--theme", action="append", choices=THEMES)
    made.add_argument("--scale", action="append", type=int, choices=(1, HIGH), help="default: both")
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
    missed: list[str] = []
    wanted, scales = chosen_names(chosen.only), chosen.scale or (1, HIGH)
    for language in chosen.language or LANGUAGES:
        for kind in map(Home, chosen.home or [one.value for one in Home]):
            with tempfile.TemporaryDirectory(prefix="pictures-") as folder:
                home = Path(folder)
                fill(kind, home / ".moltbot", language)
                for theme in chosen.theme or THEMES:
                    for scale in scales:
                        # On a fine screen each place once, not with each content.
                        if scale == 1 or kind is Home.NORMAL:
                            shot = Shot((language, theme), wanted, out, scale)
                            missed += take_all(kind, home, shot)
    _finish(out, readme=chosen.readme)
    if missed:
        _say(f"Not taken: {', '.join(missed)}")
    return int(bool(missed))


def as_somebody(argv: Sequence[str]) -> None:
    """Start anew as somebody who is not the system's owner, whom the doctor would warn of that."""
    program = shutil.which("unshare")
    if os.geteuid() == 0 and program is not None:
        command = [program, "--user", "--map-user=1000", "--map-group=1000"]
        if subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0:
            os.execv(program, [*command, sys.executable, "-m", "tests.e2e.desktop.pictures", *argv])


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
    as_somebody(sys.argv[1:])
    sys.exit(main(sys.argv[1:]))
