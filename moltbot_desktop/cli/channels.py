"""`moltbot-desktop channels status|test`: how the accounts stand, and whether their settings work.

    $ moltbot-desktop channels status
    telegram default: open since 2026-03-01 10:42; heard 2026-03-01 10:58
    $ moltbot-desktop channels test telegram
    telegram default: works, as @moltbot.

Both ask the assistant that is running. `test` changes nothing anywhere: it logs in and asks who we
are. Exit code 1 when one that was tried does not work.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import TextIO

from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.cli.running import Ask
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonObject, JsonValue

_PHRASES = Phrases(
    english={
        "none": "No channels are set up. They are added under channels in moltbot.json.",
        "stopped": "not running",
        "starting": "connecting",
        "online": "open",
        "degraded": "open, but not all works",
        "backoff": "not connected; it is tried again",
        "failed": "does not work before its settings are changed",
        "off": "switched off in the settings",
        "since": "{state} since {time}",
        "heard": "heard {time}",
        "wrote": "wrote {time}",
        "waiting": "messages that wait: {count}",
        "put_aside": "put aside, because they break something in it: {count}",
        "not_used": "not used yet: {names}",
        "works": "works, as {name}.",
        "works_somehow": "works.",
        "cannot": "cannot be tried; “channels status” says how it stands.",
        "unknown": "There is no such account.",
        "unknown_hint": "moltbot-desktop channels status lists them.",
    },
    chinese={
        "none": "还没有设置渠道。请在 moltbot.json 的 channels 下添加。",
        "stopped": "未运行",
        "starting": "正在连接",
        "online": "已打开",
        "degraded": "已打开，但有功能不正常",
        "backoff": "未连接，稍后会再试",
        "failed": "修改设置之前无法使用",
        "off": "已在设置中关闭",
        "since": "{state}，自 {time} 起",
        "heard": "上次收到 {time}",
        "wrote": "上次发出 {time}",
        "waiting": "等待发送：{count}",
        "put_aside": "因为会让程序出错而搁置：{count}",
        "not_used": "暂不使用：{names}",
        "works": "正常，身份是 {name}。",
        "works_somehow": "正常。",
        "cannot": "无法测试；“channels status”会显示它的状态。",
        "unknown": "没有这个账号。",
        "unknown_hint": "用 moltbot-desktop channels status 查看。",
    },
)


def run_channels(ask: Ask, arguments: Arguments, language: Language, out: TextIO) -> int:
    """Carry one of them out; returns the exit code.

    Raises:
        GatewayError: nobody is running, or it refused.
        UserInputInvalid: there is no account of that name.
    """
    testing = arguments.action == "test"
    rows = list(_rows(ask("channels.status", {"probe": True} if testing else {})))
    if testing:
        rows = [row for row in rows if _is_meant(row, arguments)]
        if not rows:
            said = _PHRASES.say("unknown", language)
            raise UserInputInvalid(said, hint=_PHRASES.say("unknown_hint", language))
    failed = testing and any(_group(row.get("probe")).get("ok") is False for row in rows)
    if arguments.json:
        out.write(json.dumps(rows, ensure_ascii=False, indent=2) + "\n")
        return int(failed)
    told = _tried if testing else _standing
    lines = [f"{row['channel']} {row['accountId']}: {told(row, language)}" for row in rows]
    out.write("\n".join(lines or [_PHRASES.say("none", language)]) + "\n")
    return int(failed)


def _rows(told: JsonValue) -> Iterator[JsonObject]:
    for channel, rows in _group(_group(told).get("channelAccounts")).items():
        for row in rows if isinstance(rows, list) else ():
            yield {"channel": channel, **_group(row)}


def _is_meant(row: JsonObject, arguments: Arguments) -> bool:
    return row["channel"] == arguments.name and arguments.text in ("", row["accountId"])


def _standing(row: JsonObject, language: Language) -> str:
    def say(key: str, **slots: object) -> str:
        return _PHRASES.say(key, language, **slots)

    state = "off" if row.get("enabled") is False else str(row.get("state"))
    said = [say(state)]
    if time := _time(row.get("stateSince")):
        said = [say("since", state=said[0], time=time)]
    for name, key in (("lastInboundAt", "heard"), ("lastOutboundAt", "wrote")):
        if time := _time(row.get(name)):
            said.append(say(key, time=time))
    said += [say(key, count=row[name]) for name, key in _COUNTS if row.get(name)]
    if problem := row.get("lastError"):
        said.append(str(problem))
    unused = row.get("notUsed")
    if isinstance(unused, list) and unused:
        said.append(say("not_used", names=", ".join(map(str, unused))))
    return "; ".join(said)


_COUNTS = (("waiting", "waiting"), ("putAside", "put_aside"))


def _tried(row: JsonObject, language: Language) -> str:
    found = _group(row.get("probe"))
    if not found:
        return _PHRASES.say("cannot", language)
    if found.get("ok") is True:
        name = found.get("as")
        return _PHRASES.say("works" if name else "works_somehow", language, name=name)
    return str(found.get("error"))


def _time(value: JsonValue) -> str:
    """Day and time of this computer; "" for never."""
    if not isinstance(value, int):
        return ""
    return datetime.fromtimestamp(value / 1000).astimezone().isoformat(" ", "minutes")[:16]


def _group(value: JsonValue) -> JsonObject:
    return value if isinstance(value, Mapping) else {}
