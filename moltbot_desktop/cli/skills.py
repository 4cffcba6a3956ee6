"""`moltbot-desktop skills list|info|check|scan|install|remove|undo|new`: what is shown.

Texts of a skill are anybody's, so control characters never reach the terminal.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TextIO

from moltbot_desktop.cli.skills_texts import PHRASES
from moltbot_desktop.cli.terminal_text import shown as harmless
from moltbot_desktop.core.i18n import Language

_HIGH = "high"


@dataclass(frozen=True)
class SkillLine:
    """One skill as a list shows it.

    Attributes:
        source: bundled, managed, workspace, extra or plugin; "" when it cannot be read.
        problem: why it cannot be used, "" when it can; `hint` says what to do.
        command: what a person types to start it, without the slash; "" when nobody can.
    """

    name: str
    description: str
    location: str
    problem: str = ""
    hint: str = ""
    source: str = ""
    command: str = ""


@dataclass(frozen=True)
class FindingLine:
    """Something the scanner found: where, how bad (high, medium, low), in words."""

    place: str
    severity: str
    word: str
    text: str


@dataclass(frozen=True)
class RemarkLine:
    """Something to mend in a skill; `serious`: it will not work as it stands."""

    text: str
    hint: str
    serious: bool = False


@dataclass(frozen=True)
class SkillSheet:
    """All about one skill.

    Attributes:
        needs: what must be there, by kind (bins, anyBins, env, config, os).
        install: ways to get what is missing, to be carried out by the person.
        tool: where its command goes straight to, "" for the model.
        files: how many it has.
    """

    line: SkillLine
    needs: Mapping[str, Sequence[str]] = field(default_factory=dict)
    install: tuple[str, ...] = ()
    tool: str = ""
    files: int = 0
    findings: tuple[FindingLine, ...] = ()
    remarks: tuple[RemarkLine, ...] = ()

    @property
    def passes(self) -> bool:
        """Whether it can be read, and nothing serious and nothing dangerous is known of it."""
        serious = not self.line.source or any(one.serious for one in self.remarks)
        return not serious and all(one.severity != _HIGH for one in self.findings)


@dataclass(frozen=True)
class Shown:
    """Where and how to say things."""

    language: Language
    as_json: bool
    out: TextIO

    def say(self, key: str, **slots: object) -> None:
        shown = {name: harmless(str(value)) for name, value in slots.items()}
        if " " in shown.get("name", ""):
            shown["typed"] = f'"{shown["name"]}"'
        shown.setdefault("typed", shown.get("name", ""))
        self.out.write(PHRASES.say(key, self.language, **shown) + "\n")

    def json(self, value: object) -> None:
        self.out.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def list_skills(lines: Sequence[SkillLine], shown: Shown) -> int:
    """Print them, usable ones first."""
    if shown.as_json:
        shown.json([asdict(line) for line in lines])
        return 0
    if not lines:
        shown.say("none")
    for line in sorted(lines, key=lambda line: (bool(line.problem), line.name)):
        mark = "✗" if line.problem else "✓"
        key = "line_not" if line.problem else "line"
        about = line.problem or line.description
        shown.say(key, mark=mark, name=line.name, about=about, source=_source(line, shown),
                  location=line.location)  # fmt: skip
        if line.hint:
            shown.say("hint", hint=line.hint)
    return 0


def show_skill(sheet: SkillSheet, shown: Shown) -> int:
    """`skills info`: all about one."""
    if shown.as_json:
        shown.json({**asdict(sheet.line), **_details(sheet)})
        return 0
    line = sheet.line
    shown.say("title", name=line.name, description=line.description)
    if line.problem:
        shown.say("not_usable", problem=line.problem)
        shown.say("hint", hint=line.hint)
    else:
        shown.say("usable")
    if line.command:
        key = "command_tool" if sheet.tool else "command"
        shown.say(key, command=line.command, tool=sheet.tool)
    for kind, names in sheet.needs.items():
        shown.say(f"needs_{kind}", names=", ".join(names))
    if sheet.install:
        shown.say("to_install")
        for way in sheet.install:
            shown.say("way", way=way)
    shown.say("where", location=line.location, source=_source(line, shown), files=sheet.files)
    _remarks(sheet, shown)
    return 0


def told_checked(sheets: Sequence[SkillSheet], shown: Shown) -> int:
    """`skills check`: 1 when something of them does not work or is dangerous."""
    if shown.as_json:
        shown.json([{**asdict(one.line), **_details(one)} for one in sheets])
    else:
        if not sheets:
            shown.say("none")
        for sheet in sheets:
            usable = not sheet.line.problem
            shown.say("checked", mark=_mark(sheet), name=sheet.line.name)
            if not usable:
                shown.say("remark", text=sheet.line.problem)
                shown.say("hint", hint=sheet.line.hint)
            _remarks(sheet, shown)
    return int(not all(one.passes for one in sheets))


def told_scanned(findings: Sequence[FindingLine], files: int, shown: Shown) -> int:
    """`skills scan`: 1 when something dangerous was found."""
    if shown.as_json:
        shown.json([asdict(one) for one in findings])
    else:
        shown.say("looked_at", files=files)
        told_findings(findings, shown)
    return int(any(one.severity == _HIGH for one in findings))


def told_findings(findings: Sequence[FindingLine], shown: Shown) -> None:
    for one in findings:
        shown.say("finding", place=one.place, word=one.word, text=one.text)
    shown.say("no_proof" if findings else "nothing_found")


def _mark(sheet: SkillSheet) -> str:
    """Whether it is as it should be; a dash for one that only cannot be used here and now."""
    if not sheet.passes:
        return "✗"
    return "–" if sheet.line.problem else "✓"


def _remarks(sheet: SkillSheet, shown: Shown) -> None:
    for remark in sheet.remarks:
        shown.say("remark", text=remark.text)
        shown.say("hint", hint=remark.hint)
    for one in sheet.findings:
        shown.say("finding", place=one.place, word=one.word, text=one.text)


def _details(sheet: SkillSheet) -> Mapping[str, object]:
    whole = asdict(sheet)
    del whole["line"]
    return {"eligible": not sheet.line.problem, "passes": sheet.passes, **whole}


def _source(line: SkillLine, shown: Shown) -> str:
    return PHRASES.say(f"source_{line.source or 'broken'}", shown.language)
