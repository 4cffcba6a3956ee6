"""`moltbot-desktop agents list|show|add|remove|init`: what is shown of agents."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TextIO

from moltbot_desktop.core.i18n import Language, Phrases

_PHRASES = Phrases(
    {
        "made": "Put into {folder}: {names}\n",
        "edit": "They say nothing yet; edit what you like. New conversations read them.\n",
        "kept": "Left as they are: {names}\n",
        "default": "default",
        "usual_model": "the model of all agents",
        "line": "{id}{name}{default}\n  {workspace} · {model}\n",
        "problem": "  {problem}\n",
        "all_tools": "all",
        "all_but": "all but {names}",
        "shown": "{id}{name}{default}\n"
        "workspace: {workspace}\n"
        "own files: {folder}\n"
        "memory index: {index}\n"
        "model: {model}\n"
        "tools: {tools}\n"
        "bindings: {bindings}\n",
        "added": "The agent “{id}” is there. Its notes and files: {workspace}\n",
        "added_how": "To talk to it: moltbot-desktop chat --resume --agent {id}\n"
        "To fill in who it is: moltbot-desktop agents init --agent {id}\n"
        "To let it answer a channel, add a binding to moltbot.json: "
        'bindings: [{{ agentId: "{id}", match: {{ channel: "..." }} }}]\n'
        "To look into its memory: moltbot-desktop memory search --agent {id} WORDS\n",
        "removed": "The agent “{id}” is out of the settings.\n",
        "unbound": "Bindings that named it and are gone too: {count}.\n",
        "stays": "What it kept stays where it is: {folders}\n",
    },
    {
        "made": "已放进 {folder}：{names}\n",
        "edit": "里面还没有内容；想改什么就改什么，新的对话会读它们。\n",
        "kept": "保持原样：{names}\n",
        "default": "默认",
        "usual_model": "所有智能体共用的模型",
        "line": "{id}{name}{default}\n  {workspace} · {model}\n",
        "problem": "  {problem}\n",
        "all_tools": "全部",
        "all_but": "除 {names} 外的全部",
        "shown": "{id}{name}{default}\n"
        "工作区：{workspace}\n"
        "自己的文件：{folder}\n"
        "记忆索引：{index}\n"
        "模型：{model}\n"
        "工具：{tools}\n"
        "绑定：{bindings}\n",
        "added": "智能体“{id}”已建好。它的笔记和文件在：{workspace}\n",
        "added_how": "和它对话：moltbot-desktop chat --resume --agent {id}\n"
        "填写它是谁：moltbot-desktop agents init --agent {id}\n"
        "让它回答某个渠道，请在 moltbot.json 里加绑定："
        'bindings: [{{ agentId: "{id}", match: {{ channel: "..." }} }}]\n'
        "查看它的记忆：moltbot-desktop memory search --agent {id} 词语\n",
        "removed": "智能体“{id}”已从设置中移除。\n",
        "unbound": "同时移除了指向它的 {count} 条绑定。\n",
        "stays": "它保存的内容仍在原处：{folders}\n",
    },
)


@dataclass(frozen=True)
class Seeded:
    """Names of files in `folder`: new ones, and those that were there."""

    folder: str
    made: tuple[str, ...]
    kept: tuple[str, ...]


@dataclass(frozen=True)
class AgentLine:
    """One agent as it is shown.

    Attributes:
        name: "" where it is called by its id.
        model: "" for the one that all have.
        tools: names of those it has in its main conversation; `without` those it has not.
        bindings: what is bound to it, such as ``telegram``.
        problem: why it cannot work, "" when it can.
    """

    id: str
    name: str
    default: bool
    workspace: str
    folder: str
    index: str
    model: str
    tools: tuple[str, ...]
    without: tuple[str, ...]
    bindings: tuple[str, ...]
    problem: str = ""


def list_agents(lines: Sequence[AgentLine], as_json: bool, language: Language, out: TextIO) -> int:
    """Print them all."""
    if as_json:
        out.write(json.dumps([asdict(line) for line in lines], ensure_ascii=False, indent=2) + "\n")
        return 0
    for line in lines:
        out.write(_in_words("line", line, language))
        if line.problem:
            out.write(_PHRASES.say("problem", language, problem=line.problem))
    return 0


def show_agent(line: AgentLine, as_json: bool, language: Language, out: TextIO) -> int:
    """Print all about one."""
    if as_json:
        out.write(json.dumps(asdict(line), ensure_ascii=False, indent=2) + "\n")
        return 0
    out.write(_in_words("shown", line, language))
    if line.problem:
        out.write(_PHRASES.say("problem", language, problem=line.problem))
    return 0


def told_added(line: AgentLine, as_json: bool, language: Language, out: TextIO) -> int:
    """Say that it is there now."""
    if as_json:
        return show_agent(line, as_json, language, out)
    out.write(_PHRASES.say("added", language, id=line.id, workspace=line.workspace))
    out.write(_PHRASES.say("added_how", language, id=line.id))
    return 0


def told_removed(
    line: AgentLine, folders: Sequence[str], as_json: bool, language: Language, out: TextIO
) -> int:
    """Say that it is gone, and that `folders` are not."""
    if as_json:
        told = {"id": line.id, "bindings": len(line.bindings), "kept": list(folders)}
        out.write(json.dumps(told, ensure_ascii=False) + "\n")
        return 0
    out.write(_PHRASES.say("removed", language, id=line.id))
    if line.bindings:
        out.write(_PHRASES.say("unbound", language, count=len(line.bindings)))
    if folders:
        out.write(_PHRASES.say("stays", language, folders=", ".join(folders)))
    return 0


def told_seeded(seeded: Seeded, as_json: bool, language: Language, out: TextIO) -> int:
    """Print what was done."""
    if as_json:
        out.write(json.dumps(asdict(seeded), ensure_ascii=False) + "\n")
        return 0
    if seeded.made:
        names = ", ".join(seeded.made)
        out.write(_PHRASES.say("made", language, folder=seeded.folder, names=names))
        out.write(_PHRASES.say("edit", language))
    if seeded.kept:
        out.write(_PHRASES.say("kept", language, names=", ".join(seeded.kept)))
    return 0


def _in_words(key: str, line: AgentLine, language: Language) -> str:
    return _PHRASES.say(
        key,
        language,
        id=line.id,
        name=f" “{line.name}”" if line.name else "",
        default=f" ({_PHRASES.say('default', language)})" if line.default else "",
        workspace=line.workspace,
        folder=line.folder,
        index=line.index,
        model=line.model or _PHRASES.say("usual_model", language),
        tools=_tools_in_words(line, language),
        bindings=", ".join(line.bindings) or "-",
    )


def _tools_in_words(line: AgentLine, language: Language) -> str:
    """What is shorter: those it has, or those it has not."""
    if not line.without:
        return _PHRASES.say("all_tools", language)
    if len(line.without) < len(line.tools):
        return _PHRASES.say("all_but", language, names=", ".join(line.without))
    return ", ".join(line.tools) or "-"
