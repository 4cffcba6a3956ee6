"""Conversations beside this one, and helpers, for a model.

`sessions_spawn` starts a helper, `sessions_list`, `sessions_history` and `session_status` look,
`sessions_send` lets another conversation's agent answer something. What may be reached is decided
behind `SessionAccess`; names and arguments are the reference's. None of them is a core tool: a
small prompt is shown them when `find_tool` has found them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from moltbot_desktop.core.i18n import Phrases
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.session_access import HelperTask, SessionAccess, SessionRow
from moltbot_desktop.sdk.sessions import SessionLine
from moltbot_desktop.sdk.tools import (
    Effect,
    ToolContext,
    ToolInput,
    ToolResult,
    ToolSpec,
    WaitingTool,
)
from moltbot_desktop.tools.replies import arguments, ask, number_argument, one_line, text_argument

Access = Callable[[], SessionAccess]
_MOST_LISTED = 50
_MOST_LINES = 200
_LINE = 2_000
_WAIT_SECONDS = 30
_LONGEST_WAIT = 600
_PHRASES = Phrases(
    {
        "ask_task": "What shall the helper do?",
        "ask_message": "What shall I say there?",
        "ask_session": "Which conversation?",
        "started": "A helper is at work: {task}",
        "listed": "{count:conversation|conversations}",
        "none": "There is no other conversation.",
        "read": "{name}: {count:message|messages}",
        "ok": "{name} says: {text}",
        "accepted": "Sent to {name}.",
        "timeout": "{name} has not answered yet; it is told when it does.",
        "error": "{name} could not answer: {text}",
    },
    {
        "ask_task": "要助手做什么？",
        "ask_message": "要在那里说什么？",
        "ask_session": "哪一个对话？",
        "started": "助手已开始工作：{task}",
        "listed": "共{count}个对话",
        "none": "没有别的对话。",
        "read": "{name}：{count}条消息",
        "ok": "{name} 答复：{text}",
        "accepted": "已发送到 {name}。",
        "timeout": "{name} 还没有答复，答复后会告诉你。",
        "error": "{name} 无法答复：{text}",
    },
)
_NOTES = {
    "model": "there is no such model; the helper has the usual one",
    "thinking": "there is no such level of thinking; the usual one holds",
}


def session_tools(access: Access) -> tuple[WaitingTool, ...]:
    """All of them; `access` is asked for at each use, for tools are made before desks are."""
    return (
        SessionStatus(access),
        SessionsHistory(access),
        SessionsList(access),
        SessionsSend(access),
        SessionsSpawn(access),
    )


@dataclass(frozen=True)
class SessionsSpawn:
    access: Access

    @property
    def spec(self) -> ToolSpec:
        cleanup: JsonValue = {"type": "string", "enum": ["keep", "delete"]}
        return ToolSpec(
            "sessions_spawn",
            "Start a helper for a task. Its result comes back by itself.",
            arguments(
                ("task",),
                task=text_argument("everything it must know"),
                label=text_argument(),
                agentId=text_argument(),
                model=text_argument(),
                thinking=text_argument(),
                runTimeoutSeconds=number_argument(),
                cleanup=cleanup,
            ),
            Effect.HELPER,
            core=False,
            keywords="sub-agent subagent delegate background 助手 子任务 并行 后台",
        )

    async def wait(self, given: ToolInput, context: ToolContext) -> ToolResult:
        task = given.text("task")
        if not task:
            return ask("task", _PHRASES.say("ask_task", context.language))
        started = await self.access().spawn(
            context.session,
            HelperTask(
                task,
                label=one_line(given.text("label"), 60),
                agent=given.text("agentId"),
                model=given.text("model"),
                thinking=given.text("thinking").lower(),
                seconds=max(0, given.number("runTimeoutSeconds", 0)),
                delete=given.text("cleanup") == "delete",
                by_itself=not context.user_text,
            ),
        )
        data: dict[str, JsonValue] = {
            "status": "accepted",
            "childSessionKey": started.session,
            "runId": started.run_id,
        }
        if started.note:
            data["warning"] = _NOTES.get(started.note, started.note)
        return ToolResult(data, _PHRASES.say("started", context.language, task=one_line(task, 80)))


@dataclass(frozen=True)
class SessionsList:
    access: Access

    @property
    def spec(self) -> ToolSpec:
        kinds: JsonValue = {"type": "array", "items": {"type": "string"}}
        return ToolSpec(
            "sessions_list",
            "List your conversations.",
            arguments(
                kinds=kinds,
                limit=number_argument(),
                activeMinutes=number_argument(),
                messageLimit=number_argument(),
            ),
            Effect.SESSION_READ,
            core=False,
            keywords="other chats talks recent 对话 会话 列表 聊天",
        )

    async def wait(self, given: ToolInput, context: ToolContext) -> ToolResult:
        kinds = given.arguments.get("kinds")
        wanted = kinds if isinstance(kinds, list | tuple) else ()
        lines = _within(given.number("messageLimit", 0), 0, 20)
        rows = await self.access().listed(
            context.session,
            frozenset(str(kind).lower() for kind in wanted),
            _within(given.number("limit", 20), 1, _MOST_LISTED),
            max(0, given.number("activeMinutes", 0)),
            lines,
        )
        key = "listed" if rows else "none"
        shown: list[JsonValue] = [_row(row) for row in rows]
        return ToolResult(
            {"sessions": shown},
            _PHRASES.say(key, context.language, count=len(rows)),
            taints=any(row.untrusted for row in rows),
            private=bool(rows),
        )


@dataclass(frozen=True)
class SessionsHistory:
    access: Access

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            "sessions_history",
            "Read another conversation.",
            arguments(
                ("sessionKey",),
                sessionKey=text_argument("from sessions_list"),
                limit=number_argument(),
                includeTools={"type": "boolean"},
            ),
            Effect.SESSION_READ,
            core=False,
            keywords="messages said chat transcript helper result 对话 记录 历史 聊天",
        )

    async def wait(self, given: ToolInput, context: ToolContext) -> ToolResult:
        session = given.text("sessionKey")
        if not session:
            return ask("sessionKey", _PHRASES.say("ask_session", context.language))
        part = await self.access().history(
            context.session,
            session,
            _within(given.number("limit", 30), 1, _MOST_LINES),
            tools=given.arguments.get("includeTools") is True,
        )
        lines: list[JsonValue] = [_line(one) for one in part.lines]
        slots = {"name": part.key, "count": len(lines)}
        return ToolResult(
            {"sessionKey": part.key, "messages": lines},
            _PHRASES.say("read", context.language, **slots),
            taints=part.untrusted,
            private=True,
        )


@dataclass(frozen=True)
class SessionsSend:
    access: Access

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            "sessions_send",
            "Let another conversation's agent answer something.",
            arguments(
                ("message",),
                sessionKey=text_argument("from sessions_list"),
                label=text_argument("or its name"),
                agentId=text_argument("of that agent"),
                message=text_argument(),
                timeoutSeconds=number_argument("0 does not wait"),
            ),
            Effect.SESSION_SEND,
            core=False,
            keywords="ask agent helper tell write chat 对话 发送 询问 转告",
        )

    async def wait(self, given: ToolInput, context: ToolContext) -> ToolResult:
        session, message = given.text("sessionKey") or given.text("label"), given.text("message")
        if not session:
            return ask("sessionKey", _PHRASES.say("ask_session", context.language))
        if not message:
            return ask("message", _PHRASES.say("ask_message", context.language))
        seconds = _within(given.number("timeoutSeconds", _WAIT_SECONDS), 0, _LONGEST_WAIT)
        answer = await self.access().send(
            context.session, context.run_id, session, message, seconds, given.text("agentId")
        )
        data: dict[str, JsonValue] = {
            "runId": answer.run_id,
            "status": answer.status,
            "sessionKey": answer.key,
        }
        if answer.text:
            data["error" if answer.status == "error" else "reply"] = answer.text
        slots = {"name": answer.key, "text": one_line(answer.text)}
        return ToolResult(
            data,
            _PHRASES.say(answer.status, context.language, **slots),
            ok=answer.status != "error",
            taints=answer.untrusted,
            private=answer.private,
        )


@dataclass(frozen=True)
class SessionStatus:
    access: Access

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            "session_status",
            "How a conversation stands: model, tokens, settings.",
            arguments(sessionKey=text_argument("this one without")),
            Effect.SESSION_READ,
            core=False,
            keywords="usage context window model which 状态 模型 用量",
        )

    async def wait(self, given: ToolInput, context: ToolContext) -> ToolResult:
        key = given.text("sessionKey")
        text = await self.access().status(context.session, key, context.language)
        named: JsonValue = SessionKey(key) or context.session
        return ToolResult({"sessionKey": named, "status": text}, text, private=True)


def _row(row: SessionRow) -> dict[str, JsonValue]:
    shown: dict[str, JsonValue] = {
        "key": row.key,
        "kind": row.kind,
        "title": one_line(row.title, 80),
        "updated": row.updated,
    }
    if row.running:
        shown["running"] = True
    if row.lines:
        shown["messages"] = [_line(one) for one in row.lines]
    return shown


def _line(line: SessionLine) -> dict[str, JsonValue]:
    text = line.text if len(line.text) <= _LINE else f"{line.text[:_LINE]}…"
    return {"who": line.who, "text": text, "time": line.time}


def _within(value: int, least: int, most: int) -> int:
    return min(max(value, least), most)
