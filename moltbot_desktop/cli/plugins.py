"""`moltbot-desktop plugins ...`: what is shown of plugins."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TextIO

from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonObject, JsonValue

_PHRASES = Phrases(
    {
        "none": "There are no plugins.\n",
        "on": "on",
        "off": "off",
        "broken": "cannot be used",
        "from": "from: {origin}, {location}\n",
        "settings": "settings: plugins.entries.{id}.config\n",
        "why": "why: {reason}\n",
        "todo": "to do: {hint}\n",
        "rights": "It runs with all the rights of the program: {location}\n",
        "enabled": "“{id}” is switched on.\n",
        "disabled": "“{id}” is switched off.\n",
        "trusted": "“{id}” is taken as it is now; when its files change I ask again.\n",
        "not_trusted": "“{id}” stays off.\n",
        "as_before": "“{id}” is as you switched it on, or is off.\n",
        "installed": "“{id}” lies in {location} and is off. plugins enable {id} switches it on.\n",
        "removed": "“{id}” is gone: {location}\n",
        "renewed": "“{id}” is renewed.\n",
        "failed": "“{id}” cannot be used: {reason}\n",
        "none_on": "No plugin is on.\n",
        "made": "“{id}” lies in {location}. plugins enable {id} switches it on.\n",
        "checked": "{path}: {drawn:field|fields} drawn, {raw} as JSON, {errors:mistake|mistakes}\n",
        "no_manifests": "There is no manifest in {folder}.\n",
    },
    {
        "none": "没有插件。\n",
        "on": "开",
        "off": "关",
        "broken": "不能用",
        "from": "来自：{origin}，{location}\n",
        "settings": "设置：plugins.entries.{id}.config\n",
        "why": "原因：{reason}\n",
        "todo": "要做的：{hint}\n",
        "rights": "它拥有本程序的全部权限：{location}\n",
        "enabled": "“{id}”已打开。\n",
        "disabled": "“{id}”已关闭。\n",
        "trusted": "已接受“{id}”现在的样子；它的文件再有改动时会再问你。\n",
        "not_trusted": "“{id}”仍然是关的。\n",
        "as_before": "“{id}”和你打开时一样，或者是关的。\n",
        "installed": "“{id}”放在 {location}，还是关的。用 plugins enable {id} 打开。\n",
        "removed": "“{id}”已删除：{location}\n",
        "renewed": "“{id}”已更新。\n",
        "failed": "“{id}”不能用：{reason}\n",
        "none_on": "没有开着的插件。\n",
        "made": "“{id}”放在 {location}。用 plugins enable {id} 打开。\n",
        "checked": "{path}：画出 {drawn} 个字段，{raw} 个按 JSON 编辑，{errors} 个错误\n",
        "no_manifests": "{folder} 里没有清单。\n",
    },
)
_MARKS = {"on": "✓", "off": "·", "broken": "✗"}


@dataclass(frozen=True)
class PluginLine:
    """A plugin as it is shown.

    Attributes:
        status: on, off or broken; `reason` says why and `hint` what to do.
        mistakes: path and sentence of each that is in its manifest or settings.
    """

    id: str
    name: str
    version: str
    description: str
    kind: str
    origin: str
    location: str
    status: str
    reason: str
    hint: str = ""
    mistakes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class CheckedManifest:
    """What `plugins check` found of one manifest.

    Attributes:
        path: of the manifest.
        drawn: paths of the settings that have a field of their own.
        raw: those that are edited as JSON, with the reason.
        errors: what is wrong with the manifest or its schema.
    """

    path: str
    drawn: tuple[str, ...]
    raw: tuple[tuple[str, str], ...]
    errors: tuple[str, ...]

    def as_json(self) -> JsonObject:
        return {
            "path": self.path,
            "drawn": list(self.drawn),
            "raw": [{"path": path, "reason": reason} for path, reason in self.raw],
            "errors": list(self.errors),
        }


def list_plugins(
    lines: Sequence[PluginLine],
    notes: Sequence[str],
    as_json: bool,
    language: Language,
    out: TextIO,
) -> int:
    """Print them all, and `notes` about the settings as a whole."""
    if as_json:
        out.write(json.dumps([asdict(one) for one in lines], ensure_ascii=False, indent=2) + "\n")
        return 0
    if not lines:
        out.write(_PHRASES.say("none", language))
    for one in lines:
        said = one.reason if one.status == "broken" else one.description or one.name
        state = _PHRASES.say(one.status, language)
        out.write(f"{_MARKS[one.status]} {one.id} ({state}): {said}\n")
        about = f"  {one.origin} · {one.location}"
        out.write(f"{about} · {one.reason}\n" if one.status == "off" else f"{about}\n")
        if one.hint:
            out.write(f"  {one.hint}\n")
    out.writelines(f"{note}\n" for note in notes)
    return 0


def show_plugin(one: PluginLine, as_json: bool, language: Language, out: TextIO) -> int:
    """Print all about one."""
    if as_json:
        out.write(json.dumps(asdict(one), ensure_ascii=False, indent=2) + "\n")
        return 0
    state = _PHRASES.say(one.status, language)
    out.write(f"{one.name or one.id} {one.version}".rstrip() + f" ({state})\n")
    if one.description:
        out.write(f"{one.description}\n")
    out.write(_PHRASES.say("from", language, origin=one.origin, location=one.location))
    out.write(_PHRASES.say("settings", language, id=one.id))
    out.write(_PHRASES.say("why", language, reason=one.reason))
    out.writelines(f"  {path}: {message}\n" for path, message in one.mistakes)
    if one.hint:
        out.write(_PHRASES.say("todo", language, hint=one.hint))
    return 0


def told_done(done: str, one: PluginLine, as_json: bool, language: Language, out: TextIO) -> int:
    """Print what was done (``enabled``, ``disabled``, ``installed``, ``removed``, ``made``)."""
    if as_json:
        told = {"id": one.id, "done": done, "location": one.location}
        out.write(json.dumps(told, ensure_ascii=False) + "\n")
        return 0
    out.write(_PHRASES.say(done, language, id=one.id, location=one.location))
    if done == "enabled" and one.origin != "bundled":
        out.write(_PHRASES.say("rights", language, location=one.location))
    return 0


def show_reloaded(told: JsonValue, as_json: bool, language: Language, out: TextIO) -> int:
    """Print what the running program answered to ``plugins.reload``; 1 when one cannot be used."""
    rows = told.get("plugins") if isinstance(told, Mapping) else None
    plugins = [one for one in rows if isinstance(one, Mapping)] if isinstance(rows, list) else []
    if as_json:
        out.write(json.dumps(told, ensure_ascii=False) + "\n")
    elif not plugins:
        out.write(_PHRASES.say("none_on", language))
    for one in () if as_json else plugins:
        key = "renewed" if one.get("status") == "on" else "failed"
        out.write(_PHRASES.say(key, language, id=one.get("id"), reason=one.get("reason")))
        if one.get("hint"):
            out.write(_PHRASES.say("todo", language, hint=one.get("hint")))
    return int(any(one.get("status") != "on" for one in plugins))


def show_checked(
    found: Sequence[CheckedManifest], folder: str, as_json: bool, language: Language, out: TextIO
) -> int:
    """Print what was found of each manifest; 1 when there is a mistake in any."""
    if as_json:
        told = [one.as_json() for one in found]
        out.write(json.dumps(told, ensure_ascii=False, indent=2) + "\n")
    elif not found:
        out.write(_PHRASES.say("no_manifests", language, folder=folder))
    for one in () if as_json else found:
        counts = {"drawn": len(one.drawn), "raw": len(one.raw), "errors": len(one.errors)}
        out.write(_PHRASES.say("checked", language, path=one.path, **counts))
        out.writelines(f"  {path}: {reason}\n" for path, reason in one.raw)
        out.writelines(f"  ✗ {error}\n" for error in one.errors)
    return 1 if any(one.errors for one in found) else 0
