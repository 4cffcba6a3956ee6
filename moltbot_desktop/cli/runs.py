"""`moltbot-desktop runs`: what the assistant did, run by run, and how it would do it now.

runs list --failed                 3f2a91c0  2026-11-22 09:15  failed  2.5 s  Book a table  (calc)
runs show 3f2a                     the request, what it was made of, each call with its verdict
runs replay 3f2a --model qwen3-4b  the same again without doing anything, and what is different
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import datetime, timedelta
from typing import TextIO

from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.cli.terminal_text import shown
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.core.results import OutcomeKind, Usage
from moltbot_desktop.sdk.activity import (
    USUAL_PAGE,
    ActivityDesk,
    ReplayCall,
    ReplayReport,
    ReplaySide,
    ReplayWanted,
    RunDetail,
    RunFilter,
    RunStep,
    RunSummary,
)
from moltbot_desktop.sdk.permissions import by_words, outcome_words
from moltbot_desktop.sdk.rule_words import rule_words

_ID_CHARACTERS = 8
_LONG_ID = re.compile(r"[0-9a-f]{32}")
_AGO = re.compile(r"([0-9]{1,4})([dhm])")
_UNITS = {"d": "days", "h": "hours", "m": "minutes"}
_SHOWN = 2_000
"""Characters of a result or an argument; --json has all of it."""
_PHRASES = Phrases(
    english={
        "none": "There are no such runs.",
        "more": "There are more: --before {older}",
        "answered": "answered",
        "silent": "silent",
        "needs_you": "asks you",
        "joined": "joined",
        "cancelled": "stopped",
        "timed_out": "too slow",
        "out_of_budget": "gave up",
        "failed": "failed",
        "unfinished": "no end",
        "no_words": "(nobody asked)",
        "run": "Run {id} · {time} · {outcome} · {seconds} s",
        "where": "{agent} · {session} · {origin}",
        "by_model": "Model: {model} ({window} tokens){thinking}",
        "thinks": ", thinking: {how}",
        "tokens": "Tokens: {sent} read ({cached} of them kept from before), {written} written",
        "prompt": "Prompt: {pieces}",
        "piece": "{name} {characters}",
        "memory": "Memory: {path}:{line} ({use})",
        "asked": "Asked: {text}",
        "later": "Said meanwhile: {text}",
        "call": "{number}. {tool} {arguments}",
        "verdict": "   {outcome} · {by} ({rule}) · {seconds} s",
        "no_verdict": "   {outcome} · {seconds} s",
        "skill": "   skill {name}, version {version}",
        "result": "   {text}",
        "answer": "Answer: {text}",
        "reason": "Why: {text}",
        "owner": "you",
        "script": "a script",
        "channel": "a channel",
        "schedule": "the schedule",
        "hook": "a hook",
        "helper": "a helper",
        "editor": "an editor",
        "other": "somebody else",
        "replaying": "Nothing is carried out, and nothing is kept.",
        "side": "{when}: {model} · {outcome} · {sent} + {written} tokens · {seconds} s",
        "then": "Then",
        "now": "Now ",
        "same_answer": "The answer is the same.",
        "same": "  = {call}",
        "gone": "  - {call}",
        "new": "  + {call}   not carried out",
        "new_known": "  + {call}   as it was then",
        "changed": "Not as it was then in the prompt: {names}",
        "lost": "Memories of then that are gone: {count}",
        "not_noted": "(not noted)",
        "bad_since": "“{text}” is no time.",
        "bad_since_do": "Write a day such as 2026-11-22, or 7d, 12h or 30m.",
        "bad_skill": "“{text}” names no folder.",
        "bad_skill_do": "Write NAME=FOLDER.",
    },
    chinese={
        "none": "没有这样的运行记录。",
        "more": "还有更多：--before {older}",
        "answered": "已回答",
        "silent": "未出声",
        "needs_you": "等你回答",
        "joined": "已合并",
        "cancelled": "已停止",
        "timed_out": "超时",
        "out_of_budget": "中途放弃",
        "failed": "失败",
        "unfinished": "没有结束",
        "no_words": "（没有人提问）",
        "run": "运行 {id} · {time} · {outcome} · {seconds} 秒",
        "where": "{agent} · {session} · {origin}",
        "by_model": "模型：{model}（{window} 个词元）{thinking}",
        "thinks": "，思考：{how}",
        "tokens": "词元：读入 {sent}（其中 {cached} 是之前保留的），写出 {written}",
        "prompt": "提示词：{pieces}",
        "piece": "{name} {characters}",
        "memory": "记忆：{path}:{line}（{use}）",
        "asked": "请求：{text}",
        "later": "期间又说：{text}",
        "call": "{number}. {tool} {arguments}",
        "verdict": "   {outcome} · {by}（{rule}）· {seconds} 秒",
        "no_verdict": "   {outcome} · {seconds} 秒",
        "skill": "   技能 {name}，版本 {version}",
        "result": "   {text}",
        "answer": "回答：{text}",
        "reason": "原因：{text}",
        "owner": "你",
        "script": "脚本",
        "channel": "频道",
        "schedule": "计划任务",
        "hook": "钩子",
        "helper": "子助手",
        "editor": "编辑器",
        "other": "其他来源",
        "replaying": "不会执行任何操作，也不会保存任何内容。",
        "side": "{when}：{model} · {outcome} · {sent} + {written} 个词元 · {seconds} 秒",
        "then": "当时",
        "now": "现在",
        "same_answer": "回答相同。",
        "same": "  = {call}",
        "gone": "  - {call}",
        "new": "  + {call}   没有执行",
        "new_known": "  + {call}   与当时相同",
        "changed": "提示词中与当时不同的部分：{names}",
        "lost": "当时用到、现在已经没有的记忆：{count} 条",
        "not_noted": "（没有记录）",
        "bad_since": "“{text}”不是时间。",
        "bad_since_do": "请写日期，例如 2026-11-22，或 7d、12h、30m。",
        "bad_skill": "“{text}”没有写文件夹。",
        "bad_skill_do": "请写成 名称=文件夹。",
    },
)


@dataclass(frozen=True)
class RunsShell:
    """Where the answers go."""

    language: Language
    out: TextIO

    def say(self, key: str, **values: object) -> str:
        return _PHRASES.say(key, self.language, **values)

    def tell(self, key: str, **values: object) -> None:
        """A line that may hold words of others."""
        self.out.write(shown(self.say(key, **values)) + "\n")

    def tell_json(self, facts: JsonValue) -> None:
        self.out.write(json.dumps(facts, ensure_ascii=False, default=dict) + "\n")


def run_runs(desk: ActivityDesk, arguments: Arguments, shell: RunsShell, now: datetime) -> int:
    """`list` and `show`.

    Returns:
        0 when something was found, 1 when nothing was.

    Raises:
        MoltbotError: it could not be done.
    """
    if arguments.action == "show":
        return _show(desk.detail(arguments.name), arguments, shell)
    return _list(desk, arguments, shell, now)


def replay_wanted(arguments: Arguments, shell: RunsShell) -> ReplayWanted:
    """What `runs replay` asks for.

    Raises:
        UserInputInvalid: a skill without a folder.
    """
    skills = {}
    for pair in arguments.pairs:
        name, sign, folder = pair.partition("=")
        if not (name and sign and folder):
            raise UserInputInvalid(
                shell.say("bad_skill", text=pair[:80]), hint=shell.say("bad_skill_do")
            )
        skills[name] = folder
    return ReplayWanted(arguments.name, arguments.text, skills)


def show_report(report: ReplayReport, arguments: Arguments, shell: RunsShell) -> int:
    """Print how a run went and how it would go; 1 when it would fail."""
    if arguments.json:
        shell.tell_json(_plain(report))
    else:
        _side(report.before, "then", shell)
        _side(report.after, "now", shell)
        for call in report.calls:
            shell.tell(_call_key(call), call=_call_words(call))
        if report.answer_diff:
            shell.out.write(shown(report.answer_diff) + "\n")
        else:
            shell.tell("same_answer")
        if report.changed:
            shell.tell("changed", names=", ".join(report.changed))
        if report.lost_memories:
            shell.tell("lost", count=report.lost_memories)
    return 1 if report.after.outcome is OutcomeKind.FAILED else 0


def since_of(text: str, now: datetime, shell: RunsShell) -> datetime | None:
    """A day, a time, or how long ago; None for "".

    Raises:
        UserInputInvalid: it is none of these.
    """
    if not text:
        return None
    if ago := _AGO.fullmatch(text):
        return now - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        raise UserInputInvalid(
            shell.say("bad_since", text=text[:80]), hint=shell.say("bad_since_do")
        ) from None
    return when if when.tzinfo is not None else when.replace(tzinfo=now.tzinfo)


def _list(desk: ActivityDesk, arguments: Arguments, shell: RunsShell, now: datetime) -> int:
    wanted = RunFilter(
        agent=arguments.agent,
        since=since_of(arguments.when, now, shell),
        failed=arguments.failed,
        words=arguments.text,
    )
    page = desk.runs(wanted, arguments.to, arguments.number or USUAL_PAGE)
    if arguments.json:
        shell.tell_json({"runs": [_summary_json(one) for one in page.runs], "older": page.older})
        return 0 if page.runs else 1
    for one in page.runs:
        time, outcome = _time(one.started), _outcome(one.outcome, shell)
        words = one.words or shell.say("no_words")
        tools = f"  ({', '.join(one.tools)})" if one.tools else ""
        took = f"{one.seconds:6.1f} s"
        shell.out.write(
            shown(f"{_id(one.id):8}  {time:16}  {outcome:9}  {took}  {words}{tools}") + "\n"
        )
    if not page.runs:
        shell.tell("none")
    if page.older:
        shell.tell("more", older=page.older)
    return 0 if page.runs else 1


def _show(detail: RunDetail, arguments: Arguments, shell: RunsShell) -> int:
    if arguments.json:
        shell.tell_json(_detail_json(detail))
        return 0
    one, facts = detail.summary, detail.facts
    outcome = _outcome(one.outcome, shell)
    shell.tell(
        "run", id=one.id, time=_time(one.started), outcome=outcome, seconds=f"{one.seconds:.1f}"
    )
    origin = shell.say(one.origin.value)
    if one.channel not in ("", "desktop"):
        origin = f"{origin} ({one.channel})"
    shell.tell("where", agent=one.agent, session=one.session, origin=origin)
    if facts.model:
        thinking = shell.say("thinks", how=facts.thinking) if facts.thinking else ""
        shell.tell("by_model", model=facts.model, window=facts.window, thinking=thinking)
    usage = one.usage
    slots = {"sent": usage.prompt_tokens, "cached": usage.cached_tokens}
    shell.tell("tokens", **slots, written=usage.completion_tokens)
    if facts.pieces:
        pieces = (
            shell.say("piece", name=part.name, characters=part.characters) for part in facts.pieces
        )
        shell.tell("prompt", pieces=", ".join(pieces))
    for used in detail.memories:
        shell.tell("memory", path=used.path, line=used.start_line, use=used.use.value)
    shell.tell("asked", text=_cut(detail.request) or shell.say("no_words"))
    for number, step in enumerate(detail.steps, start=1):
        _show_step(number, step, shell)
    for text in detail.later:
        shell.tell("later", text=_cut(text))
    if detail.answer:
        shell.tell("answer", text=detail.answer)
    if one.reason and one.outcome is not OutcomeKind.ANSWERED:
        shell.tell("reason", text=one.reason)
    return 0


def _show_step(number: int, step: RunStep, shell: RunsShell) -> None:
    arguments = json.dumps(dict(step.arguments), ensure_ascii=False, default=dict)
    shell.tell("call", number=number, tool=step.tool, arguments=_cut(arguments))
    outcome, seconds = outcome_words(step.outcome, shell.language), f"{step.seconds:.1f}"
    ruling = step.ruling
    if ruling.decision:
        by = by_words(ruling.decision, ruling.rule, ruling.by or "policy", shell.language)
        rule = rule_words(ruling.rule, shell.language)
        shell.tell("verdict", outcome=outcome, by=by, rule=rule, seconds=seconds)
    else:
        shell.tell("no_verdict", outcome=outcome, seconds=seconds)
    if step.skill:
        shell.tell("skill", name=step.skill, version=step.version)
    if text := _cut(step.display or step.result):
        shell.tell("result", text=text)


def _side(side: ReplaySide, when: str, shell: RunsShell) -> None:
    usage: Usage = side.usage
    shell.tell(
        "side",
        when=shell.say(when),
        model=side.model or shell.say("not_noted"),
        outcome=_outcome(side.outcome, shell),
        sent=usage.prompt_tokens,
        written=usage.completion_tokens,
        seconds=f"{side.seconds:.1f}",
    )
    if side.outcome is OutcomeKind.FAILED and side.reason:
        shell.tell("reason", text=side.reason)


def _call_key(call: ReplayCall) -> str:
    return "new_known" if call.change == "new" and call.from_record else call.change.value


def _call_words(call: ReplayCall) -> str:
    arguments = json.dumps(dict(call.arguments), ensure_ascii=False, default=dict)
    return f"{call.tool} {_cut(arguments)}"


def _outcome(outcome: OutcomeKind | None, shell: RunsShell) -> str:
    return shell.say(outcome.value if outcome is not None else "unfinished")


def _id(run: str) -> str:
    return run[:_ID_CHARACTERS] if _LONG_ID.fullmatch(run) else run


def _time(time: str) -> str:
    return time[:16].replace("T", " ")


def _cut(text: str) -> str:
    text = text.strip()
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _summary_json(one: RunSummary) -> Mapping[str, JsonValue]:
    return {
        "id": one.id,
        "agent": one.agent,
        "session": one.session,
        "sessionId": one.session_id,
        "origin": one.origin.value,
        "channel": one.channel,
        "startedAt": one.started,
        "seconds": one.seconds,
        "outcome": one.outcome.value if one.outcome is not None else None,
        "reason": one.reason,
        "model": one.model,
        "tokens": _plain(one.usage),
        "tools": list(one.tools),
        "calls": one.calls,
        "words": one.words,
    }


def _detail_json(detail: RunDetail) -> Mapping[str, JsonValue]:
    return {
        **_summary_json(detail.summary),
        "request": detail.request,
        "before": detail.before,
        "later": list(detail.later),
        "answer": detail.answer,
        "thinking": detail.thinking,
        "facts": _plain(detail.facts),
        "memories": [_plain(one) for one in detail.memories],
        "steps": list(_steps_json(detail)),
    }


def _steps_json(detail: RunDetail) -> Iterator[JsonValue]:
    for step in detail.steps:
        yield {
            "tool": step.tool,
            "arguments": _plain(step.arguments),
            "said": step.said,
            "outcome": step.outcome,
            "verdict": _plain(step.ruling),
            "result": step.result,
            "display": step.display,
            "seconds": step.seconds,
            "at": step.at,
            "skill": step.skill,
            "version": step.version,
        }


def _plain(value: object) -> JsonValue:
    """As JSON has it."""
    if is_dataclass(value):
        return {one.name: _plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, bool | int | float):
        return value
    return str(value)
