"""`moltbot-desktop hooks list|info|enable|disable`: what is shown of hooks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TextIO

from moltbot_desktop.core.i18n import Language, Phrases

_PHRASES = Phrases(
    {
        "none": "There are no hooks.\n",
        "off_all": "Hooks are switched off as a whole; hooks enable NAME switches them on.\n",
        "on": "on",
        "off": "off",
        "source": "from: {source}\n",
        "events": "events: {events}\n",
        "enabled": "“{name}” is on from the next start.\n",
        "disabled": "“{name}” is off from the next start.\n",
        "rights": "It runs with all the rights of the program: {path}\n",
    },
    {
        "none": "没有钩子。\n",
        "off_all": "钩子总开关是关的；用 hooks enable 名字 打开。\n",
        "on": "开",
        "off": "关",
        "source": "来自：{source}\n",
        "events": "事件：{events}\n",
        "enabled": "“{name}”下次启动时打开。\n",
        "disabled": "“{name}”下次启动时关闭。\n",
        "rights": "它拥有本程序的全部权限：{path}\n",
    },
)


@dataclass(frozen=True)
class HookLine:
    """One hook as it is shown; `problem` says why it cannot be used, `about` is its HOOK.md."""

    name: str
    description: str
    source: str
    events: tuple[str, ...]
    location: str
    enabled: bool
    problem: str = ""
    about: str = ""


def list_hooks(
    lines: Sequence[HookLine], switched_on: bool, as_json: bool, language: Language, out: TextIO
) -> int:
    """Print them all; `switched_on` is the switch of hooks as a whole."""
    if as_json:
        out.write(json.dumps([asdict(line) for line in lines], ensure_ascii=False, indent=2) + "\n")
        return 0
    if not lines:
        out.write(_PHRASES.say("none", language))
    for line in lines:
        mark = "✗" if line.problem else "✓"
        state = _PHRASES.say("on" if line.enabled else "off", language)
        out.write(f"{mark} {line.name} ({state}): {line.problem or line.description}\n")
        out.write(f"  {', '.join(line.events)} · {line.source} · {line.location}\n")
    if not switched_on:
        out.write(_PHRASES.say("off_all", language))
    return 0


def show_hook(line: HookLine, as_json: bool, language: Language, out: TextIO) -> int:
    """Print all about one."""
    if as_json:
        out.write(json.dumps(asdict(line), ensure_ascii=False, indent=2) + "\n")
        return 0
    state = _PHRASES.say("on" if line.enabled else "off", language)
    out.write(f"{line.name} ({state}): {line.problem or line.description}\n")
    out.write(_PHRASES.say("events", language, events=", ".join(line.events)))
    out.write(_PHRASES.say("source", language, source=f"{line.source}, {line.location}"))
    if line.about:
        out.write(f"\n{line.about}\n")
    return 0


def told_switched(line: HookLine, on: bool, as_json: bool, language: Language, out: TextIO) -> int:
    """Print that it was switched."""
    if as_json:
        out.write(json.dumps({"name": line.name, "enabled": on}, ensure_ascii=False) + "\n")
        return 0
    out.write(_PHRASES.say("enabled" if on else "disabled", language, name=line.name))
    if on and line.source != "bundled":
        out.write(_PHRASES.say("rights", language, path=line.location))
    return 0
