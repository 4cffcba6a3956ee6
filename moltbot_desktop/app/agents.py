"""Several agents in one program: each with a home of its own, opened when it is first needed.

    book = AgentBook(made, AgentNeeds(approvals, agent_tools, lent, tell), stack)
    book.open_default()
    await book.run(request, session, emit, cancel)      # by the agent of the session's key
    book.workspace(key), book.ports(key)

A home is workspace, memory with its index, inbox and forgetting; what there is once for all is
the model thread, the conversations' store, reminders, jobs and hooks. An agent that cannot work
(its folder is another one's, its model is not there) says so in its own runs; the others do not
notice. `stack` closes homes, the one opened last first.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from moltbot_desktop.agent.compactor import Compacted
from moltbot_desktop.agent.context_report import ContextReport
from moltbot_desktop.agent.direct import DirectCall
from moltbot_desktop.agent.refusal import refuse
from moltbot_desktop.agent.run import RunCancel, RunRequest
from moltbot_desktop.agent.runner import AgentRunner
from moltbot_desktop.agent.turn import ToolRan
from moltbot_desktop.app.agent_plan import AgentPlan, agent_plan
from moltbot_desktop.app.agent_setup import agent_runner, forgotten_by_the_model
from moltbot_desktop.app.forgetting import Forgetter
from moltbot_desktop.app.inbox import open_inbox
from moltbot_desktop.app.made import SEARCH_READS_SECONDS, Made, slot_needs
from moltbot_desktop.app.memory_plan import configured_memory
from moltbot_desktop.app.memory_slot import SlottedMemory
from moltbot_desktop.app.memory_upkeep import memory_keeper
from moltbot_desktop.app.skills_setup import Heard, follow_skills, open_skills
from moltbot_desktop.app.workspace import made_workspace
from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.errors import AgentUnusable, MoltbotError
from moltbot_desktop.core.events import RunEvent
from moltbot_desktop.core.i18n import Phrases
from moltbot_desktop.core.ids import AgentId, SessionKey
from moltbot_desktop.core.results import RunOutcome
from moltbot_desktop.gateway.accepted import AcceptedRun
from moltbot_desktop.gateway.client import ClientEvent, InboxChanged, Notice
from moltbot_desktop.gateway.desk_commands import OwnMemory
from moltbot_desktop.gateway.forgetting import ForgettingDesk
from moltbot_desktop.gateway.inbox_desk import InboxDesk
from moltbot_desktop.memory.engine import indexed_with
from moltbot_desktop.sdk.tools import AnyTool
from moltbot_desktop.security.approvals import Approvals
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.sessions.keys import agent_of
from moltbot_desktop.sessions.store import Session
from moltbot_desktop.skills.discovery import WORKSPACE

_PHRASES = Phrases(
    english={
        "asks": "{agent} asks whether to remember: “{text}”. Answer in a shell: "
        "moltbot-desktop memory accept {id} --agent {agent} (or reject).",
        "told": "{agent}: {text}",
        "later": "The new folders and memory settings of the agent “{agent}” hold from the next "
        "start on.",
    },
    chinese={
        "asks": "{agent} 想记住：“{text}”。请在命令行回答："
        "moltbot-desktop memory accept {id} --agent {agent}（或 reject）。",
        "told": "{agent}：{text}",
        "later": "智能体“{agent}”的新文件夹和记忆设置从下次启动起生效。",
    },
)


@dataclass(frozen=True)
class AgentNeeds:
    """What agents are made with.

    Attributes:
        tools: of an agent, from what it is made of.
        lent: tools of all agents that come and go; the same ones while nothing has changed.
        tell: what its memory asks or has done, for the windows.
    """

    approvals: Approvals
    tools: Callable[[Made], Sequence[AnyTool]]
    lent: Callable[[], Sequence[AnyTool]]
    tell: Callable[[ClientEvent], None]


@dataclass(frozen=True)
class AgentRuntime:
    """An agent that works.

    Attributes:
        made: what it is made of, its own in place of the default agent's.
        grew: its memory hears of conversations that went on.
        memory_desk: /inbox, /keep, /no, /unforget and /erase of its conversations; the front desk
            has that of the default agent, where this is None.
    """

    made: Made
    runner: AgentRunner
    tools: Sequence[AnyTool]
    grew: Callable[[], None]
    memory_desk: OwnMemory | None = None

    @property
    def id(self) -> AgentId:
        return self.made.plan.id


class AgentBook:
    """Implements `agent.port.RunsTurns`. Lives on the agent's event loop."""

    def __init__(self, made: Made, needs: AgentNeeds, stack: AsyncExitStack) -> None:
        """`made`: of the default agent."""
        self._made = made
        self._needs = needs
        self._stack = stack
        self._open: dict[AgentId, AgentRuntime] = {}
        self._planned: tuple[Config, dict[AgentId, AgentPlan]] = (made.live.config, {})

    # ------------------------------------------------------------------- the agents

    def open_default(self) -> AgentRuntime:
        """The default agent, whose home `made` is."""
        runtime = self._runtime(self._made, lambda: None)
        self._open[runtime.id] = runtime
        return runtime

    def runtime(self, agent: AgentId) -> AgentRuntime:
        """That agent, its home opened when this is the first time.

        Raises:
            AgentUnusable: the settings do not have it (any more), or another one has its folder.
            StorageError: its folders cannot be made.
        """
        # Of one that is open too: it may have been taken out since. The window's goes on.
        plan = None if agent == self._made.plan.id else self._plan(agent)
        if plan is not None and agent not in self._open:
            self._open[agent] = self._opened(plan)
        return self._open[agent]

    def known(self, key: SessionKey) -> AgentRuntime | None:
        """The agent of a conversation, if it is another one than the default and can work."""
        try:
            runtime = self.runtime(agent_of(key))
        except MoltbotError:  # it says so itself, in its runs
            return None
        return None if runtime.made is self._made else runtime

    def memory(self, key: SessionKey) -> SlottedMemory:
        """The memory of a conversation's agent.

        Raises:
            as `runtime`.
        """
        return self.runtime(agent_of(key)).made.answering

    def workspace(self, key: SessionKey) -> Path:
        """Where what belongs to the agent of a conversation is kept; of one that cannot work
        nothing may get into another one's."""
        agent = agent_of(key)
        try:
            return self._plan(agent).workspace
        except MoltbotError:
            return self._made.paths.agent(agent)

    def outdated(self) -> list[Notice]:
        """Agents that are open with other folders, or another memory, than the settings have now.
        The default agent's are settings of all, which are told anyhow."""
        language, found = self._made.options.language, []
        for agent, runtime in self._open.items():
            try:
                changed = self._plan(agent).home != runtime.made.plan.home
            except AgentUnusable as error:
                found.append(Notice(error.message, error.hint, serious=True))
                continue
            if changed:
                found.append(Notice(_PHRASES.say("later", language, agent=agent)))
        return found

    # ------------------------------------------------------------------- RunsTurns

    async def run(
        self,
        request: RunRequest,
        session: Session,
        emit: Callable[[RunEvent], None],
        cancel: RunCancel,
    ) -> RunOutcome:
        try:
            runner = self._runner(session.key)
        except MoltbotError as error:
            return refuse(request, session, emit, error)
        return await runner.run(request, session, emit, cancel)

    async def direct(
        self, wanted: DirectCall, session: Session, emit: Callable[[RunEvent], None]
    ) -> ToolRan | None:
        """A tool that a command names; see `agent.direct`.

        Raises:
            TimeoutError: it took too long.
            as `runtime`.
        """
        return await self._runner(session.key).direct(wanted, session, emit)

    async def read_along(self, session: Session, text: str, cancel: RunCancel) -> None:
        await self._runner(session.key).read_along(session, text, cancel)

    async def compact(self, session: Session, wish: str, cancel: RunCancel) -> Compacted | None:
        return await self._runner(session.key).compact(session, wish, cancel)

    def context(self, session: Session) -> ContextReport:
        return self._runner(session.key).context(session)

    def forget_session(self, session_id: str) -> None:
        for runtime in self._open.values():
            runtime.runner.forget_session(session_id)

    def leave_off(self, session_id: str) -> None:
        for runtime in self._open.values():
            runtime.runner.leave_off(session_id)

    # ------------------------------------------------------------------- what ended

    def ended(self, message: AcceptedRun, outcome: RunOutcome) -> None:
        """A run of anybody's is over: the memory of its agent hears of it. The default agent's
        is told by the front desk."""
        runtime = self._open.get(agent_of(message.session.key))
        if runtime is not None and runtime.memory_desk is not None:
            runtime.grew()
            runtime.memory_desk.inbox_desk.ended(message, outcome)

    # ------------------------------------------------------------------- how one is made

    def _plan(self, agent: AgentId) -> AgentPlan:
        """Asked for in every run; while the settings are the same so is the answer."""
        made, config = self._made, self._made.live.config
        if self._planned[0] is not config:
            self._planned = (config, {})
        plans = self._planned[1]
        if agent not in plans:
            plans[agent] = agent_plan(made.paths, config, agent, made.options.language)
        return plans[agent]

    def _runner(self, key: SessionKey) -> AgentRunner:
        return self.runtime(agent_of(key)).runner

    def _opened(self, plan: AgentPlan) -> AgentRuntime:
        made = self._home(plan)
        keeper = memory_keeper(made.memory, plan.memory, made.clock)
        stays = made.options.presence is Presence.PRESENT or made.options.stays
        if stays and plan.memory.enabled:
            keeper.start()
            self._stack.push_async_callback(asyncio.to_thread, keeper.stop)
        if stays and made.live.config.skills.watch:
            self._follow_skills(plan, made)
        runtime = self._runtime(
            made, keeper.grew if "sessions" in plan.memory.sources else lambda: None
        )
        desk = InboxDesk(
            made.inbox,
            made.in_thread,
            lambda event: self._tell(plan, event),
            made.options.language,
            plan.id,
        )
        self._stack.push_async_callback(desk.close)
        forgetting = ForgettingDesk(made.forgetter)
        return replace(runtime, memory_desk=OwnMemory(desk, forgetting, lambda: None))

    def _follow_skills(self, plan: AgentPlan, made: Made) -> None:
        """What lies in its workspace is noticed and told as the default agent's is. What all agents
        have is told once, by the default agent's book."""
        language = made.options.language

        def tell(notice: Notice) -> None:
            text = _PHRASES.say("told", language, agent=plan.name, text=notice.text)
            self._needs.tell(replace(notice, text=text))

        heard = Heard(
            made.in_thread, tell, language, made.plugins.skills.on_change, frozenset({WORKSPACE})
        )
        follow = follow_skills(made.skills, made.clock, made.live.config.skills, heard)
        task = asyncio.get_running_loop().create_task(follow, name=f"skills of {plan.id}")
        self._stack.push_async_callback(_ended, task)

    def _home(self, plan: AgentPlan) -> Made:
        """What an agent is made of: its own things in place of the default agent's."""
        shared = self._made
        paths, clock = shared.paths, shared.clock
        workspace = made_workspace(paths.home, plan.workspace)
        embedder = shared.brain.embedder(indexed_with(plan.index))
        memory = configured_memory(
            paths,
            plan.memory,
            workspace,
            clock,
            embedder.embedder,
            embedder.reason,
            patience=SEARCH_READS_SECONDS,
            agent=plan.id,
        )
        self._stack.callback(memory.close)
        options, live = shared.options, shared.live
        skills = open_skills(
            paths,
            workspace,
            plan.id,
            lambda: live.config,
            clock,
            options.language,
            shared.plugins.skills.roots,
        )
        slot = shared.plugins.memory
        needs = slot_needs(plan, workspace, clock, options, shared.seal)
        answering = SlottedMemory(memory, slot, needs)
        self._stack.callback(answering.close)
        inbox = open_inbox(
            plan.folder,
            plan.memory,
            workspace,
            memory,
            embedder.embedder,
            clock,
            lambda: slot.captures,
        )
        forgetter = Forgetter(
            paths, workspace, clock, memory, inbox, shared.store, plan.folder, only=plan.id
        )
        return replace(
            shared,
            plan=plan,
            workspace=workspace,
            memory=memory,
            answering=answering,
            inbox=inbox,
            forgetter=forgetter,
            skills=skills,
        )

    def _runtime(self, made: Made, grew: Callable[[], None]) -> AgentRuntime:
        tools = self._needs.tools(made)
        runner = agent_runner(made, self._needs.approvals, tools, self._needs.lent)
        made.forgetter.after = forgotten_by_the_model(made, runner)
        return AgentRuntime(made, runner, tools, grew)

    def _tell(self, plan: AgentPlan, event: ClientEvent) -> None:
        """The window shows the inbox of the default agent; what another one's memory asks or has
        done is told in words."""
        if not isinstance(event, InboxChanged):
            self._needs.tell(event)
            return
        language = self._made.options.language
        if event.told:
            text = _PHRASES.say("told", language, agent=plan.name, text=event.told)
            self._needs.tell(Notice(text))
        for one in event.waiting:
            if one.id in event.fresh:
                text = _PHRASES.say("asks", language, agent=plan.name, text=one.text, id=one.id)
                self._needs.tell(Notice(text))


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
