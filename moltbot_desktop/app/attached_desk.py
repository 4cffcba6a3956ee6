"""The desk of the files that came with messages: what the window shows of them again.

desk = KeptAttachments(paths, settings, language)
desk.read(session, file, 20_000_000)      # None for what is no plain file there
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.app.agent_plan import agent_plan
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.sdk.attachments import FOLDER, AttachedFile
from moltbot_desktop.security.beneath import folder_below
from moltbot_desktop.sessions.keys import agent_of


@dataclass(frozen=True)
class KeptAttachments:
    """An `AttachedDesk` over the agents' workspaces. A link leads nowhere here."""

    paths: Paths
    config: Callable[[], Config]
    language: Language

    def read(self, session: SessionKey, file: AttachedFile, most: int) -> bytes | None:
        try:
            workspace, name = self._workspace(session), Path(file.place).name
            with folder_below(workspace, workspace.joinpath(*FOLDER)) as folder:
                descriptor = folder.open(name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
                with os.fdopen(descriptor, "rb") as opened:
                    status = os.fstat(descriptor)
                    if not stat.S_ISREG(status.st_mode) or status.st_size > most:
                        return None
                    return opened.read(most)
        except (MoltbotError, OSError):
            return None

    def where(self, session: SessionKey, file: AttachedFile) -> Path | None:
        try:
            workspace, name = self._workspace(session), Path(file.place).name
            with folder_below(workspace, workspace.joinpath(*FOLDER)) as folder:
                status = folder.status(name)
                there = status is not None and stat.S_ISREG(status.st_mode)
                return folder.path / name if there else None
        except (MoltbotError, OSError):
            return None

    def _workspace(self, session: SessionKey) -> Path:
        agent = agent_of(session)
        return agent_plan(self.paths, self.config(), agent, self.language).workspace.resolve()
