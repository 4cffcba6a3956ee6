"""`exec`: run a command.

    {"command": "ls -la docs"}
    {"command": "python3 train.py", "background": true}        # then `process`

What was judged (`planning.py`) is what runs: the plan is made again right before, and has to have
the same mark. A command that takes long goes on in the background by itself after `yieldMs`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.commands import JudgedCommand, Power
from moltbot_desktop.sdk.tools import Effect, ToolContext, ToolInput, ToolResult, ToolSpec
from moltbot_desktop.security.commands.rules import Level
from moltbot_desktop.security.places import Surroundings
from moltbot_desktop.security.sandbox.order import NO_WALLS
from moltbot_desktop.security.sandbox.probe import Found, probe
from moltbot_desktop.tools.exec.environment import refused_variables
from moltbot_desktop.tools.exec.planning import Plan, Problem, Request, Settings, planned
from moltbot_desktop.tools.exec.sessions import TIMED_OUT, CommandSessions, Session
from moltbot_desktop.tools.exec.texts import PHRASES
from moltbot_desktop.tools.origin import holds_marked_notes, shows_foreign
from moltbot_desktop.tools.replies import (
    arguments,
    ask,
    failure,
    number_argument,
    text_argument,
)

_log = logging.getLogger(__name__)

_SHORTEST_MS, _LONGEST_MS = 10, 120_000
_SHOWN = 4_000
_LEAST_HIDDEN = 6


@dataclass(frozen=True)
class ExecLimits:
    """`background_ms` until a command goes to the background, `timeout` seconds it may take."""

    background_ms: int = 10_000
    timeout: int = 1_800


SettingsOf = Callable[[SessionKey], tuple[Settings, ExecLimits]]


@dataclass
class WallsHere:
    """Which walls hold on this computer; tried once, when somebody first asks."""

    look: Callable[[], Found] = probe
    _found: Found | None = None
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def found(self) -> Found:
        async with self._lock:
            if self._found is None:
                self._found = await asyncio.to_thread(self.look)
                _log.info("walls around commands: %s", self._found)
            return self._found


class Exec:
    """Implements `sdk.tools.WaitingTool` and `sdk.commands.CommandTool`."""

    def __init__(
        self,
        sessions: CommandSessions,
        walls: WallsHere,
        around: Surroundings,
        settings: SettingsOf,
    ) -> None:
        """`around`: of the agent; `settings` as they are now for a conversation."""
        self._sessions = sessions
        self._walls = walls
        self._around = around
        self._settings = settings

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            "exec",
            "Run a command. Plain words without a shell's signs seldom need permission.",
            arguments(
                ("command",),
                command=text_argument(),
                workdir=text_argument(),
                env={"type": "object", "additionalProperties": {"type": "string"}},
                yieldMs=number_argument("then in the background"),
                background={"type": "boolean"},
                timeout=number_argument("seconds"),
                pty={"type": "boolean"},
                network={"type": "boolean", "description": "it needs the internet"},
            ),
            Effect.EXEC,
            keywords="shell terminal bash run script command line git 命令 终端 运行 执行 脚本",
        )

    async def judged(self, given: ToolInput, context: ToolContext) -> JudgedCommand:
        plan = await self._plan(given, context)
        if isinstance(plan, Plan):
            return plan.judged
        # Nothing will run, so there is nothing to ask about: `wait` says what is wrong.
        return JudgedCommand(Power.LOOKS, False, False, "", "", "")

    async def wait(self, given: ToolInput, context: ToolContext) -> ToolResult:
        if not given.text("command"):
            return ask("command", PHRASES.say("ask", context.language))
        plan = await self._plan(given, context)
        if isinstance(plan, Problem):
            return _problem(plan, context)
        if plan.judged.mark != context.judged:
            changed = Problem("it changed after it was judged; try again", "changed", {})
            return _problem(changed, context)
        foreign = await asyncio.to_thread(_looks_at_others, plan, context)
        try:
            session = self._begin(plan, given, context, foreign=foreign)
        except OSError as error:
            why = error.strerror or str(error)
            return _problem(Problem(f"not started: {why}", "not_started", {"why": why}), context)
        try:
            await self._watched(session, given, context)
        except asyncio.CancelledError:
            self._sessions.forget(session)
            raise
        return self._told(session, plan, context)

    async def _plan(self, given: ToolInput, context: ToolContext) -> Plan | Problem:
        settings, _ = self._settings(context.session)
        if names := refused_variables(_variables(given)):
            return _refusal(names)
        request = Request(
            given.text("command"),
            given.text("workdir"),
            _variables(given),
            given.arguments.get("pty") is True,
            given.arguments.get("network") is True,
        )
        around = replace(self._around, workspace=context.workspace, library=context.library)
        found = await self._walls.found()
        return planned(request, around, settings, found, context.language, context.environment)

    def _begin(
        self, plan: Plan, given: ToolInput, context: ToolContext, *, foreign: bool
    ) -> Session:
        _, limits = self._settings(context.session)
        anything = plan.judged.power is Power.ANYTHING
        lent = context.environment if anything else {}
        return self._sessions.begin(
            plan,
            given.text("command"),
            context.session,
            seconds=min(max(1, given.number("timeout", limits.timeout)), 86_400),
            talks=anything,
            hidden=tuple(one for one in lent.values() if len(one) >= _LEAST_HIDDEN),
            taints=anything or foreign,
        )

    async def _watched(self, session: Session, given: ToolInput, context: ToolContext) -> None:
        """Until it is over, or long enough."""
        _, limits = self._settings(context.session)
        usual = 0 if given.arguments.get("background") is True else limits.background_ms
        patience = given.number("yieldMs", usual)
        patience = min(max(_SHORTEST_MS, patience), _LONGEST_MS)
        try:
            async with asyncio.timeout(patience / 1000):
                await session.running.over.wait()
        except TimeoutError:
            session.background = True

    def _told(self, session: Session, plan: Plan, context: ToolContext) -> ToolResult:
        running = session.running
        text = session.shown(running.output.text()).strip("\n")
        taints = session.taints or holds_marked_notes(text)
        data: dict[str, JsonValue] = {"cwd": _shown_folder(plan.folder, context.workspace)}
        if running.status is None:
            running.output.fresh()
            data |= {
                "status": "running",
                "sessionId": session.id,
                "output": text or "(no output yet)",
                "next": "use process: poll, log, write, submit, send-keys, kill",
            }
            display = PHRASES.say("goes_on", context.language, id=session.id)
            return ToolResult(data, _said(text, display, context), private=True, taints=taints)
        self._sessions.forget(session)
        if running.status == NO_WALLS and plan.judged.walled:
            return _problem(Problem(text or "the walls failed", "no_walls_now", {}), context)
        data |= {"status": "completed", "exitCode": running.status, "output": text or "(no output)"}
        end, ok = _end(session, context)
        if steered := session.steered():
            names = ", ".join(steered)
            data["changed"] = f"while it ran: {names}; tell the owner"
            end = f"{end}\n{PHRASES.say('steered', context.language, names=names)}".strip()
        if not ok:
            data = {"error": _english_end(session), **data}
        return ToolResult(data, _said(text, end, context), ok=ok, private=True, taints=taints)


def _looks_at_others(plan: Plan, context: ToolContext) -> bool:
    """Whether a program that only looks is to look at what others may have written."""
    for stage in plan.stages:
        for program, *more in stage.pipeline:
            argv = (Path(program).name, *more)
            deep = plan.system.dialect.level(argv) is Level.LOOKS_DEEP
            places = [plan.folder / word for word in plan.system.dialect.paths(argv)]
            if any(shows_foreign(place, context, deep=deep) for place in (plan.folder, *places)):
                return True
    return False


def _end(session: Session, context: ToolContext) -> tuple[str, bool]:
    running = session.running
    if running.stopped == TIMED_OUT:
        return PHRASES.say("timed_out", context.language, seconds=session.seconds), False
    if running.stopped:
        return PHRASES.say("stopped", context.language), False
    if running.status:
        return PHRASES.say("failed", context.language, status=running.status), False
    return "", True


def _english_end(session: Session) -> str:
    if session.running.stopped == TIMED_OUT:
        return f"Command timed out after {session.seconds} seconds"
    return f"Command exited with code {session.running.status}"


def _said(text: str, end: str, context: ToolContext) -> str:
    if not text:
        return end or PHRASES.say("nothing", context.language)
    cut = PHRASES.say("cut", context.language) + text[-_SHOWN:] if len(text) > _SHOWN else text
    block = PHRASES.say("said", context.language, text=cut.replace("```", "'''"))
    return f"{block}\n{end}".strip()


def _shown_folder(folder: Path, workspace: Path) -> str:
    workspace = workspace.resolve()
    return str(folder.relative_to(workspace)) if folder.is_relative_to(workspace) else str(folder)


def _variables(given: ToolInput) -> tuple[tuple[str, str], ...]:
    env = given.arguments.get("env")
    if not isinstance(env, Mapping):
        return ()
    return tuple(sorted((str(name), str(value)) for name, value in env.items()))


def _refusal(names: tuple[str, ...]) -> Problem:
    shown = ", ".join(names)[:200]
    return Problem(f"these variables are refused: {shown}", "variables_refused", {"names": shown})


def _problem(problem: Problem, context: ToolContext) -> ToolResult:
    return failure(problem.error, PHRASES.say(problem.key, context.language, **problem.values))
