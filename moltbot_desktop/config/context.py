"""How a conversation is fitted into the model's window: `agents.defaults.compaction` and
`agents.defaults.contextPruning`.

    compaction: { maxHistoryShare: 0.5, memoryFlush: { enabled: true } },
    contextPruning: { mode: "auto", keepLastAssistants: 3 }
"""

# ruff: noqa: RUF009 (`setting` makes dataclass fields, which ruff cannot know)
from __future__ import annotations

from dataclasses import dataclass

from moltbot_desktop.config.declaration import Section, setting
from moltbot_desktop.config.kinds import (
    Choice,
    Duration,
    Flag,
    Line,
    ListOf,
    Number,
    Text,
    WholeNumber,
)
from moltbot_desktop.config.structures import GroupOf

_CHARACTERS = WholeNumber(0, 10_000_000)
_TOKENS = WholeNumber(0, 10_000_000)


@dataclass(frozen=True)
class MemoryFlushConfig(Section):
    enabled: bool = setting(
        "enabled", Flag(), True, "Note down what matters before a conversation is summarised."
    )
    soft_threshold_tokens: int = setting(
        "softThresholdTokens",
        _TOKENS,
        4_000,
        "How long before the summary that happens, in tokens; less in a small window.",
    )
    prompt: str = setting("prompt", Line(), "", 'What the model is asked; "" is the usual text.')
    system_prompt: str = setting(
        "systemPrompt", Line(), "", 'Told beside the persona; "" is the usual text.'
    )


@dataclass(frozen=True)
class CompactionConfig(Section):
    mode: str = setting(
        "mode",
        Choice(("default", "safeguard")),
        "safeguard",
        "safeguard summarises a long conversation in parts, default in one go.",
    )
    reserve_tokens_floor: int = setting(
        "reserveTokensFloor",
        _TOKENS,
        20_000,
        "Tokens kept free for an answer before old messages are summarised; never more than a "
        "share of the window that was really allocated.",
    )
    max_history_share: float = setting(
        "maxHistoryShare",
        Number(0.1, 0.9),
        0.5,
        "The largest share of the window that what is kept of the conversation may have.",
    )
    memory_flush: MemoryFlushConfig = setting(
        "memoryFlush",
        GroupOf(MemoryFlushConfig()),
        MemoryFlushConfig(),
        "The silent request before a summary.",
    )


@dataclass(frozen=True)
class ContextPruningConfig(Section):
    mode: str = setting(
        "mode",
        Choice(("auto", "off", "cache-ttl")),
        "auto",
        "Whether long old results of tools are shortened in what the model reads; auto does it "
        "where the window gets full, cache-ttl once their time is over.",
    )
    ttl_seconds: float = setting(
        "ttl", Duration("m"), 300.0, 'How old a result is then, e.g. "5m".'
    )
    keep_last_assistants: int = setting(
        "keepLastAssistants",
        WholeNumber(0, 1_000),
        3,
        "Results after the last so many answers are never shortened.",
    )
    soft_trim_ratio: float = setting(
        "softTrimRatio",
        Number(0.0, 1.0),
        0.3,
        "From this share of the window on, long results keep their beginning and end.",
    )
    hard_clear_ratio: float = setting(
        "hardClearRatio",
        Number(0.0, 1.0),
        0.5,
        "From this share on, old results are left out.",
    )
    min_prunable_tool_chars: int = setting(
        "minPrunableToolChars",
        _CHARACTERS,
        50_000,
        "Results are left out only when they have so many characters together.",
    )
    soft_trim_max_chars: int = setting(
        "softTrim.maxChars", _CHARACTERS, 4_000, "Characters from which a result is long."
    )
    soft_trim_head_chars: int = setting(
        "softTrim.headChars", _CHARACTERS, 1_500, "Characters kept of its beginning."
    )
    soft_trim_tail_chars: int = setting(
        "softTrim.tailChars", _CHARACTERS, 1_500, "Characters kept of its end."
    )
    hard_clear: bool = setting(
        "hardClear.enabled", Flag(), True, "false never leaves a result out altogether."
    )
    placeholder: str = setting(
        "hardClear.placeholder",
        Text(),
        "[Old tool result content cleared]",
        "What stands in the place of one that was left out.",
    )
    tools_allow: tuple[str, ...] = setting(
        "tools.allow", ListOf(Text()), (), "Only results of these tools; none is all."
    )
    tools_deny: tuple[str, ...] = setting(
        "tools.deny", ListOf(Text()), (), "Never results of these tools."
    )
