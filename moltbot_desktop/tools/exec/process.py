"""`process`: commands that go on in the background.

    {"action": "list"}
    {"action": "poll", "sessionId": "1"}          # what it said since, and whether it still runs
    {"action": "submit", "sessionId": "1", "data": "yes"}

Each conversation knows its own. Looking, stopping and putting away need no permission; what is
typed into a program is as good as a new command, so it is asked for.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.commands import JudgedCommand, Power
from moltbot_desktop.sdk.tools import Effect, ToolContext, ToolInput, ToolResult, ToolSpec
from moltbot_desktop.tools.exec.keys import keys_as_bytes, pasted
from moltbot_desktop.tools.exec.planning import visible
from moltbot_desktop.tools.exec.sessions import STOPPED, CommandSessions, Session
from moltbot_desktop.tools.exec.texts import PHRASES
from moltbot_desktop.tools.origin import holds_marked_notes
from moltbot_desktop.tools.replies import arguments, ask, failure, number_argument, text_argument

_LOOKING = ("list", "poll", "log", "kill", "clear", "remove")
_TYPING = ("write", "send-keys", "submit", "paste")
_LINES = 200
_SHOWN = 60


class Process:
    """Implements `sdk.tools.WaitingTool` and `sdk.commands.CommandTool`."""

    def __init__(self, sessions: CommandSessions) -> None:
        self._sessions = sessions

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            "process",
            "See and steer commands that exec left running in the background.",
            arguments(
                ("action",),
                action={"type": "string", "enum": [*_LOOKING, *_TYPING]},
                sessionId=text_argument(),
                data=text_argument("for write and submit"),
                text=text_argument("for paste"),
                keys={
                    "type": "array",
                    "items": {"type": "string"},
                    "description": "C-c, Up, Enter",
                },
                literal=text_argument("for send-keys: typed as it is"),
                eof={"type": "boolean", "description": "no more input follows"},
                bracketed={"type": "boolean"},
                offset=number_argument("first line of log"),
                limit=number_argument(),
            ),
            Effect.EXEC,
            core=False,
            reads=tuple((one, Effect.NONE) for one in _LOOKING),
            keywords="background job running output kill stop input 后台 进程 任务 停止 输出",
        )

    async def judged(self, given: ToolInput, context: ToolContext) -> JudgedCommand:
        session = self._sessions.find(context.session, given.text("sessionId"))
        typed = _typed(given)
        if session is None or not isinstance(typed, bytes):
            return JudgedCommand(Power.LOOKS, False, False, "", "", "")
        text = visible(typed.decode("utf-8", "replace"))
        title = PHRASES.say("card_input", context.language, command=session.command, text=text)
        return JudgedCommand(Power.ANYTHING, False, False, title, "", _mark(session, typed))

    async def wait(self, given: ToolInput, context: ToolContext) -> ToolResult:
        action = given.text("action")
        if action in ("list", ""):
            return self._listed(context)
        session = self._sessions.find(context.session, given.text("sessionId"))
        if session is None:
            return self._not_found(given.text("sessionId"), context)
        match action:
            case "poll":
                return _polled(session, context)
            case "log":
                return _logged(session, given, context)
            case "kill":
                session.running.stop(STOPPED)
                await session.running.over.wait()
                return _done("killed", f"Killed session {session.id}.", session, context)
            case "clear" | "remove":
                self._sessions.forget(session)
                return _done("removed", f"Removed session {session.id}.", session, context)
        return _typed_into(session, given, context)

    def _listed(self, context: ToolContext) -> ToolResult:
        mine = self._sessions.of(context.session)
        rows: list[JsonValue] = [
            {
                "sessionId": one.id,
                "status": _status(one),
                "command": one.command[:_SHOWN],
                "seconds": round((one.ended or self._sessions.clock.monotonic()) - one.began),
            }
            for one in mine
        ]
        if not rows:
            text = PHRASES.say("none", context.language)
            return ToolResult({"sessions": rows, "note": "No running or recent sessions."}, text)
        display = "\n".join(f"{one.id}. {one.command[:_SHOWN]} ({_status(one)})" for one in mine)
        return ToolResult({"sessions": rows}, display, private=True)

    def _not_found(self, number: str, context: ToolContext) -> ToolResult:
        if not number:
            return ask("sessionId", PHRASES.say("ask_id", context.language))
        display = PHRASES.say("unknown", context.language, id=number[:20])
        return failure(f"No session found for {number[:20]}", display)


def _status(session: Session) -> str:
    running = session.running
    if running.status is None:
        return "running"
    return running.stopped or ("completed" if running.status == 0 else f"failed {running.status}")


def _polled(session: Session, context: ToolContext) -> ToolResult:
    text = session.shown(session.running.output.fresh()).strip("\n")
    return _output(session, text or "(no new output)", {}, context)


def _logged(session: Session, given: ToolInput, context: ToolContext) -> ToolResult:
    """Lines from `offset` (0-based, as the reference has it); without one, the last."""
    lines = session.shown(session.running.output.text()).split("\n")
    limit = max(1, given.number("limit", _LINES))
    begin = max(0, given.number("offset", max(0, len(lines) - limit)))
    text = "\n".join(lines[begin : begin + limit])
    return _output(session, text, {"totalLines": len(lines)}, context)


def _output(
    session: Session, text: str, more: Mapping[str, JsonValue], context: ToolContext
) -> ToolResult:
    running = session.running
    data = {"status": _status(session), "sessionId": session.id, "output": text, **more}
    key = "runs" if running.status is None else "over"
    end = PHRASES.say(key, context.language, id=session.id, status=running.status)
    if running.status is not None:
        data["exitCode"] = running.status
    if steered := session.steered():
        names = ", ".join(steered)
        data["changed"] = f"while it ran: {names}; tell the owner"
        end = f"{end} {PHRASES.say('steered', context.language, names=names)}"
    block = PHRASES.say("said", context.language, text=text.replace("```", "'''"))
    taints = session.taints or holds_marked_notes(block)
    return ToolResult(data, f"{block}\n{end}", private=True, taints=taints)


def _typed(given: ToolInput) -> bytes | tuple[str, ...]:
    """What would be typed; or the names of keys that are none."""
    data = given.arguments.get("data", "")
    text = data if isinstance(data, str) else ""
    match given.text("action"):
        case "submit":
            return text.encode("utf-8", "replace") + b"\r"
        case "paste":
            words = given.arguments.get("text", text)
            bracketed = given.arguments.get("bracketed") is not False
            return pasted(str(words), bracketed=bracketed)
        case "send-keys":
            keys = given.arguments.get("keys", ())
            names = [str(one) for one in keys] if isinstance(keys, Sequence) else []
            found, unknown = keys_as_bytes(names)
            return unknown or str(given.arguments.get("literal", "")).encode() + found
    return text.encode("utf-8", "replace")


def _mark(session: Session, typed: bytes) -> str:
    return hashlib.sha256(f"{session.id} {session.running.pid} ".encode() + typed).hexdigest()


def _typed_into(session: Session, given: ToolInput, context: ToolContext) -> ToolResult:
    typed = _typed(given)
    if not isinstance(typed, bytes):
        names = ", ".join(typed)[:200]
        display = PHRASES.say("keys_unknown", context.language, keys=names)
        return failure(f"unknown keys: {names}", display)
    if _mark(session, typed) != context.judged:
        return failure("it changed after it was judged", PHRASES.say("changed", context.language))
    if not session.running.terminal and given.text("action") == "submit":
        typed = typed[:-1] + b"\n"
    if not session.running.write(typed, end=given.arguments.get("eof") is True):
        display = PHRASES.say("takes_none", context.language, id=session.id)
        return failure(f"session {session.id} takes no input", display)
    return _done("sent", f"Wrote {len(typed)} bytes to session {session.id}.", session, context)


def _done(key: str, note: str, session: Session, context: ToolContext) -> ToolResult:
    display = PHRASES.say(key, context.language, id=session.id)
    return ToolResult({"ok": True, "note": note}, display)
