"""The sentences of what `doctor` found, for the terminal and the chat.

words = words_of(finding, Language.ENGLISH)
words.found, words.why, words.do          # "Others may read …", "…", "chmod 600 …"
repair_words(finding.repair, language)    # "chmod 600 /home/a/.moltbot/moltbot.json"
"""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass

from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.sdk.audit import Finding, Modes, Repair, Setting, TakeBack
from moltbot_desktop.sdk.audit_texts import PROGRAM, SETTINGS

_FILES = Phrases(
    {
        "readable": "Others on this computer may read {thing}: {path}",
        "readable.why": "What is private in it is private no more.",
        "writable": "Others on this computer may change {thing}: {path}",
        "writable.why": "Whoever changes it changes what I do in your name.",
        "shut_out.why": "A folder above it keeps them out as long as that one stays closed.",
        "owner": "Another user owns {thing}: {path}",
        "owner.why": "They can change it whenever they like.",
        "owner.do": 'Make it your own again: sudo chown -R "$USER" {quoted}',
        "link": "{path} is a link to {target}.",
        "link.why": "Whoever may change what lies there changes {thing}.",
        "link.do": "That is fine if you made the link.",
        "synced": "{service} carries {thing} to other computers: {path}",
        "synced.why": "Conversations and notes go along, and two computers that write the same "
        "files damage them.",
        "synced.do": "Move it to a folder that is not synced (MOLTBOT_HOME, or "
        "agents.defaults.workspace).",
        "others.do": "Close it to others, or use another place: chmod go-w {quoted}",
        "kind.home": "my folder",
        "kind.parent": "a folder above mine",
        "kind.config": "the settings",
        "kind.backup": "a copy of the settings",
        "kind.token": "the word for the local web server",
        "kind.secrets": "the names of your keys",
        "kind.permissions": "what you allowed",
        "kind.trust": "what you trust",
        "kind.sessions": "your conversations",
        "kind.logs": "the log",
        "kind.state": "what I keep",
        "kind.workspace": "a workspace with your notes",
        "kind.skills": "skills",
        "kind.plugins": "plugins",
        "kind.hooks": "hooks",
        "kind.model": "model files",
        "kind.programs": "a folder that is searched for programs first (tools.exec.pathPrepend)",
        "kind.mcp": "a program that is started as an MCP server",
    },
    {
        "readable": "这台电脑上的其他用户可以读取{thing}：{path}",
        "readable.why": "里面的私人内容就不再私密了。",
        "writable": "这台电脑上的其他用户可以修改{thing}：{path}",
        "writable.why": "改了它，就能改变我以你的名义做的事。",
        "shut_out.why": "只要上层文件夹对别人关着，他们就进不来。",
        "owner": "{thing}属于另一个用户：{path}",
        "owner.why": "对方随时可以修改它。",
        "owner.do": '把它改回你自己的：sudo chown -R "$USER" {quoted}',
        "link": "{path} 是指向 {target} 的链接。",
        "link.why": "能改动那里的人就能改动{thing}。",
        "link.do": "如果链接是你自己建的，就没有问题。",
        "synced": "{service} 会把{thing}同步到其他电脑：{path}",
        "synced.why": "对话和笔记会跟着出去；两台电脑写同样的文件还会把它们弄坏。",
        "synced.do": "请移到不同步的文件夹（MOLTBOT_HOME 或 agents.defaults.workspace）。",
        "others.do": "不让别人写入，或换一个地方：chmod go-w {quoted}",
        "kind.home": "我的文件夹",
        "kind.parent": "我的上层文件夹",
        "kind.config": "设置",
        "kind.backup": "设置的副本",
        "kind.token": "本地网页服务器的口令",
        "kind.secrets": "密钥的名称",
        "kind.permissions": "你给的许可",
        "kind.trust": "你信任的内容",
        "kind.sessions": "你的对话",
        "kind.logs": "日志",
        "kind.state": "我保存的内容",
        "kind.workspace": "存放笔记的工作区",
        "kind.skills": "技能",
        "kind.plugins": "插件",
        "kind.hooks": "钩子",
        "kind.model": "模型文件",
        "kind.programs": "最先查找程序的文件夹（tools.exec.pathPrepend）",
        "kind.mcp": "作为 MCP 服务器启动的程序",
    },
)


@dataclass(frozen=True)
class Words:
    """A finding for the person: what, why it matters, what to do (may be "")."""

    found: str
    why: str
    do: str


def words_of(finding: Finding, language: Language) -> Words:
    if finding.id.startswith("fs."):
        return _of_a_file(finding, language)
    table = PROGRAM if finding.id in PROGRAM.english else SETTINGS

    def say(key: str) -> str:
        return table.say(key, language, **finding.facts)

    return Words(
        say(finding.id),
        say(f"{finding.id}.why"),
        _repair_or(finding.repair, say(f"{finding.id}.do")),
    )


def repair_words(repair: Repair) -> str:
    """What is done, as a person could type it."""
    match repair:
        case Modes(path, mode):
            return f"chmod {mode:o} {shlex.quote(str(path))}"
        case TakeBack(grant):
            return f"moltbot-desktop permissions revoke {grant[:8]}"
        case Setting(place, value):
            said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            return f"moltbot-desktop config set {shlex.quote(place)} {shlex.quote(said)}"


def _repair_or(repair: Repair | None, said: str) -> str:
    if repair is None:
        return said
    return f"{said} {repair_words(repair)}".strip()


def _of_a_file(finding: Finding, language: Language) -> Words:
    what = finding.id.rpartition(".")[2]
    thing = _FILES.say(f"kind.{finding.facts['kind']}", language)
    quoted = shlex.quote(str(finding.facts["path"]))

    def say(key: str) -> str:
        return _FILES.say(key, language, **{**finding.facts, "thing": thing, "quoted": quoted})

    if what not in ("readable", "writable"):
        return Words(say(what), say(f"{what}.why"), say(f"{what}.do"))
    shut_out = finding.facts.get("reachable") == 0
    why = say("shut_out.why" if shut_out else f"{what}.why")
    do = repair_words(finding.repair) if finding.repair is not None else say("others.do")
    return Words(say(what), why, do)
