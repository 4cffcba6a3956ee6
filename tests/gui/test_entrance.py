"""The icon stands and listens before the program is loaded, and nothing wished meanwhile is lost.

In processes of their own: a process has one application.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BEFORE = """
import sys
from pathlib import Path
from PySide6.QtCore import QThread
from moltbot_desktop.qt.wishes import WINDOW, Wish
from moltbot_desktop.ui.entrance import Entrance, EntranceParts

entrance = Entrance(EntranceParts(Path(sys.argv[1]), Path("resources"), "en", "light"), {wish})
assert entrance.claim() is None
main = QThread.currentThread()

def press(name):
    # From the thread that loads: the menu is pressed in the window's while that goes on.
    from PySide6.QtCore import QMetaObject, Qt
    actions = [one for one in entrance.tray.menu.actions() if one.text() == name]
    QMetaObject.invokeMethod(actions[0], "trigger", Qt.ConnectionType.BlockingQueuedConnection)
"""


def outcome(home: Path, checkout: Path, wish: str, script: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", BEFORE.format(wish=wish) + script, str(home)],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=checkout,
        env={"QT_QPA_PLATFORM": "offscreen", "HOME": str(home), "PATH": ""},
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def test_what_is_loaded_comes_back_from_another_thread(tmp_path: Path, checkout: Path) -> None:
    script = """
found = entrance.while_loading(lambda: QThread.currentThread() is main)
print(found, entrance.hand_over() == WINDOW)
entrance.tray.close()
entrance.leave()
"""
    assert outcome(tmp_path, checkout, "WINDOW", script) == "False True"


@pytest.mark.parametrize(
    ("pressed", "kind"),
    [("Open chat", "window"), ("Quick question", "toggle"), ("Settings", "settings")],
)
def test_what_is_pressed_meanwhile_is_shown_then(
    tmp_path: Path, checkout: Path, pressed: str, kind: str
) -> None:
    script = f"""
entrance.while_loading(lambda: press("{pressed}"))
print(entrance.hand_over().kind.value)
entrance.tray.close()
entrance.leave()
"""
    assert outcome(tmp_path, checkout, "None", script) == kind


def test_quit_meanwhile_is_the_end(tmp_path: Path, checkout: Path) -> None:
    script = """
print(entrance.while_loading(lambda: press("Quit") or "loaded"))
entrance.leave()
"""
    assert outcome(tmp_path, checkout, "WINDOW", script) == "None"


def test_what_cannot_be_loaded_is_raised(tmp_path: Path, checkout: Path) -> None:
    script = """
def broken():
    raise ValueError("no such part")
try:
    entrance.while_loading(broken)
except ValueError as error:
    print(error)
entrance.tray.close()
entrance.leave()
"""
    assert outcome(tmp_path, checkout, "None", script) == "no such part"


def test_a_start_without_a_wish_shows_nothing_and_the_first_one_a_welcome(
    tmp_path: Path, checkout: Path
) -> None:
    script = """
entrance.welcome()
print(entrance.hand_over())
entrance.tray.close()
entrance.leave()
"""
    assert outcome(tmp_path, checkout, "None", script) == "None"
    assert "welcome" in outcome(tmp_path, checkout, "WINDOW", script)


def test_nothing_of_the_assistant_is_loaded_for_the_icon(checkout: Path) -> None:
    script = """
import sys
import moltbot_desktop.app.main, moltbot_desktop.app.arriving
heavy = ("moltbot_desktop.app.assistant", "moltbot_desktop.ui.main_window", "llama_cpp", "numpy")
print([one for one in (*heavy, "apsw", "jinja2", "pygments", "markdown_it") if one in sys.modules])
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=checkout,
        check=True,
    )
    assert done.stdout.strip() == "[]"
