"""`status`, `health` and `call`: asking the assistant that is running.

    $ moltbot-desktop status
    Moltbot 0.3.0 is running (process 4711), for 2 h 5 min.
    Model: qwen3-4b-q4_k_m, window 8,192 tokens
    …
    $ moltbot-desktop health && echo well
    $ moltbot-desktop call sessions.list '{"limit": 3}'

`call` is for scripts: any method of the local socket, its parameters as a JSON object, the answer
as JSON. `health` says nothing that a supervisor has to read: its exit code is the answer.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TextIO

from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonObject, JsonValue

Ask = Callable[[str, JsonObject], JsonValue]
"""Asks the running assistant for a method. Raises GatewayError."""

_SECONDS = ((86_400, "day"), (3_600, "hour"), (60, "minute"))

_PHRASES = Phrases(
    english={
        "running": "Moltbot {version} is running (process {pid}), for {age}.",
        "model": "Model: {name}, window {tokens:,} tokens",
        "no_model": "Model: none is in memory yet",
        "busy": "Answers going on: {running}, waiting: {waiting}",
        "memory": "Memory: {files} files{note}",
        "reminders": "Reminders ahead: {count}",
        "web": "Local web server: {address}",
        "openai": "OpenAI's API: {address}",
        "token_file": "Its token is in {path}",
        "channel": "Channel {name}: {state}",
        "channel_on": "open",
        "channel_ill": "open, but {problem}",
        "channel_off": "switched off in the settings",
        "channel_starting": "connecting",
        "channel_away": "not connected; it is tried again",
        "put_aside": "{state}; put aside, because they break something in it: {count}",
        "day": "{n} d",
        "hour": "{n} h",
        "minute": "{n} min",
        "moment": "less than a minute",
        "ok": "Moltbot is well.",
        "not_ok": "Moltbot is running, but: {problem}",
        "no_object": "“{text}” is no JSON object.",
        "no_object_hint": "Write it like this: '{{\"limit\": 3}}'",
    },
    chinese={
        "running": "Moltbot {version} 正在运行（进程 {pid}），已运行 {age}。",
        "model": "模型：{name}，上下文窗口 {tokens:,} 个 token",
        "no_model": "模型：尚未载入",
        "busy": "正在回答：{running}，等待中：{waiting}",
        "memory": "记忆：{files} 个文件{note}",
        "reminders": "待提醒：{count}",
        "web": "本机网页服务：{address}",
        "openai": "OpenAI 接口：{address}",
        "token_file": "口令在 {path}",
        "channel": "渠道 {name}：{state}",
        "channel_on": "已打开",
        "channel_ill": "已打开，但是 {problem}",
        "channel_off": "已在设置中关闭",
        "channel_starting": "正在连接",
        "channel_away": "未连接，稍后会再试",
        "put_aside": "{state}；因为会让程序出错而搁置的消息：{count}",
        "day": "{n} 天",
        "hour": "{n} 小时",
        "minute": "{n} 分钟",
        "moment": "不到一分钟",
        "ok": "Moltbot 一切正常。",
        "not_ok": "Moltbot 正在运行，但是：{problem}",
        "no_object": "“{text}”不是 JSON 对象。",
        "no_object_hint": "请这样写：'{{\"limit\": 3}}'",
    },
)


def run_running(ask: Ask, arguments: Arguments, language: Language, out: TextIO) -> int:
    """Carry one of the commands out; returns the exit code.

    Raises:
        GatewayError: nobody is running, or it refused.
        UserInputInvalid: the parameters of `call` are no JSON object.
    """
    problem = ""
    match arguments.command:
        case "status":
            told = ask("status", {})
            lines = [_as_json(told)] if arguments.json else _status(_object(told), language)
        case "health":
            told = ask("health", {})
            problem = _text(_object(told), "problem")
            sentence = _PHRASES.say("not_ok" if problem else "ok", language, problem=problem)
            lines = [_as_json(told) if arguments.json else sentence]
        case _:
            lines = [_as_json(ask(arguments.name, _parameters(arguments.text, language)))]
    out.write("\n".join(lines) + "\n")
    return 1 if problem else 0


def _parameters(text: str, language: Language) -> JsonObject:
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        said = _PHRASES.say("no_object", language, text=text[:80])
        raise UserInputInvalid(said, hint=_PHRASES.say("no_object_hint", language))
    return value


def _status(told: JsonObject, language: Language) -> list[str]:
    def say(key: str, **values: object) -> str:
        return _PHRASES.say(key, language, **values)

    age = _age(_whole(told, "uptimeSeconds"), language)
    lines = [say("running", version=_text(told, "version"), pid=_whole(told, "pid"), age=age)]
    model = _object(told.get("model"))
    if name := _text(model, "name"):
        lines.append(say("model", name=name, tokens=_whole(model, "contextTokens")))
    else:
        lines.append(say("no_model"))
    runs, memory = _object(told.get("runs")), _object(told.get("memory"))
    lines.append(say("busy", running=_whole(runs, "running"), waiting=_whole(runs, "waiting")))
    note = _text(memory, "note")
    lines.append(say("memory", files=_whole(memory, "files"), note=f". {note}" if note else ""))
    lines.append(say("reminders", count=_whole(told, "reminders")))
    web = _object(told.get("web"))
    if address := _text(web, "address"):
        lines.append(say("web", address=address))
        if api := _text(web, "openai"):
            lines.append(say("openai", address=api))
        if path := _text(web, "tokenFile"):
            lines.append(say("token_file", path=path))
    lines += [_channel(_object(one), language) for one in _list(told.get("channels"))]
    return lines


def _channel(told: JsonObject, language: Language) -> str:
    name = f"{_text(told, 'channel')} {_text(told, 'accountId')}"
    problem = _text(told, "lastError")
    if told.get("enabled") is False:
        state = _PHRASES.say("channel_off", language)
    elif told.get("running") is True:
        state = _PHRASES.say("channel_ill" if problem else "channel_on", language, problem=problem)
    elif problem:
        state = problem
    else:
        starting = _text(told, "state") == "starting"
        state = _PHRASES.say("channel_starting" if starting else "channel_away", language)
    if aside := _whole(told, "putAside"):
        state = _PHRASES.say("put_aside", language, state=state, count=aside)
    return _PHRASES.say("channel", language, name=name, state=state)


def _age(seconds: int, language: Language) -> str:
    """The two largest units, such as ``2 h 5 min``."""
    parts = []
    for size, unit in _SECONDS:
        number, seconds = divmod(seconds, size)
        if number:
            parts.append(_PHRASES.say(unit, language, n=number))
    return " ".join(parts[:2]) or _PHRASES.say("moment", language)


def _object(value: JsonValue) -> JsonObject:
    return value if isinstance(value, Mapping) else {}


def _list(value: JsonValue) -> Sequence[JsonValue]:
    return value if isinstance(value, list) else ()


def _text(told: JsonObject, name: str) -> str:
    value = told.get(name)
    return value if isinstance(value, str) else ""


def _whole(told: JsonObject, name: str) -> int:
    value = told.get(name)
    return value if isinstance(value, int) else 0


def _as_json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
