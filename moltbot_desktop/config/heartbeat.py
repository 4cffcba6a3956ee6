"""The assistant's own look around: `agents.defaults.heartbeat`.

heartbeat: { every: "30m", activeHours: { start: "08:00", end: "22:00" }, target: "last" }
"""

# ruff: noqa: RUF009 (`setting` makes dataclass fields, which ruff cannot know)
from __future__ import annotations

from dataclasses import dataclass

from moltbot_desktop.config.declaration import Section, setting
from moltbot_desktop.config.kinds import (
    Duration,
    Flag,
    Identifier,
    Line,
    Optional,
    Text,
    TimeOfDay,
    WholeNumber,
)
from moltbot_desktop.config.structures import GroupOf

_CHARACTERS = WholeNumber(0, 10_000_000)


@dataclass(frozen=True)
class ActiveHours(Section):
    start: int = setting("start", TimeOfDay(), 0, 'When the heartbeat may begin, e.g. "08:00".')
    end: int = setting("end", TimeOfDay(), 24 * 60, 'When it ends, e.g. "22:00"; "24:00" is late.')
    timezone: str = setting(
        "timezone",
        Text(),
        "user",
        'Of these times: "user" is yours, "local" this computer\'s, or a name such as '
        "Europe/Berlin.",
    )


@dataclass(frozen=True)
class HeartbeatConfig(Section):
    every_seconds: float = setting(
        "every", Duration("m"), 1_800.0, 'How often, e.g. "30m"; "0m" is never.'
    )
    active_hours: ActiveHours | None = setting(
        "activeHours",
        Optional(GroupOf(ActiveHours())),
        None,
        "Only between these times; null is always.",
    )
    model: str | None = setting(
        "model", Optional(Text()), None, "Another model for it; null is the agent's."
    )
    session: str = setting(
        "session",
        Text(),
        "main",
        "Your conversation with the agent that is told what it finds, by its key.",
    )
    target: str = setting(
        "target",
        Text(),
        "last",
        'Where what it finds is told besides the window: "last" is where you last wrote to the '
        'agent, or a channel; "none" is nowhere, not even here.',
    )
    to: str | None = setting("to", Optional(Identifier()), None, "Whom it tells on that channel.")
    prompt: str = setting("prompt", Line(), "", 'What the model is asked; "" is the usual text.')
    ack_max_chars: int = setting(
        "ackMaxChars",
        _CHARACTERS,
        300,
        "So many characters beside HEARTBEAT_OK still count as nothing to tell.",
    )
    include_reasoning: bool = setting(
        "includeReasoning", Flag(), False, "Tell what the model thought, too."
    )
