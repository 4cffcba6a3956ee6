"""`moltbot-desktop memory doctor`: what was found, a line each, and what was done about it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import TextIO

from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.health import Finding, Health

_PHRASES = Phrases(
    english={
        "ok": "ok     ",
        "note": "note   ",
        "trouble": "problem",
        "memory.switched_off": "Memory is switched off in the settings"
        " (agents.defaults.memorySearch.enabled).",
        "notes.readable": "Your notes can be read (files: {count}).",
        "notes.unreadable": "{path} is not searched: {reason}",
        "notes.source": "{reason}",
        "notes.remains": "Half-written files that a sudden end left beside your notes: {count}."
        " --fix removes them.",
        "folders.private": "The folders can be written, and nobody else reads the index.",
        "folders.closed": "You may not write in {path}. Give yourself the right to.",
        "folders.open": "Others on this computer may look into {path}. --fix closes it.",
        "index.absent": "There is no search index yet; the first search makes it.",
        "index.whole": "The search index is whole (files: {files}, notes: {notes}).",
        "index.damaged": "The search index is damaged. --fix makes it anew; your notes are not"
        " touched.",
        "index.unreadable": "The search index cannot be read: {reason}",
        "freshness.current": "The index knows every change of your notes.",
        "freshness.behind": "Files changed since: {count}. The next search reads them.",
        "freshness.older_rules": "The index was made by other rules or settings. It answers until"
        " the new one is ready; --fix makes that now.",
        "model.works": "Questions are searched by meaning too ({model}).",
        "model.none": "Searched by words only: {reason}.",
        "model.missing": "Searched by words only: there is no model for meaning.",
        "model.failing": "The model for meaning fails, so words alone are searched: {reason}",
        "model.other": "The index has the vectors of {before}, now {model} is chosen."
        " The running program replaces them; --fix does it now.",
        "model.unread": "Not read for meaning yet: {count} notes ({model}). Words find them;"
        " --fix reads them now.",
        "cache.absent": "No vectors are kept aside yet.",
        "cache.sound": "The vectors kept aside are sound ({size} MB).",
        "cache.damaged": "The vectors kept aside are damaged. --fix throws them away; they are made"
        " again.",
        "cache.unreadable": "The vectors kept aside cannot be read: {reason}",
        "holder.nobody": "No other program has the index open.",
        "holder.another": "Another Moltbot Desktop has the index open; that is fine.",
        "holder.unknown": "Whether another program has the index open cannot be seen: {reason}",
        "disk.free": "There are {free} GB free on the disk.",
        "disk.low": "Only {free} GB are free on the disk. Free some space, or new notes may not"
        " be kept.",
        "inbox.empty": "Nothing waits in the inbox.",
        "inbox.waiting": "Waiting for your yes: {count}. See: moltbot-desktop memory inbox",
        "inbox.unreadable": "The inbox cannot be read: {reason}",
        "watch.unseen": "Whether changes are noticed at once, only the running program knows;"
        " every search looks for them itself.",
        "fix.busy": "Another Moltbot Desktop has the index open and mends it itself."
        " Close that one to do it from here.",
        "fix.made_private": "Closed {path} to others.",
        "fix.remains_removed": "Removed half-written files: {count}.",
        "fix.cache_made_anew": "Threw the damaged vectors away.",
        "fix.set_aside": "Set {path} aside and made a new index from your notes.",
        "fix.up_to_date": "The index is up to date (files: {files}, notes: {notes}).",
        "well": "All is well.",
        "done": "Done:",
        "advice": "What needs you is marked “problem”.",
        "advice_fix": "Try: moltbot-desktop memory doctor --fix",
    },
    chinese={
        "ok": "正常",
        "note": "提示",
        "trouble": "问题",
        "memory.switched_off": "设置中已关闭记忆（agents.defaults.memorySearch.enabled）。",
        "notes.readable": "{count} 个笔记文件可以读取。",
        "notes.unreadable": "{path} 未被搜索：{reason}",
        "notes.source": "{reason}",
        "notes.remains": "程序突然中止时，在笔记旁留下了 {count} 个未写完的文件。"
        "--fix 会删除它们。",
        "folders.private": "文件夹可写，且其他用户看不到索引。",
        "folders.closed": "你没有写入 {path} 的权限，请为自己加上。",
        "folders.open": "这台电脑上的其他用户可以查看 {path}。--fix 可将其关闭。",
        "index.absent": "还没有搜索索引，第一次搜索时会建立。",
        "index.whole": "搜索索引完好：{files} 个文件，{notes} 条笔记。",
        "index.damaged": "搜索索引已损坏。--fix 会重新建立，你的笔记不受影响。",
        "index.unreadable": "无法读取搜索索引：{reason}",
        "freshness.current": "索引已包含笔记的所有改动。",
        "freshness.behind": "有 {count} 个文件已改动，下次搜索时会读入。",
        "freshness.older_rules": "索引是按旧的规则或设置建立的。"
        "新索引就绪前由它回答；--fix 立即更新。",
        "model.works": "问题也会按语义搜索（{model}）。",
        "model.none": "仅按字词搜索：{reason}。",
        "model.missing": "仅按字词搜索：没有语义模型。",
        "model.failing": "语义模型出错，目前只按字词搜索：{reason}",
        "model.other": "索引里是 {before} 的向量，现在选用的是 {model}。"
        "运行中的程序会替换它们；--fix 立即替换。",
        "model.unread": "还有 {count} 条笔记未完成语义索引（{model}），按字词都能找到。"
        "--fix 立即完成。",
        "cache.absent": "还没有保存的向量。",
        "cache.sound": "保存的向量完好（{size} MB）。",
        "cache.damaged": "保存的向量已损坏。--fix 会丢弃它们，之后会重新计算。",
        "cache.unreadable": "无法读取保存的向量：{reason}",
        "holder.nobody": "没有其他程序正在使用索引。",
        "holder.another": "另一个 Moltbot Desktop 正在使用索引，这没有问题。",
        "holder.unknown": "无法得知是否有其他程序正在使用索引：{reason}",
        "disk.free": "磁盘还有 {free} GB 可用。",
        "disk.low": "磁盘只剩 {free} GB。请腾出一些空间，否则新笔记可能无法保存。",
        "inbox.empty": "收件箱里没有等待的内容。",
        "inbox.waiting": "有 {count} 条内容等你确认：moltbot-desktop memory inbox。",
        "inbox.unreadable": "无法读取收件箱：{reason}",
        "watch.unseen": "改动是否会被立即发现，只有运行中的程序知道；每次搜索也会自行检查。",
        "fix.busy": "另一个 Moltbot Desktop 正在使用索引，它会自行修复。要在这里修复，请先关闭它。",
        "fix.made_private": "已禁止其他用户查看 {path}。",
        "fix.remains_removed": "已删除 {count} 个未写完的文件。",
        "fix.cache_made_anew": "已丢弃损坏的向量。",
        "fix.set_aside": "已弃用 {path}，并根据你的笔记建立了新索引。",
        "fix.up_to_date": "索引已是最新：{files} 个文件，{notes} 条笔记。",
        "well": "一切正常。",
        "done": "已完成：",
        "advice": "标有“问题”的各项需要你处理。",
        "advice_fix": "可以试试：moltbot-desktop memory doctor --fix",
    },
)
_MENDED = frozenset({"index.damaged", "index.unreadable", "cache.damaged"})
"""What `--fix` is worth trying for."""


def doctor(
    examine: Callable[[], Sequence[Finding]],
    treat: Callable[[], Sequence[Finding]],
    arguments: Arguments,
    language: Language,
    out: TextIO,
) -> int:
    """Examine, with `--fix` treat and examine again, and tell it.

    Returns:
        0 when nothing is wrong (any more), 1 otherwise.

    Raises:
        MoltbotError: the treatment failed altogether.
    """
    done = treat() if arguments.fix else ()
    findings = examine()
    ill = any(finding.health is Health.TROUBLE for finding in findings)
    if arguments.json:
        told: dict[str, JsonValue] = {
            "ok": not ill,
            "findings": [_as_json(finding, language) for finding in findings],
            "done": [_as_json(finding, language) for finding in done],
        }
        out.write(json.dumps(told, ensure_ascii=False) + "\n")
        return int(ill)
    lines = [
        f"{_PHRASES.say(finding.health, language)}  {_sentence(finding, language)}"
        for finding in findings
    ]
    if done:
        lines += ["", _PHRASES.say("done", language)]
        lines += [f"- {_sentence(finding, language)}" for finding in done]
    lines += ["", *_summary(findings, ill, arguments, language)]
    out.write("\n".join(lines) + "\n")
    return int(ill)


def _summary(
    findings: Iterable[Finding], ill: bool, arguments: Arguments, language: Language
) -> list[str]:
    if not ill:
        return [_PHRASES.say("well", language)]
    lines = [_PHRASES.say("advice", language)]
    if not arguments.fix and any(_key(finding) in _MENDED for finding in findings):
        lines.append(_PHRASES.say("advice_fix", language))
    return lines


def _key(finding: Finding) -> str:
    return f"{finding.check}.{finding.code}"


def _sentence(finding: Finding, language: Language) -> str:
    return _PHRASES.say(_key(finding), language, **finding.facts)


def _as_json(finding: Finding, language: Language) -> dict[str, JsonValue]:
    return {
        "check": finding.check,
        "health": finding.health.value,
        "code": finding.code,
        "facts": dict(finding.facts),
        "text": _sentence(finding, language),
    }
