"""Older names of settings, understood at once and written anew by `config migrate`.

    migrated({"routing": {"queue": {"mode": "steer"}}}).raw   # {"messages": {"queue": ...}}

What stands under the new name wins over what stands under the old one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import cast

from moltbot_desktop.core.json import JsonObject, JsonValue

_CHANNELS = "whatsapp telegram discord slack signal imessage msteams".split()

_MOVES: tuple[tuple[str, str], ...] = (
    ("routing.bindings", "bindings"),
    ("routing.queue", "messages.queue"),
    ("routing.allowFrom", "channels.whatsapp.allowFrom"),
    ("routing.agentToAgent", "tools.agentToAgent"),
    ("routing.groupChat.requireMention", "channels.whatsapp.groups.*.requireMention"),
    ("routing.groupChat", "messages.groupChat"),
    ("routing.transcribeAudio", "tools.media.audio.models"),
    ("agent.tools", "tools"),
    ("agent.elevated", "tools.elevated"),
    ("agent.bash", "tools.exec"),
    ("tools.bash", "tools.exec"),
    ("agent.sandbox.tools", "tools.sandbox.tools"),
    ("agent.subagents.tools", "tools.subagents.tools"),
    ("agent.modelFallbacks", "agents.defaults.model.fallbacks"),
    ("agent.imageModelFallbacks", "agents.defaults.imageModel.fallbacks"),
    ("agent", "agents.defaults"),
    ("messages.queue.byProvider", "messages.queue.byChannel"),
    ("gateway.token", "gateway.auth.token"),
    ("session.idleMinutes", "session.reset.idleMinutes"),
    *((name, f"channels.{name}") for name in _CHANNELS),
)
"""Old path, new path; those further in come first."""


@dataclass(frozen=True)
class Moved:
    """A setting under an older name: the path it stands at, and the one it has now."""

    old: str
    new: str


@dataclass(frozen=True)
class Migrated:
    """`raw` with the new names only, and what had to be moved for it."""

    raw: JsonObject
    moved: tuple[Moved, ...]


def migrated(raw: JsonObject) -> Migrated:
    """`raw` in the names of today; `raw` itself stays as it is."""
    tree = _copy(raw)
    moved: list[Moved] = []
    _agents_of_routing(tree, moved)
    _model_as_text(tree)
    for old, new in _MOVES:
        if old == "session.idleMinutes":
            _idle_alone(tree)
        _move(tree, old, new, moved)
    _identity(tree, moved)
    for path, names in _IN_LISTS.items():
        _rename_in_list(tree, path, names, moved)
    if tree.get("routing") == {}:
        del tree["routing"]
    return Migrated(tree, tuple(moved))


_Tree = dict[str, JsonValue]


def _copy(raw: JsonObject) -> _Tree:
    return {name: _copied(value) for name, value in raw.items()}


def _copied(value: JsonValue) -> JsonValue:
    if isinstance(value, Mapping):
        return _copy(value)
    return [_copied(item) for item in value] if isinstance(value, list) else value


def _group_at(tree: _Tree, path: list[str], *, make: bool) -> _Tree | None:
    group = tree
    for name in path:
        inner = group.setdefault(name, {}) if make else group.get(name)
        if not isinstance(inner, dict):
            return None
        group = cast(_Tree, inner)
    return group


def _move(tree: _Tree, old: str, new: str, moved: list[Moved]) -> None:
    *groups, name = old.split(".")
    source = _group_at(tree, groups, make=False)
    if source is None or name not in source:
        return
    value = source[name]
    *groups, target_name = new.split(".")
    # What is in the way is no group: the old one stays where it is and is told as unknown.
    del source[name]
    target = _group_at(tree, groups, make=True)
    if target is None:
        source[name] = value
        return
    target[target_name] = _under(value, target[target_name]) if target_name in target else value
    moved.append(Moved(old, new))


def _under(old: JsonValue, new: JsonValue) -> JsonValue:
    """What the new name says, with what only the old one does."""
    if not isinstance(old, Mapping) or not isinstance(new, Mapping):
        return new
    kept = {name: _under(old[name], value) if name in old else value for name, value in new.items()}
    return {**old, **kept}


def _agents_of_routing(tree: _Tree, moved: list[Moved]) -> None:
    """``routing.agents: {work: {…}}`` and ``routing.defaultAgentId``."""
    routing = _group_at(tree, ["routing"], make=False)
    agents = tree.get("agents", {})
    if routing is None or not isinstance(agents, dict):
        return
    listed = agents.get("list", [])
    old = routing.get("agents", {})
    chosen = routing.get("defaultAgentId")
    if not isinstance(listed, list) or not isinstance(old, dict):
        return
    entries = [dict(one) if isinstance(one, Mapping) else one for one in listed]
    known = {one.get("id"): one for one in entries if isinstance(one, dict)}
    for name, value in old.items():
        own: _Tree = dict(value) if isinstance(value, Mapping) else {}
        if name in known:
            known[name].update({key: item for key, item in own.items() if key not in known[name]})
        else:
            known[name] = {"id": name, **own}
            entries.append(known[name])
    if isinstance(chosen, str) and not any(one.get("default") for one in known.values()):
        if chosen not in known:
            known[chosen] = {"id": chosen}
            entries.append(known[chosen])
        known[chosen]["default"] = True
    for name in ("agents", "defaultAgentId"):
        if name in routing:
            del routing[name]
            moved.append(Moved(f"routing.{name}", "agents.list"))
            tree["agents"] = {**agents, "list": cast(JsonValue, entries)}


def _identity(tree: _Tree, moved: list[Moved]) -> None:
    """The one agent's identity goes to the default agent."""
    identity = tree.get("identity")
    if not isinstance(identity, dict):
        return
    agents = _group_at(tree, ["agents"], make=True)
    listed = agents.setdefault("list", []) if agents is not None else None
    if not isinstance(listed, list):
        return
    entries = [one for one in listed if isinstance(one, dict)]
    chosen = next((one for one in entries if one.get("default") is True), None)
    chosen = chosen or next(iter(entries), None)
    if chosen is None:
        chosen = {"id": "main", "default": True}
        listed.append(chosen)
    del tree["identity"]
    chosen["identity"] = _under(cast(JsonValue, identity), chosen.get("identity", {}))
    moved.append(Moved("identity", "agents.list[].identity"))


