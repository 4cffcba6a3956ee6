"""What holds for every agent: `agents.defaults`.

    agents: { defaults: { timeoutSeconds: 600, maxConcurrent: 4, heartbeat: { every: "30m" } } }

Names and defaults are the reference's. Durations are seconds here, sizes characters or tokens as
the name says.
"""

# ruff: noqa: RUF009 (`setting` makes dataclass fields, which ruff cannot know)
from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.config.context import CompactionConfig, ContextPruningConfig
from moltbot_desktop.config.declaration import Section, setting
from moltbot_desktop.config.heartbeat import HeartbeatConfig
from moltbot_desktop.config.kinds import (
    Choice,
    Flag,
    Folder,
    Number,
    Optional,
    Text,
    WholeNumber,
)
from moltbot_desktop.config.streaming import BlockChunkConfig, BlockCoalesceConfig, HumanDelayConfig
from moltbot_desktop.config.structures import GroupOf

_THINKING = ("off", "minimal", "low", "medium", "high", "xhigh")


@dataclass(frozen=True)
class SubagentsConfig(Section):
    max_concurrent: int = setting(
        "maxConcurrent", WholeNumber(1, 100), 8, "How many may work at the same time."
    )
    archive_after_minutes: int = setting(
        "archiveAfterMinutes",
        WholeNumber(0, 525_600),
        60,
        "Put the conversation of one that is done away after so long; 0 keeps it in the list.",
    )
    model: str | None = setting(
        "model", Optional(Text()), None, "Another model for them; null is the agent's."
    )


@dataclass(frozen=True)
class AgentConfig(Section):
    workspace: Path | None = setting(
        "workspace",
        Optional(Folder()),
        None,
        "Folder with your notes and files; null is the folder workspace beside this file.",
    )
    timeout_seconds: int = setting(
        "timeoutSeconds", WholeNumber(1, 86_400), 600, "Longest time one request may take."
    )
    max_tool_calls: int = setting(
        "maxToolCalls", WholeNumber(1, 200), 12, "Most tools one request may use."
    )
    temperature: float = setting(
        "temperature", Number(0.0, 2.0), 0.0, "0 always gives the same answer, 1 varies freely."
    )
    language: str = setting(
        "language",
        Choice(("auto", "en", "zh")),
        "auto",
        "Language for answers that do not follow from your own words; auto is the system's.",
    )
    skip_bootstrap: bool = setting(
        "skipBootstrap", Flag(), False, "Do not put AGENTS.md and its like into a new workspace."
    )
    bootstrap_max_chars: int = setting(
        "bootstrapMaxChars",
        WholeNumber(1, 1_000_000),
        20_000,
        "So much of AGENTS.md, SOUL.md and their like is read to the model, each.",
    )
    user_timezone: str | None = setting(
        "userTimezone",
        Optional(Text()),
        None,
        "Your time zone, such as Asia/Shanghai; null is this computer's.",
    )
    time_format: str = setting(
        "timeFormat", Choice(("auto", "12", "24")), "auto", "How the hour is told."
    )
    envelope_timezone: str = setting(
        "envelopeTimezone",
        Text(),
        "local",
        'Time zone of the times put before messages: "local", "utc", "user" or a name.',
    )
    envelope_timestamp: str = setting(
        "envelopeTimestamp", Choice(("on", "off")), "on", "Put the time before messages."
    )
    envelope_elapsed: str = setting(
        "envelopeElapsed", Choice(("on", "off")), "on", "And how long ago the last one was."
    )
    thinking_default: str | None = setting(
        "thinkingDefault",
        Optional(Choice(_THINKING)),
        None,
        "How much the model thinks before it answers; null is what suits the model.",
    )
    verbose_default: str = setting(
        "verboseDefault", Choice(("off", "on", "full")), "off", "Whether tools are told of."
    )
    elevated_default: str | None = setting(
        "elevatedDefault",
        Optional(Choice(("off", "on", "ask", "full"))),
        None,
        "Whether commands may run outside the sandbox where tools.elevated allows it; null asks.",
    )
    block_streaming_default: str = setting(
        "blockStreamingDefault",
        Choice(("off", "on")),
        "off",
        "Send a long answer on a channel in parts while it is written.",
    )
    block_streaming_break: str = setting(
        "blockStreamingBreak",
        Choice(("text_end", "message_end")),
        "text_end",
        "When a part is over.",
    )
    block_streaming_chunk: BlockChunkConfig = setting(
        "blockStreamingChunk",
        GroupOf(BlockChunkConfig()),
        BlockChunkConfig(),
        "How long the parts are, in characters.",
    )
    block_streaming_coalesce: BlockCoalesceConfig = setting(
        "blockStreamingCoalesce",
        GroupOf(BlockCoalesceConfig()),
        BlockCoalesceConfig(),
        "How small parts are put together.",
    )
    human_delay: HumanDelayConfig = setting(
        "humanDelay", GroupOf(HumanDelayConfig()), HumanDelayConfig(), "Pauses between parts."
    )
    media_max_mb: float = setting(
        "mediaMaxMb", Number(0.0, 10_000.0), 5.0, "Largest file taken from a channel, in MB."
    )
    typing_interval_seconds: int = setting(
        "typingIntervalSeconds",
        WholeNumber(1, 3_600),
        6,
        'How often "is typing" is shown again on a channel.',
    )
    typing_mode: str | None = setting(
        "typingMode",
        Optional(Choice(("never", "instant", "thinking", "message"))),
        None,
        "When it begins; null is at once in private and with the first words in a group.",
    )
    compaction: CompactionConfig = setting(
        "compaction",
        GroupOf(CompactionConfig()),
        CompactionConfig(),
        "How a conversation that is too long for the window is summarised.",
    )
    context_pruning: ContextPruningConfig = setting(
        "contextPruning",
        GroupOf(ContextPruningConfig()),
        ContextPruningConfig(),
        "How old results of tools are shortened.",
    )
    heartbeat: HeartbeatConfig = setting(
        "heartbeat",
        GroupOf(HeartbeatConfig()),
        HeartbeatConfig(),
        "When the assistant looks by itself whether there is something to do.",
    )
    max_concurrent: int = setting(
        "maxConcurrent",
        WholeNumber(1, 100),
        4,
        "How many conversations are answered at the same time.",
    )
    subagents: SubagentsConfig = setting(
        "subagents",
        GroupOf(SubagentsConfig()),
        SubagentsConfig(),
        "Helpers that an agent starts.",
    )
