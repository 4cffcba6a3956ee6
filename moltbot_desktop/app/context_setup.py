"""What the settings say about a full window, and what /compact and /context need of the runner.

limits = context_limits(loaded.config.agent)
ports = CommandPorts(..., compaction=conversations, context=conversations)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from moltbot_desktop.agent.context import ContextLimits
from moltbot_desktop.agent.port import RunsTurns
from moltbot_desktop.agent.run import RunCancel
from moltbot_desktop.config.agents import AgentConfig
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.gateway.commands.ports import Compacted, ContextPart
from moltbot_desktop.sessions.store import Session

_NEVER = "off"


def context_limits(agent: AgentConfig) -> ContextLimits:
    """`agents.defaults.compaction` and `contextPruning` as a run understands them."""
    compaction, pruning = agent.compaction, agent.context_pruning
    flush = compaction.memory_flush
    return ContextLimits(
        pruning=pruning.mode != _NEVER,
        kept_answers=pruning.keep_last_assistants,
        flush=flush.enabled,
        kept_share=compaction.max_history_share,
        reserve_floor=compaction.reserve_tokens_floor,
        soft_threshold=flush.soft_threshold_tokens,
        flush_task="\n\n".join(filter(None, (flush.system_prompt, flush.prompt))),
    )


@dataclass(frozen=True)
class ConversationContext:
    """A conversation as the model is shown it. `session_of` opens one that is not open."""

    runner: RunsTurns
    session_of: Callable[[SessionKey], Session]

    async def compact(self, session: SessionKey, instructions: str) -> Compacted:
        """Summarise the older half; nothing has changed when both counts are the same.

        Raises:
            MoltbotError: it could not; the conversation is as it was.
        """
        done = await self.runner.compact(self.session_of(session), instructions, RunCancel())
        if done is None:
            return Compacted(0, 0)
        return Compacted(done.tokens_before, done.tokens_after)

    async def parts(self, session: SessionKey) -> Sequence[ContextPart]:
        """What the next prompt would be made of; never loads a model."""
        report = self.runner.context(self.session_of(session))
        return [
            ContextPart(part.name, part.characters, part.tokens, part.inside)
            for part in report.parts
        ]

    def cached(self, session: SessionKey) -> int:
        """Tokens of the last prompt that the model had read before."""
        return self.runner.context(self.session_of(session)).cached
