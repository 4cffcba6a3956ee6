"""How much the assistant may do by itself.

security: { mode: "careful" }
"""

from __future__ import annotations

from dataclasses import dataclass

from moltbot_desktop.config.declaration import Section, setting
from moltbot_desktop.config.kinds import Choice, ListOf, Text
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
    own_files: tuple[str, ...] = setting(
        "ownFiles",
        ListOf(Text()),
        (),
        "Files and folders of the workspace whose words are mine, such as notes or *.md. What else "
        "lies there and was not written for me may hold words of others: once it has read such a "
        "file, the assistant asks before it changes something or sends something out.",
    )
