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
from contextlib import closing
from pathlib import Path
from PySide6.QtCore import QMetaObject, Qt, QThread
from moltbot_desktop.qt.wishes import WINDOW, Wish
from moltbot_desktop.ui.entrance import Entrance

main = QThread.currentThread()

def press(name):
    # From the thread that loads: the menu is pressed in the window's while that goes on.
    actions = [one for one in entrance.menu.actions() if one.text() == name]
    QMetaObject.invokeMethod(actions[0], "trigger", Qt.ConnectionType.BlockingQueuedConnection)

with closing(Entrance(Path(sys.argv[1]), Path("resources"), {wish})) as entrance:
    assert entrance.claim() is None
"""


RESTING = (
    *("moltbot_desktop.app.awake", "moltbot_desktop.app.assistant"),
    *("moltbot_desktop.app.lent_desks", "moltbot_desktop.ui.windows", "Xlib", "mss"),
)
"""What only a program that does something needs: 40 MiB."""

LATE = (
    *("numpy", "llama_cpp", "jinja2", "sqlite3", "jsonschema", "referencing", "regex"),
    *("httpx2", "httpcore2", "markdown_it", "pygments"),
    *("moltbot_desktop.ui.main_window", "moltbot_desktop.ui.places"),
    "moltbot_desktop.ui.quick_ask",
    "moltbot_desktop.app.window_desks",
)


def outcome(home: Path, checkout: Path, wish: str, script: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", BEFORE.format(wish=wish) + script, str(home)],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=checkout,
        env={"QT_QPA_PLATFORM": "offscreen", "MOLTBOT_HOME": str(home), "PATH": ""},
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def test_what_is_loaded_comes_back_from_another_thread(tmp_path: Path, checkout: Path) -> None:
    script = """
    found = entrance.while_loading(lambda: QThread.currentThread() is main)
    print(found, entrance.hand_over() == WINDOW)
"""
    assert outcome(tmp_path, checkout, "WINDOW", script) == "False True"


@pytest.mark.parametrize(
    ("meanwhile", "kind"),
    [
        ('press("Open chat")', "window"),
        ("entrance._on_wished(Wish.of_page('memory'))", "page"),
    ],
)
def test_what_is_wished_meanwhile_is_shown_then(
    tmp_path: Path, checkout: Path, meanwhile: str, kind: str
) -> None:
    script = f"""
    entrance.while_loading(lambda: {meanwhile})
    print(entrance.hand_over().kind.value)
"""
    assert outcome(tmp_path, checkout, "None", script) == kind


def test_quit_meanwhile_is_the_end(tmp_path: Path, checkout: Path) -> None:
    script = """
    print(entrance.while_loading(lambda: press("Quit") or "loaded"))
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
"""
    assert outcome(tmp_path, checkout, "None", script) == "no such part"


def test_a_first_page_is_for_who_wants_to_see_the_window(tmp_path: Path, checkout: Path) -> None:
    script = """
    entrance.welcome(Wish.of_page("welcome"))
    print(entrance.hand_over())
"""
    assert outcome(tmp_path, checkout, "None", script) == "None"
    assert "welcome" in outcome(tmp_path, checkout, "WINDOW", script)


def test_it_speaks_as_the_settings_say(tmp_path: Path, checkout: Path) -> None:
    script = """
    for language in ("zh", "en", "zh"):
        entrance.speak(language, "dark")
        print(entrance.tr("Quit"), entrance.application.styleSheet() != "")
"""
    said = outcome(tmp_path, checkout, "None", script).split("\n")
    assert said == ["退出 True", "Quit True", "退出 True"]


def test_another_start_is_answered_before_anything_is_loaded(
    tmp_path: Path, checkout: Path
) -> None:
    script = """
    import subprocess
    again = [sys.executable, "-m", "moltbot_desktop", "--hidden"]
    print(entrance.while_loading(lambda: subprocess.run(again).returncode))
    print(entrance.hand_over().kind.value)
"""
    assert outcome(tmp_path, checkout, "None", script).split() == ["0", "window"]


def test_nothing_of_the_assistant_is_loaded_for_the_icon(checkout: Path) -> None:
    script = """
import sys
import moltbot_desktop.app.arriving
heavy = ("app.assistant", "app.main", "ui.main_window", "ui.tray", "gateway", "config", "agent")
heavy = [f"moltbot_desktop.{one}" for one in heavy] + ["numpy", "llama_cpp", "apsw", "jinja2"]
print([one for one in heavy if one in sys.modules])
"""
    assert printed(checkout, script) == "[]"


def test_the_source_of_what_is_loaded_is_not_kept(checkout: Path) -> None:
    script = """
import linecache
import sys
import PySide6.QtCore
from moltbot_desktop.qt.unread_sources import leave_sources_unread
linecache.clearcache()
leave_sources_unread()
import moltbot_desktop.app.desktop
import moltbot_desktop.app.assistant
loaded = [one for one in sys.modules if one.startswith("moltbot_desktop.")]
print(len(loaded) > 800, len(linecache.cache))
"""
    assert printed(checkout, script).split() == ["True", "0"]


def test_what_nobody_has_asked_for_yet_is_not_loaded_with_the_program(checkout: Path) -> None:
    """Each of these holds 1 to 16 MiB: it comes with the first message, search or page that needs
    it."""
    script = f"""
import sys
import moltbot_desktop.app.desktop
print([one for one in {RESTING} if one in sys.modules])
import moltbot_desktop.app.awake
import moltbot_desktop.app.assistant
print([one for one in {LATE} if one in sys.modules])
"""
    assert printed(checkout, script).splitlines() == ["[]", "[]"]


def printed(checkout: Path, script: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=checkout,
        check=True,
    )
    return done.stdout.strip()
