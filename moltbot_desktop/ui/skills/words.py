"""How skills read: a row for each, how it stands, what it needs, what was found in it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from PySide6.QtCore import QCoreApplication

from moltbot_desktop.sdk.panels import Tone
from moltbot_desktop.sdk.skills_desk import (
    Doubt,
    Need,
    NeedKind,
    SkillLine,
    SkillOffer,
    SkillOrigin,
    SkillSheet,
    SkillState,
)
from moltbot_desktop.ui.kit.rows import Row

translate = QCoreApplication.translate

_MOST_DOUBTS = 20
_SYSTEMS = {"linux": "Linux", "darwin": "macOS", "win32": "Windows"}
_TONES = {
    SkillState.READY: Tone.GOOD,
    SkillState.NEW: Tone.BAD,
    SkillState.CHANGED: Tone.BAD,
    SkillState.BROKEN: Tone.BAD,
}


class Act(StrEnum):
    """What a person can do with a skill."""

    TRUST = "trust"
    SWITCH_ON = "on"
    SWITCH_OFF = "off"
    SETTINGS = "settings"
    FOLDER = "folder"
    UNTRUST = "untrust"
    REMOVE = "remove"


def acts_of(line: SkillLine) -> tuple[Act, ...]:
    """What can be done with it as it stands, the likeliest first."""
    whole = line.state is not SkillState.BROKEN
    off = line.state is SkillState.OFF
    offered = (
        (Act.TRUST, whole and not line.trusted),
        (Act.SWITCH_ON, off),
        (Act.SWITCH_OFF, whole and not off),
        (Act.SETTINGS, whole),
        (Act.FOLDER, True),
        (Act.UNTRUST, line.by_word),
        (Act.REMOVE, line.removable),
    )
    return tuple(act for act, there in offered if there)


def act_words(act: Act) -> str:
    """What stands on its button."""
    return {
        Act.TRUST: translate("Skills", "Trust it…"),
        Act.SWITCH_ON: translate("Skills", "Switch on"),
        Act.SWITCH_OFF: translate("Skills", "Switch off"),
        Act.SETTINGS: translate("Skills", "Its settings"),
        Act.FOLDER: translate("Skills", "Open the folder"),
        Act.UNTRUST: translate("Skills", "Trust it no longer"),
        Act.REMOVE: translate("Skills", "Remove"),
    }[act]


def shown_lines(lines: Sequence[SkillLine], searched: str) -> tuple[SkillLine, ...]:
    """Those that have `searched` in them; what waits for the person stands first."""
    wanted = searched.casefold()
    found = [one for one in lines if wanted in _searchable(one).casefold()]
    return tuple(sorted(found, key=lambda one: not one.waits))


def row_of(line: SkillLine) -> Row:
    """Its line in the list."""
    faded = line.state in (SkillState.OFF, SkillState.NEEDS)
    tone = _TONES.get(line.state, Tone.PLAIN)
    detail = line.description or "".join(one.words for one in line.lacks)
    return Row(line.id, line.shown_name, detail, badge_of(line), tone, faded)


def badge_of(line: SkillLine) -> str:
    """How it stands, in a word or two."""
    named = next((one.names[0] for one in line.lacks if one.names), "")
    if line.state is SkillState.NEEDS and named:
        return translate("Skills", "needs {what}").replace("{what}", named)
    return {
        SkillState.READY: translate("Skills", "ready"),
        SkillState.OFF: translate("Skills", "off"),
        SkillState.NEW: translate("Skills", "new"),
        SkillState.CHANGED: translate("Skills", "changed"),
        SkillState.NEEDS: translate("Skills", "not usable"),
        SkillState.BROKEN: translate("Skills", "unreadable"),
    }[line.state]


def state_words(line: SkillLine) -> str:
    """How it stands, and what to do, in whole sentences."""
    return {
        SkillState.READY: translate("Skills", "Ready."),
        SkillState.OFF: translate("Skills", "Switched off: nobody uses it."),
        SkillState.NEW: translate(
            "Skills", "New: it is not used before you trust it. Look at it below, then decide."
        ),
        SkillState.CHANGED: translate(
            "Skills",
            "Changed since you trusted it, so it is not used. Look at what changed, then decide.",
        ),
        SkillState.NEEDS: translate("Skills", "It cannot be used yet."),
        SkillState.BROKEN: translate("Skills", "This is no skill that can be read."),
    }[line.state]


def start_words(line: SkillLine) -> str:
    """How to start it, "" where nobody can."""
    if line.state is not SkillState.READY:
        return ""
    both = translate("Skills", "Write /{command} in the chat, or say what you want.")
    person = translate("Skills", "Write /{command} in the chat; the model never starts it itself.")
    model = translate("Skills", "Say what you want in the chat; a larger model finds it.")
    if not line.command:
        return model if line.by_model else ""
    return (both if line.by_model else person).replace("{command}", line.command)


def origin_words(line: SkillLine) -> str:
    """Where it comes from and lies."""
    return {
        SkillOrigin.BUNDLED: translate("Skills", "Came with the program: {folder}"),
        SkillOrigin.MANAGED: translate("Skills", "Added: {folder}"),
        SkillOrigin.WORKSPACE: translate("Skills", "Yours, in the assistant's folder: {folder}"),
        SkillOrigin.EXTRA: translate("Skills", "From a folder that the settings name: {folder}"),
        SkillOrigin.PLUGIN: translate("Skills", "A plugin brought it: {folder}"),
    }[line.origin].replace("{folder}", str(line.folder))


def need_words(need: Need) -> str:
    """A line for something it needs, and whether that is there."""
    kind = {
        NeedKind.PROGRAM: translate("Skills", "the program {name}"),
        NeedKind.ONE_PROGRAM: translate("Skills", "one of the programs {name}"),
        NeedKind.VARIABLE: translate("Skills", "the variable {name}"),
        NeedKind.SETTING: translate("Skills", "the setting {name}"),
        NeedKind.SYSTEM: translate("Skills", "a computer with {name}"),
    }[need.kind].replace("{name}", _system_names(need))
    there = translate("Skills", "✓ {need}: there")
    missing = translate("Skills", "– {need}: missing")
    return (there if need.there else missing).replace("{need}", kind)


def tool_words(sheet: SkillSheet) -> tuple[str, ...]:
    """Which tools of the assistant it works with."""
    said = []
    if sheet.tool:
        words = translate("Skills", "Its command goes straight to the tool {tool}.")
        said.append(words.replace("{tool}", sheet.tool))
    if sheet.tools:
        words = translate("Skills", "It works with these tools: {tools}.")
        said.append(words.replace("{tools}", ", ".join(sheet.tools)))
    return tuple(said)


def doubt_lines(doubts: Sequence[Doubt]) -> tuple[str, ...]:
    """What was found, the worst first, and how much more there is."""
    lines = [f"{_mark(one)} · {one.words} · {one.place}" for one in doubts[:_MOST_DOUBTS]]
    if len(doubts) > _MOST_DOUBTS:
        more = translate("Skills", "… and {count} more")
        lines.append(more.replace("{count}", str(len(doubts) - _MOST_DOUBTS)))
    return tuple(lines)


def offer_words(offer: SkillOffer) -> str:
    """How much it is, and what would become of one that is there."""
    many = translate("Skills", "{count} files").replace("{count}", str(offer.files))
    said = [translate("Skills", "1 file") if offer.files == 1 else many]
    if offer.same:
        said.append(translate("Skills", "exactly this one is there already"))
    elif offer.replaces:
        said.append(translate("Skills", "takes the place of the one that is there"))
    return " · ".join(said)


def _mark(doubt: Doubt) -> str:
    return f"▲ {doubt.word}" if doubt.danger else doubt.word


def _system_names(need: Need) -> str:
    if need.kind is not NeedKind.SYSTEM:
        return need.name
    return ", ".join(_SYSTEMS.get(one, one) for one in need.name.split(", "))


def _searchable(line: SkillLine) -> str:
    return f"{line.name} {line.title} {line.description} {badge_of(line)} {line.command}"
