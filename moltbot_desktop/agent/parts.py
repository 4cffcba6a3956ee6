"""What a call needs a yes for, as far as it can be said: programs, folders, sites, tools. Pure but
for looking where paths lead.

    parts_of(tool, call, effect, context, around, judged)
    mark_of(call, around, texts, (rule, labels))        # what a yes is bound to
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.sdk.commands import JudgedCommand, Power
from moltbot_desktop.sdk.permissions import ChangingTool, Kind, Part
from moltbot_desktop.sdk.tools import (
    AnyTool,
    Effect,
    PathNaming,
    ToolContext,
    ToolInput,
)
from moltbot_desktop.security.grants import Asked
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.security.paths import real_path
from moltbot_desktop.security.places import Surroundings, place_of

_ADDRESSES = ("url", "targetUrl")
_VERBS: Mapping[Effect, str] = {Effect.FILE_READ: "read", Effect.FILE_WRITE: "write"}


def path_texts(tool: AnyTool, call: ToolCall, workspace: Path) -> tuple[str, ...]:
    """The paths that a call names, as they are written."""
    names = tool.spec.path_arguments
    texts = [str(call.arguments[name]) for name in names if name in call.arguments]
    if isinstance(tool, PathNaming):
        texts += tool.paths_in(ToolInput(call.arguments), workspace)
    return tuple(texts)


def asked_of(
    tool: AnyTool,
    call: ToolCall,
    effect: Effect,
    context: ToolContext,
    around: Surroundings,
    labels: Labels,
    judged: JudgedCommand | None,
    sites: tuple[str, ...] | None = None,
) -> Asked:
    """The call as grants see it; without parts where nobody can say what it is about.

    Args:
        sites: those that a tool foresaw (`sdk.foreseen`); None: the arguments say them.
    """
    if judged is not None:
        return _of_command(judged, effect, labels)
    verb = _VERBS.get(effect)
    if verb is not None:
        return _of_files(path_texts(tool, call, context.workspace), verb, effect, around, labels)
    if sites is None:
        sites = tuple(
            host for name in _ADDRESSES if (host := _host(call.arguments.get(name))) is not None
        )
    lesser = "" if effect is tool.spec.effect else effect.value
    if sites:
        only = (lesser,) if lesser else ()
        parts = tuple(Part(Kind.SITE, call.name, site, only) for site in sites)
        return Asked(effect, () if "" in sites else parts, labels)
    now = (tool.identity,) if isinstance(tool, ChangingTool) else ()
    return Asked(effect, (Part(Kind.TOOL, call.name, lesser, now),), labels)


def _of_command(judged: JudgedCommand, effect: Effect, labels: Labels) -> Asked:
    if judged.wary or judged.power is Power.NEVER:
        return Asked(effect, (), labels)  # the settings want a card for each
    parts = tuple(
        Part(
            *(Kind.PROGRAM, "exec", str(one.program), one.words, str(judged.folder)),
            *(judged.network, judged.walled),
        )
        for one in judged.programs
    )
    return Asked(effect, parts, labels, settled=all(one.settled for one in judged.programs))


def _of_files(
    texts: Sequence[str], verb: str, effect: Effect, around: Surroundings, labels: Labels
) -> Asked:
    parts = []
    for text in texts:
        path = _real(text, around)
        if path is None:
            return Asked(effect, (), labels)
        parts.append(Part(Kind.FOLDER, verb, str(path)))
    return Asked(effect, tuple(parts), labels)


def _real(text: str, around: Surroundings) -> Path | None:
    path = around.user_home / text[2:] if text == "~" or text.startswith("~/") else Path(text)
    try:
        return real_path(around.workspace / path)
    except (OSError, ValueError, RuntimeError):
        return None


def _host(address: object) -> str | None:
    """ "" for one that is no address; None where there is none."""
    if not isinstance(address, str) or not address:
        return None
    try:
        return (urlsplit(address).hostname or "").rstrip(".").casefold()
    except ValueError:
        return ""


def mark_of(
    call: ToolCall, around: Surroundings, texts: Sequence[str], seen: Sequence[object]
) -> str:
    """A hash of the tool, its arguments in one form, where it works, what its paths really are,
    and whatever else was seen: a yes is to this alone (R4)."""
    places = [(text, str(_real(text, around)), place_of(text, around).value) for text in texts]
    arguments = json.dumps(call.arguments, sort_keys=True, ensure_ascii=False, default=dict)
    whole = (call.name, arguments, str(around.workspace), places, *map(repr, seen))
    return hashlib.sha256(repr(whole).encode("utf-8", "surrogatepass")).hexdigest()
