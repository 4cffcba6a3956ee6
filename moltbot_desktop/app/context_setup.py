"""What the settings say about a full window, and what /compact and /context need of the runner.

limits = context_limits(loaded.config.agent)
ports = CommandPorts(..., compaction=conversations, context=conversations)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from moltbot_desktop.agent.context import ContextLimits
from moltbot_desktop.agent.port import RunsTurns
from moltbot_desktop.agent.pruning import PruningRules
from moltbot_desktop.config.agents import AgentConfig
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.gateway.commands.ports import Compacted, ContextPart
from moltbot_desktop.gateway.session_desk import SessionDesk
from moltbot_desktop.security.tool_names import expanded

_NEVER = "off"


def context_limits(agent: AgentConfig) -> ContextLimits:
    """`agents.defaults.compaction` and `contextPruning` as a run understands them."""
    compaction, pruning = agent.compaction, agent.context_pruning
    flush = compaction.memory_flush
    return ContextLimits(
        pruning=pruning.mode != _NEVER,
        results=PruningRules(
            pruning.keep_last_assistants,
            expanded(pruning.tools_allow),
            expanded(pruning.tools_deny),
            pruning.hard_clear,
            pruning.placeholder,
        ),
        flush=flush.enabled,
        kept_share=compaction.max_history_share,
        reserve_floor=compaction.reserve_tokens_floor,
        soft_threshold=flush.soft_threshold_tokens,
        flush_task="\n\n".join(filter(None, (flush.system_prompt, flush.prompt))),
    )


@dataclass(frozen=True)
class ConversationContext:
    """A conversation as the model is shown it. `desk_of` opens one that is not open."""

    runner: RunsTurns
    desk_of: Callable[[SessionKey], SessionDesk]

    async def compact(self, session: SessionKey, instructions: str) -> Compacted:
        """Summarise the older half; nothing has changed when both counts are the same.

        Raises:
            MoltbotError: it could not; the conversation is as it was.
        """
        desk = self.desk_of(session)
        async with desk.alone() as stopped:
            if stopped.cancelled:  # while it waited
                return Compacted(0, 0, stopped=True)
            done = await self.runner.compact(desk.session, instructions, stopped)
        if done is None:
            return Compacted(0, 0, stopped=stopped.cancelled)
        return Compacted(done.tokens_before, done.tokens_after)

    async def parts(self, session: SessionKey) -> Sequence[ContextPart]:
        """What the next prompt would be made of; never loads a model."""
        report = self.runner.context(self.desk_of(session).session)
        return [
            ContextPart(part.name, part.characters, part.tokens, part.inside)
            for part in report.parts
        ]

    def cached(self, session: SessionKey) -> int:
        """Tokens of the last prompt that the model had read before."""
        return self.runner.context(self.desk_of(session).session).cached
