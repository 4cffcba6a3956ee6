"""Names of tools in the settings: groups, profiles, wildcards, and what else a tool is called.

    expanded(("group:fs", "bash"))      # ("read", "write", "edit", "apply_patch", ..., "exec")
    matches("memory_search", ("memory_*",))

Groups, profiles and aliases are the reference's. Tools that only this program has stand in the
group of their kind, so that a person who wrote ``deny: ["group:memory"]`` means all of memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

_ALIASES = MappingProxyType({"bash": "exec", "apply-patch": "apply_patch"})
PLUGINS = "group:plugins"
"""All tools of plugins."""
_ALL = ("group:moltbot", "group:clawdbot", "group:openclaw")

GROUPS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "group:memory": ("memory_search", "memory_get", "memory_store", "memory_forget"),
        "group:web": ("web_search", "web_fetch"),
        "group:fs": (
            *("read", "write", "edit", "apply_patch", "find_files"),
            *("move_file", "delete_file", "list", "undo", "table_query"),
        ),
        "group:runtime": ("exec", "process"),
        "group:sessions": (
            *("sessions_list", "sessions_history", "sessions_send", "sessions_spawn"),
            "session_status",
        ),
        "group:ui": (
            *("browser", "canvas", "clipboard", "desktop", "notify", "open", "screenshot"),
        ),
        "group:automation": ("cron", "gateway"),
        "group:messaging": ("message",),
        "group:nodes": ("nodes",),
        "group:reminders": ("reminder_add", "reminder_list", "reminder_cancel"),
    }
)
_ALONE = ("agents_list", "calc", "find_tool", "image", "tts", "weather_query", "whatsapp_login")
KNOWN = frozenset(name for group in GROUPS.values() for name in group) | frozenset(_ALONE)
"""Tools of this program and of the reference, whether this build has them or not: an allow list
that names one of them means something."""

PROFILES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "minimal": ("session_status",),
        "coding": ("group:fs", "group:runtime", "group:sessions", "group:memory", "image"),
        "messaging": (
            *("group:messaging", "sessions_list", "sessions_history", "sessions_send"),
            "session_status",
        ),
        "full": (),
    }
)
"""What each ready-made choice allows; nothing written is everything."""

NOT_FOR_HELPERS = (
    *("sessions_list", "sessions_history", "sessions_send", "sessions_spawn", "session_status"),
    *("gateway", "agents_list", "whatsapp_login", "cron", "clipboard", "notify"),
    *GROUPS["group:memory"],
    *GROUPS["group:reminders"],
)
"""What a sub-agent never has. Beside the reference's list the tools of ours that read or change
what is the owner's alone."""


def normalised(name: str) -> str:
    """``Bash`` is ``exec``."""
    lowered = name.strip().lower()
    return _ALIASES.get(lowered, lowered)


def expanded(names: Iterable[str]) -> tuple[str, ...]:
    """`names` in lower case, aliases resolved, each group replaced by what is in it."""
    found: dict[str, None] = {}
    for name in map(normalised, names):
        if name in _ALL:
            found.update(dict.fromkeys(sorted(KNOWN)))
        elif name:
            found.update(dict.fromkeys(GROUPS.get(name, (name,))))
    return tuple(found)


def matches(tool: str, names: Iterable[str]) -> bool:
    """Whether one of `names` (expanded) is `tool` (normalised) or covers it with a ``*``."""
    return any(name == tool or ("*" in name and _covers(name, tool)) for name in names)


def means_something(names: Iterable[str]) -> bool:
    """Whether one of `names` (expanded) is, or covers, a tool that is known; a list of nothing
    but a plugin's tools, or of slips, is not meant to take everything else away."""
    return any(
        name != PLUGINS and any(matches(known, (name,)) for known in KNOWN) for name in names
    )


def _covers(pattern: str, tool: str) -> bool:
    words = (re.escape(word) for word in pattern.split("*"))
    return re.fullmatch(".*".join(words), tool) is not None
