"""Where in the window one does what a sentence says to do in a shell.

    places_named("In a terminal: moltbot-desktop plugins enable weather")     # (PLUGINS,)
    link_words(PLUGINS)                                                       # "Open “Plugins”"

What the program tells is told the same in a chat of another program, in a shell and here. Only
here is there a place that does it with a click, so a link to it stands below.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from PySide6.QtCore import QCoreApplication

from moltbot_desktop.ui.place import (
    ACTIVITY,
    BACKUP,
    CHANNELS,
    DOCTOR,
    MEMORY,
    MODELS,
    PERMISSIONS,
    PLUGINS,
    SCHEDULE,
    SETTINGS,
    SKILLS,
    PlaceId,
    title_of,
)

translate = QCoreApplication.translate

_NAMED = re.compile(r"(?<![\w/-])moltbot-desktop ([a-z]{2,20})(?![\w/-])")
PLACES: Mapping[str, PlaceId] = MappingProxyType(
    {
        "memory": MEMORY,
        "models": MODELS,
        "cron": SCHEDULE,
        "runs": ACTIVITY,
        "skills": SKILLS,
        "channels": CHANNELS,
        "webchat": CHANNELS,
        "plugins": PLUGINS,
        "permissions": PERMISSIONS,
        "network": PERMISSIONS,
        "export": BACKUP,
        "import": BACKUP,
        "doctor": DOCTOR,
        "config": SETTINGS,
    }
)
"""By the first word of the command; what has no place in the window is missing."""


def places_named(text: str) -> tuple[PlaceId, ...]:
    """The places for the commands that `text` names, each once, in their order there."""
    found = (PLACES[name] for name in _NAMED.findall(text) if name in PLACES)
    return tuple(dict.fromkeys(found))


def link_words(place: PlaceId) -> str:
    """What a link to `place` says, in the window's language."""
    return translate("ShellWords", "Open “{place}”").replace("{place}", title_of(place))
