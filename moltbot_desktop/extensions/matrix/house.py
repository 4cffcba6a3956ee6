"""What the accounts of one process share; nothing here needs the library.

house = House(api.runtime.state, api.runtime.language, api.runtime.clock)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language


@dataclass(frozen=True)
class House:
    """Attributes:
    state: the plugin's folder.
    tokens: of logins with a password, by the account's folder: kept in memory alone.
    """

    state: Path
    language: Language
    clock: Clock
    tokens: dict[Path, str] = field(default_factory=dict)