def _model_as_text(tree: _Tree) -> None:
    """``agent.model: "x"`` beside its fallbacks becomes a group both can stand in."""
    agent = _group_at(tree, ["agent"], make=False)
    for name in ("model", "imageModel"):
        if agent and isinstance(agent.get(name), str) and f"{name}Fallbacks" in agent:
            agent[name] = {"primary": agent[name]}


def _idle_alone(tree: _Tree) -> None:
    """The old setting alone meant: only after a pause, not every day."""
    session = _group_at(tree, ["session"], make=False)
    if session and "idleMinutes" in session and not session.keys() & {"reset", "resetByType"}:
        session["reset"] = {"mode": "idle"}


_IN_LISTS: Mapping[str, tuple[tuple[str, str], ...]] = MappingProxyType(
    {
        "bindings": (("accountID", "accountId"), ("provider", "channel")),
        "session.sendPolicy.rules": (("provider", "channel"), ("surface", "channel")),
    }
)
"""List of things with a `match` -> old and new names in it."""


def _rename_in_list(
    tree: _Tree, path: str, names: tuple[tuple[str, str], ...], moved: list[Moved]
) -> None:
    *groups, last = path.split(".")
    group = _group_at(tree, groups, make=False)
    items = group.get(last) if group else None
    for number, item in enumerate(items if isinstance(items, list) else ()):
        match = item.get("match") if isinstance(item, dict) else None
        for old, new in names:
            if isinstance(match, dict) and old in match:
                match.setdefault(new, match.pop(old))
                place = f"{path}[{number}].match"
                moved.append(Moved(f"{place}.{old}", f"{place}.{new}"))
