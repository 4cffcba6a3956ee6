"""Work in other programs on a real screen: each step meets what it is meant for, or is not done."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.e2e.desktop.driver import VirtualDesktop, missing_programs, virtual_desktop, wait_until

MISSING = [
    *missing_programs(),
    *([] if shutil.which("xterm") else ["xterm"]),
    *([] if Path("/usr/libexec/at-spi-bus-launcher").exists() else ["at-spi2-core"]),
]
pytestmark = [
    pytest.mark.xvfb,
    pytest.mark.timeout(200),
    pytest.mark.skipif(bool(MISSING), reason=f"needs {MISSING}"),
]


class Hands:
    """The tool in a process of its own, and programs for it to work in."""

    def __init__(self, desktop: VirtualDesktop, folder: Path, stack: ExitStack) -> None:
        self.desktop = desktop
        self.folder = folder
        self._stack = stack
        self._server = self._started(sys.executable, "-m", "tests.fakes.screen_server", str(folder))
        self._said = folder / "said.txt"

    def target(self) -> None:
        with self._said.open("w") as said:
            command = [sys.executable, "-m", "tests.fakes.screen_target"]
            process = subprocess.Popen(command, env=self.desktop.environment, stdout=said)
        self._stack.callback(_end, process)
        wait_until(lambda: self.desktop.answers("search", "--name", "^Target$"), "the target")

    def xterm(self, script: str, *place: str) -> None:
        self._started("xterm", *place, "-e", "bash", "-c", script)
        wait_until(lambda: self.desktop.answers("search", "--class", "xterm"), "xterm")

    def said(self, line: str) -> None:
        """Wait until the target says so."""
        wait_until(lambda: line in self._said.read_text().splitlines(), line)

    def do(self, action: str = "", /, **asked: object) -> Mapping[str, object]:
        if action:
            asked["action"] = action
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(json.dumps(asked) + "\n")
        self._server.stdin.flush()
        answer = json.loads(self._server.stdout.readline())
        assert isinstance(answer, dict)
        return answer

    def refused(self, action: str, /, **asked: object) -> str:
        answer = self.do(action, **asked)
        assert not answer["ok"]
        return str(answer["data"])

    def _started(self, *command: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            command,
            env=self.desktop.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._stack.callback(_end, process)
        return process


def _end(process: subprocess.Popen[str] | subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()


def mark(answer: Mapping[str, object], name: str) -> str:
    data = answer["data"]
    assert isinstance(data, dict)
    found = re.search(rf"(?m)^(\d+) .*“{name}”", str(data["controls"]))
    assert found is not None, (name, data)
    return found[1]


def listed(hands: Hands) -> list[object]:
    answer = hands.do("windows")
    assert answer["ok"]
    data = answer["data"]
    assert isinstance(data, dict)
    return list(data["windows"])


@pytest.fixture
def hands(tmp_path: Path, checkout: Path) -> Iterator[Hands]:
    with virtual_desktop(tmp_path, tray=False) as desktop, ExitStack() as stack:
        desktop.environment["PYTHONPATH"] = str(checkout)
        yield Hands(desktop, tmp_path, stack)


def test_controls_of_a_program_by_their_numbers(hands: Hands) -> None:
    hands.target()
    seen = hands.do("observe", window="target")
    controls = str(seen["data"])
    assert "hunter2" not in controls
    assert "Grey" not in controls
    hands.do("press", marks=f"{mark(seen, 'Save')} {mark(seen, 'Agree')}")
    hands.said("clicked Save")
    hands.said("agree True")
    seen = hands.do("press", marks=mark(seen, "Name"))
    hands.do("type", text="Anna")
    hands.do("keys", keys="enter")
    hands.said("name Anna")
    opened = hands.do("press", marks=mark(seen, "Things"))
    hands.do("press", marks=mark(opened, "Leave"))
    hands.said("menu Leave")


def test_text_goes_into_the_field_that_is_named_in_place_of_what_is_there(hands: Hands) -> None:
    hands.target()
    seen = hands.do("observe", window="target")
    seen = hands.do("type", marks=mark(seen, "Name"), text="Berta")
    seen = hands.do("type", marks=mark(seen, "Name"), text="Köln")
    hands.do("keys", keys="enter")
    hands.said("name Köln")
    assert "is no field" in hands.refused("type", marks=mark(seen, "Save"), text="no")
    assert "clicked" not in hands._said.read_text()


def test_a_dialog_that_opens_is_what_is_worked_in_next(hands: Hands) -> None:
    hands.target()
    seen = hands.do("observe", window="target")
    dialog = hands.do("press", marks=mark(seen, "Ask"))
    assert dialog["data"]["window"] == "Question"  # type: ignore[index]
    hands.do("type", text="Köln")
    hands.do("keys", keys="enter")
    hands.said("town Köln True")


def test_a_mark_that_means_something_else_now_is_not_pressed(hands: Hands) -> None:
    hands.target()
    seen = hands.do("observe", window="target")
    both = f"{mark(seen, 'Rename')} {mark(seen, 'Save')}"
    assert "has changed" in hands.refused("press", marks=both)
    assert "clicked" not in hands._said.read_text()


def test_drag_and_scroll(hands: Hands) -> None:
    hands.target()
    seen = hands.do("observe", window="target")
    hands.do("scroll", marks=mark(seen, "Level"), lines=-3)
    hands.said("level 9")
    place = hands.desktop.xdotool("search", "--name", "^Target$").split()[0]
    numbers = hands.desktop.xdotool("getwindowgeometry", "--shell", place)
    x = int(re.search(r"X=(\d+)", numbers)[1])  # type: ignore[index]
    y = int(re.search(r"Y=(\d+)", numbers)[1])  # type: ignore[index]
    assert hands.do("drag", marks=f"1:{x + 50},{y + 60} 1:{x + 150},{y + 60}")["ok"]


def test_chinese_into_a_terminal_and_the_clipboard_is_given_back(hands: Hands) -> None:
    told = hands.folder / "told.txt"
    hands.xterm(f'read -r line; echo "$line" > {told}; sleep 60')
    window = hands.desktop.xdotool("search", "--class", "xterm").split()[-1]
    hands.desktop.xdotool("set_window", "--name", "终端窗口", window)
    hands.do(set="kept before")
    seen = hands.do("observe", window="终端")
    assert "does not tell" in str(seen["data"])
    assert hands.do("type", text="你好，世界")["ok"]
    hands.do("keys", keys="enter")
    wait_until(told.exists, "the line")
    wait_until(lambda: told.read_text() == "你好，世界\n", "the line")
    assert hands.do(get=1)["text"] == "kept before"


def test_what_another_program_covers_is_not_pressed(hands: Hands) -> None:
    hands.target()
    hands.xterm("sleep 60", "-geometry", "60x20+620+320")
    hands.do("observe", window="target")
    target = hands.desktop.xdotool("search", "--name", "^Target$").split()[0]
    hands.desktop.xdotool("windowactivate", "--sync", target)
    above = hands.desktop.xdotool("search", "--class", "xterm").split()[-1]
    subprocess.run(["xprop", "-id", above, "-f", "_NET_WM_STATE", "32a", "-set", "_NET_WM_STATE",
                    "_NET_WM_STATE_ABOVE"], env=hands.desktop.environment, check=False)  # fmt: skip
    hands.desktop.xdotool("windowraise", above)
    assert "covers" in hands.refused("press", marks="1:700,420")
    assert "clicked" not in hands._said.read_text()


def test_the_corner_is_the_last_word(hands: Hands) -> None:
    hands.target()
    hands.do("observe", window="target")
    hands.desktop.xdotool("mousemove", "0", "0")
    assert "took the screen back" in hands.refused("keys", keys="a")
    hands.desktop.xdotool("mousemove", "300", "300")
    assert "took the screen back" in hands.refused("keys", keys="a")


def test_a_closed_window_an_unknown_one_and_no_look_yet(hands: Hands) -> None:
    hands.target()
    assert "first use action observe" in hands.refused("press", marks="1")
    assert "no window is called" in hands.refused("observe", window="nothing like it")
    hands.do("observe", window="target")
    hands.desktop.xdotool("search", "--name", "^Target$", "windowclose")
    wait_until(lambda: not hands.desktop.answers("search", "--name", "^Target$"), "the end")
    assert "is closed" in hands.refused("press", marks="1")


def test_a_program_may_say_nonsense_of_its_window(hands: Hands) -> None:
    hands.xterm("sleep 60")
    wait_until(lambda: len(listed(hands)) == 1, "xterm on the screen")
    window = hands.desktop.xdotool("search", "--class", "xterm").split()[-1]
    for name, form, value in (
        ("_NET_WM_PID", "8s", "many"),
        ("WM_CLASS", "8x", "0xff, 0xfe"),
        ("WM_NAME", "8x", "0xe4, 0xff"),
        ("_NET_WM_NAME", "32x", "0x41, 0x42"),
    ):
        command = ["xprop", "-id", window, "-f", name, form, "-set", name, value]
        subprocess.run(command, env=hands.desktop.environment, check=True)
    assert len(listed(hands)) == 1


def test_a_picture_of_the_screen_lies_in_the_workspace(hands: Hands) -> None:
    data = hands.do(screenshot=1)["data"]
    assert isinstance(data, dict)
    assert (data["width"], data["height"]) == (1280, 900)
    assert (hands.folder / str(data["path"])).read_bytes().startswith(b"\x89PNG")
