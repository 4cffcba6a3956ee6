"""How long the window's thread is held while ten accounts of a channel are busy: `bench_channels`.

    python tests/bench/channels_window.py HOME SECONDS

The process has the window and, in its other threads, the assistant with the accounts of
HOME/moltbot.json; whoever started it makes the traffic. What other processes take from it shows in
the gaps by the clock; what one step of our own takes, in those of the thread's own time.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

from PySide6.QtCore import QEventLoop, QObject, QTimer, Signal

from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.qt.agent_thread import AgentThread, Ready
from moltbot_desktop.qt.mailbox import Mailbox
from moltbot_desktop.qt.worker import Worker
from moltbot_desktop.ui.appearance import dress
from moltbot_desktop.ui.application import make_application
from moltbot_desktop.ui.chat_window import ChatWindow, WindowParts
from moltbot_desktop.ui.icons import Icons
from moltbot_desktop.ui.theme import LIGHT
from tests.bench.bench_chat_view import RESOURCES, Heartbeat, spin
from tests.bench.gateway_figures import figure
from tests.fakes.instant import assistant_in, instant


class Bell(QObject):
    """Brings the client of the agent's thread to the window's."""

    rings = Signal(object)


def main() -> None:
    home, seconds = Path(sys.argv[1]), float(sys.argv[2])
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    sys.setswitchinterval(0.001)  # as the program does
    application = make_application("en", RESOURCES)
    dress(application, LIGHT, RESOURCES)
    worker, bell, opened = Worker(), Bell(), QEventLoop()
    place = home.parent / "window"
    parts = WindowParts(Icons(RESOURCES), worker, SystemClock(), LIGHT, application.font(), place)
    chat = ChatWindow(parts)
    chat.show()
    mailbox = Mailbox(chat.deliver)

    async def assistant(ready: Ready, stopping: asyncio.Event) -> None:
        settings = json.loads((home / "moltbot.json").read_text("utf-8"))
        with instant(home.parent / "done"):
            async with assistant_in(home, settings, SystemClock()) as client:
                client.subscribe(mailbox.post)
                ready(client)
                await stopping.wait()

    def come(client: object) -> None:
        chat.set_client(client)  # type: ignore[arg-type]
        opened.quit()

    bell.rings.connect(come)
    thread = AgentThread(assistant, bell.rings.emit, application)
    thread.start()
    QTimer.singleShot(60_000, opened.quit)
    opened.exec()
    spin(2.0)
    beat = Heartbeat()
    beat.start()
    spin(seconds)
    busy = beat.stop()
    note = f"99 % under {busy['wall_p99_ms']}; {busy['wall_over_16_ms']} of {busy['ticks']} over 16"
    figure("ten accounts: worst gap of the window", busy["wall_max_ms"], "ms", "< 16", note)
    figure("  our own work in one step at most", busy["cpu_max_ms"], "ms", "< 16")
    ended = thread.stop(5_000)
    mailbox.close()
    worker.close()
    chat.deleteLater()
    sys.exit(0 if float(busy["cpu_max_ms"]) < 16 and ended else 1)


if __name__ == "__main__":
    main()
