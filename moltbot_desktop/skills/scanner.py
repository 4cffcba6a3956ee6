"""Looks through a skill before anybody trusts it, without a network and without running anything.

    report = scan(read_files(folder))
    for one in report.findings:                 # the worst first
        print(one.place, one.severity, finding_words(one, Language.ENGLISH))
    report.worst                                # Severity.HIGH, or None for nothing at all

A skill is text that a model will obey, so what it says matters as much as what its programs do.
The scanner gives its reasons with file and line; it never says that a skill is safe, only that
none of the things it knows was found. `scan_rules` has the patterns.
"""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.skills.scan_rules import COVERS, TEXT_RULES, Severity, is_encoded
from moltbot_desktop.skills.scan_texts import PHRASES
from moltbot_desktop.storage.files import disk_errors

MOST_READ = 1_000_000
"""Bytes of one file that are looked at; what is larger is a finding."""
MOST_FILES = 2_000
_MOST_SCANNED = 4_000_000
"""Bytes of all files together; looking through text that was made to be slow takes seconds."""
_MOST_PER_FILE = 5
"""Findings of one kind in one file; more of the same say nothing new."""
_MOST_FINDINGS = 200
_EXCERPT = 60
_LINE_PIECE = 4_000
_OVERLAP = 400

_PROGRAMS = (b"\x7fELF", b"MZ", b"\xfe\xed\xfa", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")
_PROGRAM_NAMES = frozenset(
    ".exe .dll .so .dylib .com .scr .msi .app .apk .jar .deb .rpm .pyc .class .lnk".split()
)
_SCRIPT_NAMES = frozenset(
    ".sh .bash .zsh .bat .cmd .ps1 .vbs .py .rb .pl .js .mjs .cjs .ts .php .lua".split()
)
_ARCHIVES = (b"PK\x03\x04", b"7z\xbc\xaf\x27\x1c", b"Rar!", b"\x1f\x8b", b"BZh", b"\xfd7zXZ")
_PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF", b"%PDF")
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_JOINER = "\u200d"


@dataclass(frozen=True)
class SkillFile:
    """A file as it lies in a skill's folder.

    Attributes:
        path: below the folder, with ``/``.
        data: its first `MOST_READ` bytes; nothing for what is no regular file.
        size: in bytes.
        runnable: its mode says that it can be executed.
        regular: False for a link, a pipe, a device.
    """

    path: str
    data: bytes
    size: int
    runnable: bool = False
    regular: bool = True


@dataclass(frozen=True)
class Finding:
    """Something a person should know.

    Attributes:
        rule: its kind, a key of the phrases.
        path: below the skill's folder.
        line: from 1; 0 when it is about the file as a whole.
        excerpt: what was found, visible characters only.
    """

    rule: str
    severity: Severity
    path: str
    line: int = 0
    excerpt: str = ""

    @property
    def place(self) -> str:
        """``SKILL.md:12``, as editors understand it."""
        return f"{self.path}:{self.line}" if self.line else self.path


@dataclass(frozen=True)
class ScanReport:
    """What was found, the worst first, and how much was looked at."""

    findings: tuple[Finding, ...]
    files: int
    size: int

    @property
    def worst(self) -> Severity | None:
        return self.findings[0].severity if self.findings else None


def finding_words(finding: Finding, language: Language) -> str:
    """One sentence for a person; begins with a capital, ends with a full stop."""
    return PHRASES.say(finding.rule, language, found=finding.excerpt)


def severity_word(severity: Severity, language: Language) -> str:
    return PHRASES.say(f"severity_{severity.value}", language)


def read_files(folder: Path) -> tuple[SkillFile, ...]:
    """Everything in a skill's folder, sorted by path; follows no link.

    Raises:
        StorageError: the folder or a file in it cannot be read.
    """
    with disk_errors(folder):
        return tuple(sorted(_below(folder, PurePosixPath()), key=lambda file: file.path))


def _below(folder: Path, inside: PurePosixPath) -> Iterator[SkillFile]:
    with os.scandir(folder) as entries:
        for entry in entries:
            path = inside / entry.name
            found = entry.stat(follow_symlinks=False)
            if stat.S_ISDIR(found.st_mode):
                yield from _below(Path(entry.path), path)
            elif stat.S_ISREG(found.st_mode):
                with Path(entry.path).open("rb") as file:
                    data = file.read(MOST_READ)
                runnable = os.name != "nt" and bool(found.st_mode & 0o111)
                yield SkillFile(str(path), data, found.st_size, runnable)
            else:
                yield SkillFile(str(path), b"", 0, regular=False)


def scan(files: Sequence[SkillFile]) -> ScanReport:
    """Look through `files`; pure, and at most a few hundred findings."""
    found: list[Finding] = []
    if len(files) > MOST_FILES:
        found.append(Finding("many_files", Severity.MEDIUM, ".", excerpt=str(len(files))))
    left = _MOST_SCANNED
    for file in files[:MOST_FILES]:
        found += _of_file(replace(file, data=file.data[:left]))
        left = max(0, left - len(file.data))
    found.sort(key=lambda one: (one.severity.order, one.path, one.line, one.rule))
    size = sum(file.size for file in files)
    return ScanReport(tuple(found[:_MOST_FINDINGS]), len(files), size)


def _of_file(file: SkillFile) -> list[Finding]:
    if not file.regular:
        return [Finding("link", Severity.HIGH, file.path)]
    found = [Finding(rule, severity, file.path) for rule, severity in _as_a_whole(file)]
    if any(file.data.startswith(magic) for magic in (*_PROGRAMS, *_ARCHIVES)):
        return found  # said; there are no lines in it
    text = _as_text(file.data)
    if text is None:
        if not any(file.data.startswith(magic) for magic in _PICTURES):
            found.append(Finding("not_text", Severity.LOW, file.path))
        return found
    return found + _of_text(file.path, text)


def _as_a_whole(file: SkillFile) -> Iterator[tuple[str, Severity]]:
    ending = PurePosixPath(file.path).suffix.lower()
    if file.size > len(file.data):
        yield "oversized", Severity.MEDIUM
    if ending in _PROGRAM_NAMES or any(file.data.startswith(magic) for magic in _PROGRAMS):
        yield "program", Severity.HIGH
    elif ending in _SCRIPT_NAMES or file.data.startswith(b"#!") or file.runnable:
        yield "script", Severity.MEDIUM
    if any(file.data.startswith(magic) for magic in _ARCHIVES):
        yield "archive", Severity.MEDIUM


def _as_text(data: bytes) -> str | None:
    """None for what is no text. A byte order mark of UTF-16 has its text read, not passed over."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    if b"\0" in data:
        return None
    text = data.decode("utf-8-sig", "replace")
    return None if text.count("\ufffd") * 10 > len(text) else text


def _of_text(path: str, text: str) -> list[Finding]:
    found: list[Finding] = []
    so_far: Counter[str] = Counter()
    lines = _lines(text)
    for at, (number, line) in enumerate(lines):
        following = lines[at + 1][1] if at + 1 < len(lines) else ""
        for one in _of_line(path, number, line, following):
            so_far[one.rule] += 1
            if so_far[one.rule] <= _MOST_PER_FILE:
                found.append(one)
    return found


def _lines(text: str) -> list[tuple[int, str]]:
    """Lines with their numbers, those that a ``\\`` at the end joins as one."""
    lines: list[tuple[int, str]] = []
    begun: tuple[int, str] | None = None
    for number, line in enumerate(text.splitlines(), 1):
        whole = line if begun is None else f"{begun[1]} {line}"
        first = number if begun is None else begun[0]
        begun = None
        if line.endswith("\\") and len(whole) < _LINE_PIECE:
            begun = (first, whole[:-1])
        else:
            lines.append((first, whole))
    return lines if begun is None else [*lines, begun]


def _of_line(path: str, number: int, line: str, following: str) -> Iterator[Finding]:
    hidden = [match[0] for match in _INVISIBLE.finditer(line) if not _is_emoji(line, match)]
    if hidden:
        codes = " ".join(dict.fromkeys(f"U+{ord(one):04X}" for one in hidden))
        yield Finding("invisible", Severity.HIGH, path, number, _excerpt(codes))
    plain, further = _readable(line), _readable(following)
    said: set[str] = set()
    for rule in TEXT_RULES:
        searched = f"{plain} {further[:_OVERLAP]}" if rule.wrapped else plain
        match = next(
            (
                match
                for piece, begins in _pieces(searched)
                for match in rule.pattern.finditer(piece)
                if begins + match.start() < max(len(plain), 1)
                and (not rule.blob or is_encoded(match[0]))
            ),
            None,
        )
        if match is None or any((first, rule.name) in COVERS for first in said):
            continue
        said.add(rule.name)
        yield Finding(rule.name, rule.severity, path, number, _excerpt(match[0]))


def _pieces(line: str) -> Iterator[tuple[str, int]]:
    """A long line in pieces that overlap, so that no pattern runs for long."""
    for begins in range(0, max(len(line), 1), _LINE_PIECE - _OVERLAP):
        yield line[begins : begins + _LINE_PIECE], begins


def _readable(line: str) -> str:
    """As a person or a model reads it: wide letters as usual ones, nothing hidden between."""
    return unicodedata.normalize("NFKC", _INVISIBLE.sub("", line))


def _is_emoji(line: str, match: re.Match[str]) -> bool:
    """A joiner between two pictures makes one of them (a family), and hides nothing."""
    at = match.start()
    if match[0] != _JOINER or not 0 < at < len(line) - 1:
        return False
    return all(unicodedata.category(one) in ("So", "Sk", "Mn") for one in line[at - 1 : at + 2 : 2])


def _excerpt(text: str) -> str:
    visible = "".join(one if one.isprintable() else " " for one in text)
    shown = " ".join(visible.split())
    return shown if len(shown) <= _EXCERPT else f"{shown[: _EXCERPT - 1]}…"
