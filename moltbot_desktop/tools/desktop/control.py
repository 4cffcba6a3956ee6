"""The screen while a run uses it: banner, stop key, and that a stop is the last word of that run.

    control = ScreenControl(face, cancel, system)
    control.take(context)            # banner and stop key, once for a run
    control.check(context)           # raises ScreenReleased when the owner said stop
    control.over(run_id)             # the run has ended

One run at a time has the screen. Any thread may call.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from moltbot_desktop.core.errors import ToolError
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.sdk.desktop import ControlFace, ControlWords, ShownMark
from moltbot_desktop.sdk.tools import ToolContext
from moltbot_desktop.tools.desktop.system import StopKey, System
from moltbot_desktop.tools.desktop.texts import PHRASES
from moltbot_desktop.tools.desktop.trouble import ScreenReleased, ScreenTrouble

Cancel = Callable[[SessionKey, RunId], None]
"""Stops that run of that conversation; for any thread."""


class ScreenControl:
    def __init__(self, face: ControlFace, cancel: Cancel, system: System) -> None:
        self.face = face
        self._system = system
        self._cancel = cancel
        self._lock = threading.Lock()
        self._holder: RunId | None = None
        self._stopped: RunId | None = None
        self._key: StopKey | None = None
        self._woken = threading.Event()

    def take(self, context: ToolContext) -> None:
        """Raises ScreenTrouble when another run has the screen or the owner would not see it used,
        ScreenReleased after a stop."""
        self.check(context)
        with self._lock:
            if self._holder == context.run_id:
                return
            if self._holder is not None:
                raise ScreenTrouble("another task is using the screen", "busy")
            self._holder = context.run_id
            self._woken.clear()

        def stop() -> None:
            self._stop(context)

        key = self._system.stop_key(stop)
        with self._lock:
            self._key = key
        say, language = PHRASES.say, context.language
        how = say("how_to_stop" if key is not None else "how_to_stop_corner", language)
        try:
            self.face.begin(ControlWords(say("banner", language), how, say("stop", language)), stop)
        except ToolError as error:
            self.over(context.run_id)  # unseen, the screen is not used
            raise ScreenTrouble(str(error), "no_banner") from error
        if context.cancel.cancelled:
            self.over(context.run_id)  # it ended while the banner came up
            raise ScreenReleased

    def show(self, marks: Sequence[ShownMark], context: ToolContext) -> None:
        """The numbers that this run goes by now."""
        self.check(context)
        self.face.show_marks(marks)
        if self._holder != context.run_id:
            self.face.end()  # the run ended meanwhile

    def check(self, context: ToolContext) -> None:
        """Raises ScreenReleased when this run was told to stop."""
        if self._stopped == context.run_id or context.cancel.cancelled:
            raise ScreenReleased

    def pause(self, seconds: float) -> None:
        """Give the program in use this long, or until the owner says stop."""
        self._woken.wait(seconds)

    def corner(self, context: ToolContext) -> None:
        """The owner has moved the pointer into the corner."""
        self._stop(context)

    def over(self, run: RunId) -> None:
        """The run has ended, whichever way; nothing happens if it never had the screen."""
        with self._lock:
            if self._holder != run:
                return
            self._holder = None
            key, self._key = self._key, None
        if key is not None:
            key.close()
        self.face.end()

    def close(self) -> None:
        """The program ends."""
        holder = self._holder
        if holder is not None:
            self.over(holder)
        self._system.close()

    def _stop(self, context: ToolContext) -> None:
        self._stopped = context.run_id
        self._woken.set()
        self._cancel(context.session, context.run_id)
