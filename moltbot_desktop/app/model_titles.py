"""What the model that answers is called where people read it: as in the Models place.

titles = ModelTitles(setup)
titles.of(info)            # "qwen3-4b", for the file Qwen_Qwen3-4B-Instruct-2507-Q4_K_M.gguf
"""

from __future__ import annotations

import contextlib
from pathlib import Path

from moltbot_desktop.app.model_setup import ModelSetup
from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.sdk.models import ModelInfo

_STARTER = "starter"
"""What every model of the built-in form calls itself, copies under other names too."""


class ModelTitles:
    """Asked whenever the window is told how things are; looks into the library for a model that
    was not asked for before."""

    def __init__(self, setup: ModelSetup) -> None:
        self._setup = setup
        self._known: dict[tuple[str, Path], str] = {}

    def of(self, info: ModelInfo) -> str:
        """Its name in the library; its own where it does not lie there, or somewhere else
        answers."""
        if self._setup.remote.choice.primary is not None:
            return info.name
        with contextlib.suppress(MoltbotError):
            file = self._setup.chat_file()
            if info.name not in (file.stem, _STARTER):
                return info.name  # another one is chosen than the one that answered last
            key = (info.name, file)
            if key not in self._known:
                self._known[key] = self._setup.library().name_of(file) or info.name
            return self._known[key]
        return info.name
