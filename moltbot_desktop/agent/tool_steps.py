"""The calls of a run, one after the other: told, run, written down, and put before the model.

A result stands in the transcript before the model sees it, in the same words. A key of the call
stands in neither; the call itself is kept without it (`Transcript.append_assistant`), but the model
has it before it as it wrote it, until the run ends.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from moltbot_desktop.agent import prompt
from moltbot_desktop.agent.dispatch import Dispatcher
from moltbot_desktop.agent.recorded import facts_of
from moltbot_desktop.agent.results import ResultShelf, clipped, most_tokens
from moltbot_desktop.agent.run import NOTHING_SAID, Run
from moltbot_desktop.agent.turn import ToolRan
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.core.messages import ChatMessage, Role, ToolCall
from moltbot_desktop.plugins.hooks import HookBus
from moltbot_desktop.sdk.hooks import ToolCallContext, ToolResultPersist
from moltbot_desktop.sdk.models import ChatModel, PromptStyle
from moltbot_desktop.security.left_out import keys_in, without, without_in

SkillRead = Callable[[SessionKey, ToolCall], Awaitable[tuple[str, str]]]
"""Name and version of the skill whose file a call reads; two "" for none."""


async def no_skill(_key: SessionKey, _call: ToolCall) -> tuple[str, str]:
    return "", ""


@dataclass(frozen=True)
class ToolSteps:
    """Runs calls for a run."""

    dispatcher: Dispatcher
    hooks: HookBus
    shelf: ResultShelf
    skill_read: SkillRead = no_skill

    async def run(
        self, calls: Sequence[ToolCall], run: Run, model: ChatModel
    ) -> tuple[ToolRan, ...]:
        """Only calls that run stand in the transcript, with what was said along with them."""
        said = run.progress.said if run.progress.said.tool_calls == tuple(calls) else NOTHING_SAID
        message = replace(said, tool_calls=tuple(calls))
        run.progress.turn.append(message)
        run.progress.streamed = ""
        run.session.transcript.append_assistant(message, run.request.run_id)
        ran = []
        try:
            await self.dispatcher.foresee(calls, run.scope)
            for call in calls:
                if run.cancel.cancelled:
                    break
                ran.append(await self._one(call, run, model))
        finally:
            self.dispatcher.forget_foreseen(run.scope)
        return tuple(ran)

    async def _one(self, call: ToolCall, run: Run, model: ChatModel) -> ToolRan:
        run.emitter.tool_started(call)
        before = run.scope.labels
        one = _without_keys(call, await self.dispatcher.run(call, run.scope))
        message = await self._message(one, run, model)
        transcript = run.session.transcript
        if run.scope.labels != before:
            # First: a kill between the two must not leave words of others without their label.
            transcript.append_labels(run.scope.labels.as_mapping())
        skill, version = await self.skill_read(run.request.key, one.call)
        facts = replace(facts_of(one), skill=skill, version=version)
        transcript.append_tool_result(
            message, run.request.run_id, ok=one.result.ok, display=one.result.display, facts=facts
        )
        run.progress.turn.append(message)
        run.progress.used.add(one.result.memories)
        run.emitter.tool_ended(one)
        return one

    async def _message(self, one: ToolRan, run: Run, model: ChatModel) -> ChatMessage:
        """What is written down and shown to the model. A command model shows the person the
        tool's own words instead and is spared the counting."""
        data = one.result.data
        if model.info.style is PromptStyle.FULL:
            session = run.session.session_id
            data = await clipped(
                one.result,
                most_tokens(model.info.context_tokens),
                model.count_tokens,
                lambda kept: self.shelf.keep(session, kept),
            )
        call = one.call
        text = prompt.result_text(data)
        message = ChatMessage(Role.TOOL, text, tool_call_id=call.id, tool_name=call.name)
        context = ToolCallContext(run.context.agent_id, run.context.session)
        return self.hooks.tool_result_persist(
            ToolResultPersist(context, call.name, call.id, message)
        )


def _without_keys(call: ToolCall, one: ToolRan) -> ToolRan:
    """What the tool says again of the keys that were in `call` is not kept."""
    keys = keys_in(call.arguments)
    if not keys:
        return one
    result = one.result
    data = {name: without_in(keys, value) for name, value in result.data.items()}
    shown = without(keys, result.display)
    question, sent = without(keys, result.question), without(keys, result.sent)
    result = replace(result, data=data, display=shown, question=question, sent=sent)
    return replace(one, result=result)
