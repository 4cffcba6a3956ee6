"""The assistant of the desktop program, and what it lends to the window's places."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from moltbot_desktop.app.lent_desks import LentDesks
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.config.load import LoadedConfig
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.late import LateModule
from moltbot_desktop.qt.agent_thread import Ready

if TYPE_CHECKING:
    from collections.abc import Callable

    from moltbot_desktop.app import assistant, window_desks
    from moltbot_desktop.config.settings import Config
    from moltbot_desktop.gateway.rpc.door import Door
    from moltbot_desktop.ui.clipboard import WindowClipboard
    from moltbot_desktop.ui.control import ScreenFace
    from moltbot_desktop.ui.desktop_parts import WindowDesks
else:
    # The window does not wait for the assistant's code, nor the assistant for the window's.
    assistant = LateModule("moltbot_desktop.app.assistant")
    window_desks = LateModule("moltbot_desktop.app.window_desks")


@dataclass(frozen=True)
class AwakeNeeds:
    """What the desktop program has before it needs its assistant.

    Attributes:
        model: a file to use instead of the configured model.
        on_settings: hears what holds now, at the start and whenever something else does.
        door: where commands in a shell knock; open already after a rest.
    """

    paths: Paths
    loaded: LoadedConfig
    language: Language
    clock: Clock
    model: Path | None
    face: ScreenFace
    clipboard: WindowClipboard
    on_settings: Callable[[Config], None]
    door: Door


class Awake:
    """Made once, on whichever thread needs it first."""

    def __init__(self, needs: AwakeNeeds) -> None:
        self._needs = needs
        self._lent = LentDesks(needs.paths, needs.language, needs.clock)
        self._desks: list[window_desks.HomeDesks] = []

    async def run(self, ready: Ready, stopping: asyncio.Event) -> None:
        """The life of the assistant: an `AssistantMain`."""
        needs, lent = self._needs, self._lent
        options = assistant.AssistantOptions(
            language=needs.language,
            model=needs.model,
            stays=True,
            face=needs.face,
            plugins_now=lent.plugins(),
            settings_now=lent.settings(),
            planned=lent.planned(),
            activity=lent.activity(),
            memory=lent.memory(),
            conversations=lent.conversations(),
            clipboard=needs.clipboard,
            on_settings=needs.on_settings,
            door=needs.door,
        )
        opening = partial(assistant.open_assistant, needs.paths, needs.loaded, needs.clock)
        async with opening(options) as client:
            ready(client)
            await stopping.wait()
        for one in self._desks:
            await asyncio.to_thread(one.close)

    def desks(self) -> WindowDesks:
        """For one window."""
        needs = self._needs
        made = window_desks.HomeDesks(
            *(needs.paths, needs.language, needs.clock, needs.model, self._lent)
        )
        self._desks.append(made)
        return made
