"""The plugins of the assistant that runs in this process, asked from another thread.

    now = PluginsNow()                       # before the assistant is opened
    now.open(host, asyncio.get_running_loop())       # on its loop; now.close() there, too
    now.record(found)                        # any thread: how that plugin stands, None for unknown
    now.reload("weather")                    # a worker thread: waits until it is brought in anew

The settings window reads files on a worker and knows no event loop; the plugins live on the
assistant's, which comes later than the window and goes before it.
"""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import CancelledError, Future

from moltbot_desktop.app.mcp_now import McpNow
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.plugins.discovery import FoundPlugin
from moltbot_desktop.plugins.host import PluginHost, PluginRecord

_PHRASES = Phrases(
    english={
        "stopped": "The assistant does not run right now, so no plugin can be brought in.",
        "stopped_hint": "Switched on, it comes in at the next start.",
    },
    chinese={
        "stopped": "助手现在没有运行，无法重新载入插件。",
        "stopped_hint": "已启用的插件会在下次启动时载入。",
    },
)


class PluginsNow:
    """See the module.

    Attributes:
        mcp: the MCP servers beside them.
    """

    def __init__(self, language: Language) -> None:
        self._language = language
        self.mcp = McpNow()
        self._lock = threading.Lock()
        self._running: tuple[PluginHost, asyncio.AbstractEventLoop] | None = None
        self._waiting: set[Future[PluginRecord]] = set()

    def open(self, host: PluginHost, loop: asyncio.AbstractEventLoop) -> None:
        with self._lock:
            self._running = host, loop

    def close(self) -> None:
        """From now on nothing runs; whoever waits is told so."""
        with self._lock:
            self._running = None
            waiting = tuple(self._waiting)
        for one in waiting:
            one.cancel()

    @property
    def runs(self) -> bool:
        return self._running is not None

    def record(self, found: FoundPlugin) -> PluginRecord | None:
        """How the plugin in that folder stands since it was last brought in."""
        running = self._running
        records = running[0].records() if running is not None else ()
        return next((one for one in records if one.found.folder == found.folder), None)

    def reload(self, plugin: str) -> PluginRecord:
        """Let the plugin go and bring it in as it is on the disk; not for an event loop.

        Raises:
            UserInputInvalid: there is none of that id, it is off, or the assistant does not run.
        """
        with self._lock:
            if self._running is None:
                raise self._stopped()
            host, loop = self._running
            work = asyncio.run_coroutine_threadsafe(host.reload(plugin), loop)
            self._waiting.add(work)
        try:
            return work.result()
        except CancelledError as error:
            raise self._stopped() from error
        finally:
            with self._lock:
                self._waiting.discard(work)

    def _stopped(self) -> UserInputInvalid:
        said = _PHRASES.say("stopped", self._language)
        return UserInputInvalid(said, hint=_PHRASES.say("stopped_hint", self._language))
