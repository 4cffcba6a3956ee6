"""How long the window's thread is held while the model reads and an answer streams in.

    python tests/bench/models_window.py MODEL.gguf FOLDER

A process of its own, because Qt wants the main thread. The chat has 2,000 messages, a real model
evaluates prompts of 1,200 tokens one after the other on its own thread, and 100 pieces a second
come through the real mailbox. Beside it stands the same window with nobody doing anything, and
what the gap is with the time in which the machine itself stood still (`stalls`, root only).
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from PySide6.QtCore import QEventLoop

from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.core.ids import RunId
from moltbot_desktop.models.chat import LlamaChatModel
from moltbot_desktop.models.thread import CancelSource
from moltbot_desktop.qt.long_lived import keep_collections_short
from moltbot_desktop.qt.mailbox import Mailbox
from moltbot_desktop.qt.worker import Worker
from moltbot_desktop.sdk.models import PromptEvaluated
from moltbot_desktop.ui.appearance import dress
from moltbot_desktop.ui.entrance import make_application
from moltbot_desktop.ui.icons import Icons
from moltbot_desktop.ui.main_window import MainWindow
from moltbot_desktop.ui.parts import WindowParts
from moltbot_desktop.ui.theme import LIGHT
from tests.bench.bench_chat_view import ANSWER, PIECES_PER_SECOND, RESOURCES, Heartbeat, spin
from tests.bench.models_figures import LINE, ROOT, program, tell
from tests.bench.stalls import left_over, watched
from tests.fakes.asking import asking
from tests.fakes.assistant_client import FakeAssistantClient, stored

MESSAGES = 2000
# About 1,200 tokens of the vocabulary of these random weights.
PROMPT = LINE * 29
SECONDS = 10.0


def window(file: Path, folder: Path) -> None:
    """The figures, told by the process that has the window."""
    subprocess.run(
        [sys.executable, __file__, str(file), str(folder)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
    )


class Reader:
    """Lets the model read prompts until it is told to stop; counts what it read."""

    def __init__(self, model: LlamaChatModel) -> None:
        self._model = model
        self._cancel = CancelSource()
        self._pool = ThreadPoolExecutor(1)
        self._reading: Future[None] | None = None
        self.prompt_tokens = 0
        self.tokens = 0

    def start(self) -> None:
        self._reading = self._pool.submit(lambda: asyncio.run(self._read()))

    def stop(self) -> None:
        """Ends the reading; raises what went wrong in it."""
        self._cancel.cancel()
        self._pool.shutdown()
        if self._reading is not None:
            self._reading.result()

    async def _read(self) -> None:
        number = 0
        while not self._cancel.cancelled:
            number += 1
            await self._one(f"{number} ")

    async def _one(self, beginning: str) -> None:
        request, done = asking(beginning + PROMPT, max_tokens=1), 0
        async for event in self._model.generate(request, self._cancel):
            if isinstance(event, PromptEvaluated):
                self.prompt_tokens = event.total
                self.tokens += event.done - max(done, event.cached)
                done = event.done


class Answer:
    """Says an answer piece by piece, as fast as a fast model."""

    def __init__(self, client: FakeAssistantClient) -> None:
        self._client = client
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._say)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._over.set()
        self._thread.join()

    def _say(self) -> None:
        run_id, text, at = RunId("bench"), ANSWER * 40, 0
        self._client.start(run_id, "Tell me about sorting")
        while not self._over.wait(1 / PIECES_PER_SECOND):
            self._client.say(run_id, text[at : at + 5])
            at += 5
        self._client.end(run_id, text[:at])


def _beats(seconds: float) -> Heartbeat:
    beat = Heartbeat()
    beat.start()
    spin(seconds)
    return beat


def main() -> None:
    """The window's process."""
    file, folder = Path(sys.argv[1]), Path(sys.argv[2])
    sys.setswitchinterval(0.0003)  # as the program does
    application = make_application("en", RESOURCES)
    keep_collections_short(application, lambda: True)  # as the program does, too
    dress(application, LIGHT, RESOURCES)
    worker = Worker()
    place = folder / "window"
    parts = WindowParts(Icons(RESOURCES), worker, SystemClock(), LIGHT, application.font(), place)
    chat = MainWindow(parts)
    chat.resize(900, 800)
    chat.show()
    client = FakeAssistantClient(items=stored([ANSWER] * MESSAGES))
    mailbox = Mailbox(chat.deliver)
    client.subscribe(mailbox.post)
    chat.set_client(client)
    loop = QEventLoop()
    chat.chat.transcript.drawn.connect(loop.quit)
    loop.exec()
    spin(1.0)
    idle = _beats(SECONDS / 2).stop()
    with program(file, folder) as (_, model), watched(folder / "stalls") as watch:
        reader, answer = Reader(model), Answer(client)
        reader.start()
        answer.start()
        beat = _beats(SECONDS)
        busy = beat.stop()
        answer.stop()
        reader.stop()
    stalls = watch.stalls()
    worst = max(left_over(stalls, begin, end) for begin, end in beat.gaps)
    note = (
        f"with the machine's own {len(stalls)} stalls {busy['wall_max_ms']}; "
        f"99 % under {busy['wall_p99_ms']}; our own work in one step at most {busy['cpu_max_ms']}; "
        f"idle window: {idle['wall_max_ms']}; "
        f"meanwhile {reader.tokens} tokens read, {reader.prompt_tokens} a prompt"
    )
    tell("models: worst gap of the window, prompt and stream", worst, "ms", note, "under 16")
    mailbox.close()
    worker.close()
    chat.deleteLater()


if __name__ == "__main__":
    main()
