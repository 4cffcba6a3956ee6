"""How much the assistant may do by itself.

security: { mode: "careful" }
"""

from __future__ import annotations

from dataclasses import dataclass

from moltbot_desktop.config.declaration import Section, setting
from moltbot_desktop.config.kinds import Choice
from moltbot_desktop.sdk.modes import Mode


@dataclass(frozen=True)
class SecurityConfig(Section):
    mode: str = setting(
        "mode",
        Choice(tuple(one.value for one in Mode)),
        Mode.NORMAL.value,
        "How much I do by myself: paused runs no tool, read-only changes nothing, careful asks "
        "before every change and before anything leaves, trusting asks less about what can be "
        "undone.",
    )
