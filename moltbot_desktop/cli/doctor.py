"""`moltbot-desktop doctor`: what was found, why it matters, what to do; with --fix, after a yes.

    Exit codes: 0 nothing that asks for anything to be done, 1 something does.

`--json` has one shape: {"ok", "section", "findings": [{"id", "severity", "found", "why", "do",
"facts", "fix"}], "fixed": [command], "failed": [{"fix", "reason"}]}. Only what is new is added.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Protocol, TextIO

from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.cli.terminal_text import shown
from moltbot_desktop.core.error_words import in_words
from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.audit import Finding, Repair, Severity, is_well
from moltbot_desktop.sdk.audit_words import repair_words, words_of

_PHRASES = Phrases(
    {
        "critical": "critical",
        "warning": "warning ",
        "info": "note    ",
        "well": "All is well: I found nothing that makes this unsafe.",
        "well_notes": "All is well; the notes above ask for nothing.",
        "advice": "Needs you: {count:finding|findings}.",
        "advice_fix": "I can mend some of it: moltbot-desktop doctor security --fix",
        "memory": "For the memory: moltbot-desktop memory doctor",
        "would": "This would be done:",
        "ask": "Do it? [y/N] ",
        "left": "Nothing was changed.",
        "done": "Done:",
        "failed": "Not done: {what}: {reason}",
    },
    {
        "critical": "严重",
        "warning": "警告",
        "info": "提示",
        "well": "一切正常：没有发现不安全的地方。",
        "well_notes": "一切正常；上面的提示不需要做什么。",
        "advice": "有 {count} 项需要你处理。",
        "advice_fix": "其中一些我可以修好：moltbot-desktop doctor security --fix",
        "memory": "检查记忆：moltbot-desktop memory doctor",
        "would": "将要做的：",
        "ask": "要做吗？[y/N] ",
        "left": "什么都没有改。",
        "done": "已完成：",
        "failed": "没有做成：{what}：{reason}",
    },
)
_YES = frozenset({"y", "yes", "是", "好", "可以"})


class Doctor(Protocol):
    def examine(self) -> Sequence[Finding]: ...

    def mend(self, repair: Repair) -> None:
        """Raises MoltbotError."""
        ...


def run_doctor(
    doctor: Doctor,
    arguments: Arguments,
    ask: Callable[[str], str],
    language: Language,
    out: TextIO,
) -> int:
    """Look, with `--fix` mend after a yes and look again, and tell it.

    Args:
        ask: shows a question and gives the line that was typed; "" where nobody is there.

    Returns:
        0 when nothing is more than worth knowing (any more), 1 otherwise.
    """
    findings = doctor.examine()
    visit = _Visit(doctor, arguments, language, out)
    if arguments.fix:
        wanted = _repairs(findings)
        if wanted and visit.may(wanted, ask):
            visit.mend(wanted)
            findings = doctor.examine()
    visit.tell(findings)
    return 0 if is_well(tuple(findings)) else 1


def _repairs(findings: Sequence[Finding]) -> tuple[Repair, ...]:
    """Each once: two findings may be mended by one."""
    by_words = {repair_words(one.repair): one.repair for one in findings if one.repair is not None}
    return tuple(by_words.values())


class _Visit:
    def __init__(
        self, doctor: Doctor, arguments: Arguments, language: Language, out: TextIO
    ) -> None:
        self._doctor = doctor
        self._arguments = arguments
        self._language = language
        self._out = out
        self._fixed: list[str] = []
        self._failed: list[tuple[str, str]] = []

    def may(self, wanted: Sequence[Repair], ask: Callable[[str], str]) -> bool:
        """Whether the person wants it; --yes is their word."""
        if self._arguments.yes:
            return True
        if self._arguments.json:
            return False
        self._lines(self._say("would"), *(f"- {shown(repair_words(one))}" for one in wanted))
        if ask(self._say("ask")).strip().lower() in _YES:
            return True
        self._lines(self._say("left"), "")
        return False

    def mend(self, wanted: Sequence[Repair]) -> None:
        for one in wanted:
            try:
                self._doctor.mend(one)
            except MoltbotError as error:
                self._failed.append((repair_words(one), in_words(error, self._language)))
            else:
                self._fixed.append(repair_words(one))

    def tell(self, findings: Sequence[Finding]) -> None:
        if self._arguments.json:
            self._out.write(json.dumps(self._as_json(findings), ensure_ascii=False) + "\n")
            return
        for one in findings:
            words = words_of(one, self._language)
            self._lines(f"{self._say(one.severity)}  {shown(words.found)}  [{one.id}]")
            self._lines(*(f"    {shown(line)}" for line in (words.why, words.do) if line))
        if findings:
            self._lines("")
        if self._fixed:
            self._lines(self._say("done"), *(f"- {shown(one)}" for one in self._fixed), "")
        for what, reason in self._failed:
            self._lines(shown(self._say("failed", what=what, reason=reason)))
        self._lines(*self._summary(findings), self._say("memory"))

    def _summary(self, findings: Sequence[Finding]) -> list[str]:
        if not findings:
            return [self._say("well")]
        serious = [one for one in findings if one.severity is not Severity.INFO]
        if not serious:
            return [self._say("well_notes")]
        lines = [self._say("advice", count=len(serious))]
        if not self._arguments.fix and any(one.repair is not None for one in findings):
            lines.append(self._say("advice_fix"))
        return lines

    def _as_json(self, findings: Sequence[Finding]) -> dict[str, JsonValue]:
        return {
            "ok": is_well(tuple(findings)),
            "section": "security",
            "findings": [self._finding(one) for one in findings],
            "fixed": list(self._fixed),
            "failed": [{"fix": what, "reason": reason} for what, reason in self._failed],
        }

    def _finding(self, finding: Finding) -> dict[str, JsonValue]:
        words = words_of(finding, self._language)
        return {
            "id": finding.id,
            "severity": finding.severity.value,
            "found": words.found,
            "why": words.why,
            "do": words.do,
            "facts": dict(finding.facts),
            "fix": None if finding.repair is None else repair_words(finding.repair),
        }

    def _say(self, key: str, **slots: object) -> str:
        return _PHRASES.say(key, self._language, **slots)

    def _lines(self, *lines: str) -> None:
        self._out.writelines(f"{line}\n" for line in lines)
