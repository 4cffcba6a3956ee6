"""Long answers on a channel, part by part: `agents.defaults.blockStreaming...` and `humanDelay`.

blockStreamingDefault: "on", blockStreamingChunk: { minChars: 800, maxChars: 1200 }
"""

from __future__ import annotations

from dataclasses import dataclass

from moltbot_desktop.config.declaration import Conflict, Section, setting
from moltbot_desktop.config.kinds import (
    Choice,
    Optional,
    WholeNumber,
)


@dataclass(frozen=True)
class BlockChunkConfig(Section):
    min_chars: int = setting("minChars", WholeNumber(1, 100_000), 800, "Shortest part.")
    max_chars: int = setting("maxChars", WholeNumber(1, 100_000), 1_200, "Longest part.")
    break_preference: str = setting(
        "breakPreference",
        Choice(("paragraph", "newline", "sentence")),
        "paragraph",
        "Where a part should end.",
    )

    def conflict(self) -> Conflict | None:
        """A part cannot be shorter than the shortest."""
        if self.min_chars <= self.max_chars:
            return None
        return Conflict("min_chars", "at_most_max_chars", {"limit": self.max_chars})


@dataclass(frozen=True)
class BlockCoalesceConfig(Section):
    min_chars: int | None = setting(
        "minChars", Optional(WholeNumber(1, 100_000)), None, "Wait for so many characters."
    )
    max_chars: int | None = setting(
        "maxChars", Optional(WholeNumber(1, 100_000)), None, "And for no more than these."
    )
    idle_ms: int = setting(
        "idleMs", WholeNumber(0, 600_000), 1_000, "Milliseconds of quiet after which it is sent."
    )


@dataclass(frozen=True)
class HumanDelayConfig(Section):
    mode: str = setting(
        "mode",
        Choice(("off", "natural", "custom")),
        "off",
        "Whether parts of an answer come with pauses, as a person would write.",
    )
    min_ms: int = setting("minMs", WholeNumber(0, 60_000), 800, "Shortest pause.")
    max_ms: int = setting("maxMs", WholeNumber(0, 60_000), 2_500, "Longest pause.")
