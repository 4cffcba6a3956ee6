"""The screen tools beside a real Qt main thread, called by lines of JSON.

    python -m tests.fakes.screen_server WORKSPACE
    {"action": "observe"}       ->      {"ok": true, "data": {...}, "display": "..."}

`{"set": "text"}` puts a text on the clipboard, `{"get": 1}` reads it, `{"screenshot": 1}` calls the
other tool.
"""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.qt.main_thread import MainThread
from moltbot_desktop.sdk.desktop import Injections
from moltbot_desktop.sdk.tools import Tool, ToolInput, WaitingTool
from moltbot_desktop.tools.desktop.making import screen_tools
from moltbot_desktop.tools.undo import FileHands
from moltbot_desktop.ui.control import ScreenFace
from tests.fakes.tool_context import FakeCancel, tool_context


def main() -> None:
    application = QApplication([])
    clock = SystemClock()
    face = ScreenFace(Injections(clock))
    main_thread = MainThread()
    face.attach(main_thread)
    cancel = FakeCancel()
    control, tools = screen_tools(
        face, clock, FileHands(clock), lambda *_: setattr(cancel, "cancelled", True)
    )
    assert control is not None
    by_name: dict[str, Tool] = {
        one.spec.name: one for one in tools if not isinstance(one, WaitingTool)
    }
    context = tool_context(Path(sys.argv[1]), Language.ENGLISH, cancel=cancel)

    def answer(asked: JsonObject) -> JsonObject:
        board = QGuiApplication.clipboard
        if "set" in asked:
            main_thread.call(lambda: board().setText(str(asked["set"])))
            return {}
        if "get" in asked:
            return {"text": main_thread.call(lambda: board().text())}
        tool = by_name["screenshot" if "screenshot" in asked else "desktop"]
        result = tool.run(ToolInput(asked), context)
        return {"ok": result.ok, "data": dict(result.data), "display": result.display}

    def serve() -> None:
        for line in sys.stdin:
            sys.stdout.write(json.dumps(answer(json.loads(line))) + "\n")
            sys.stdout.flush()
        control.over(context.run_id)
        main_thread.post(application.quit)

    thread = threading.Thread(target=serve)
    thread.start()
    application.exec()
    thread.join()


if __name__ == "__main__":
    main()
