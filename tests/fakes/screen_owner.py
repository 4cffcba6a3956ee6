"""A card of ours on a real screen, and hands that try to press it; prints what became of it.

python -m tests.fakes.screen_owner WORKSPACE
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path
from unittest.mock import Mock

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication, QPushButton

from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.qt.main_thread import MainThread
from moltbot_desktop.sdk.desktop import Injections
from moltbot_desktop.sdk.tools import ToolInput
from moltbot_desktop.tools.desktop.acting import Acting, Seen
from moltbot_desktop.tools.desktop.asked import ScreenPoint
from moltbot_desktop.tools.desktop.hands import Hands
from moltbot_desktop.tools.desktop.linux import LinuxSystem
from moltbot_desktop.tools.desktop.making import screen_tools
from moltbot_desktop.tools.desktop.trouble import ScreenTrouble
from moltbot_desktop.tools.undo import FileHands
from moltbot_desktop.ui.control import ScreenFace
from moltbot_desktop.ui.real_press import ActivationGuard
from tests.fakes.tool_context import tool_context


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> None:
    application = QApplication([])
    clock = SystemClock()
    face = ScreenFace(Injections(clock))
    main_thread = MainThread()
    face.attach(main_thread)
    card = QPushButton("Allow")
    card.setGeometry(100, 100, 300, 200)
    guard = ActivationGuard(card, clock, face.is_owners)
    answered = threading.Event()
    guard.activated.connect(lambda: (say("answered"), answered.set()))
    card.pressed.connect(lambda: say("pressed"))
    card.show()
    guard.restart()

    def work() -> None:
        while not main_thread.call(lambda: card.windowHandle().isExposed()):
            time.sleep(0.05)
        time.sleep(1.5)  # longer than a card's first moments
        context = tool_context(Path(sys.argv[1]))
        control, tools = screen_tools(face, clock, FileHands(clock), Mock())
        assert control is not None
        middle = main_thread.call(lambda: card.mapToGlobal(QPoint(150, 100)))
        x, y = middle.x(), middle.y()
        found = tools[0].run(ToolInput({"action": "windows"}), context)
        say(f"listed {'Allow' in str(found.data) or 'screen_owner' in str(found.data)}")
        system = LinuxSystem(clock)
        hands = Hands(face.injections, system)
        with (
            Acting.begun(control, hands, system, clock, context) as acting,
            system.windows() as windows,
        ):
            other = windows.listed()[0]
            say(f"owner {windows.is_own(windows.owner_at(x, y))}")
            acting.face(Seen(context.session, other, (), ()))
            main_thread.call(card.raise_)
            time.sleep(0.3)
            try:
                acting.press((ScreenPoint(1, x, y),), "left")
            except ScreenTrouble as refused:
                say(f"refused {refused.told}")
            main_thread.call(card.activateWindow)
            time.sleep(0.5)
            try:
                acting.keys((("space",),))
            except ScreenTrouble as refused:
                say(f"refused {refused.told}")
        # Without those looks, as if the card had come up in the last millisecond.
        hands.move(x, y)
        hands.click("left")
        hands.press(("space",))
        time.sleep(0.5)
        say("hands done")
        time.sleep(1.0)
        subprocess.run(["xdotool", "mousemove", str(x), str(y), "click", "1"], check=True)
        answered.wait(30)
        say("owner done")
        main_thread.post(application.quit)

    thread = threading.Thread(target=work)
    thread.start()
    application.exec()
    thread.join()


if __name__ == "__main__":
    main()
