"""`find_files`: names of files in the workspace and in folders that `ToolParts` names.

Names only, never contents. The walk is bounded in entries and time; hidden folders and those that
programs fill (node_modules) are left out, links to folders are not followed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Phrases
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.tools import (
    CancelToken,
    Effect,
    ToolContext,
    ToolInput,
    ToolResult,
    ToolSpec,
)
from moltbot_desktop.tools.origin import is_foreign
from moltbot_desktop.tools.patterns import NamePattern, comparable, pattern_of
from moltbot_desktop.tools.replies import arguments, ask, text_argument

_MOST_FOUND = 30
_MOST_SHOWN = 10
_MOST_ENTRIES = 100_000
_MOST_SECONDS = 3.0
_TOLD_EVERY = 10_000
_DEEPEST = 32
_SKIPPED = frozenset(
    ("node_modules", "__pycache__", "site-packages", "venv", "$recycle.bin", "lost+found")
)

_PHRASES = Phrases(
    {
        "ask": "Which file are you looking for? A part of its name is enough.",
        "none": "I found no file “{pattern}” in my workspace.",
        "found": "I found {count}:\n{lines}",
        "more": "- … and more",
        "looked_at": "Looked at {count:name|names} so far.",
        "cut": "\nThere are very many files; I did not look at all of them.",
    },
    {
        "ask": "要找哪个文件？说出文件名的一部分就行。",
        "none": "工作区里没有找到“{pattern}”。",
        "found": "找到{count}个：\n{lines}",
        "more": "- …还有更多",
        "looked_at": "已经看了{count}个名字。",
        "cut": "\n文件太多，没有全部看完。",
    },
)


@dataclass(frozen=True)
class _Found:
    rank: int
    depth: int
    shown: str


@dataclass
class _Budget:
    """How much longer a walk may go on; `looked_at` is told now and then how many it saw."""

    clock: Clock
    cancel: CancelToken
    until: float
    looked_at: Callable[[int], None]
    entries: int = _MOST_ENTRIES

    def spend(self) -> bool:
        """Count one entry; False when the walk has to end."""
        self.entries -= 1
        if self.entries % 256 == 0 and self.clock.monotonic() > self.until:
            self.entries = -1
        if self.entries > 0 and (_MOST_ENTRIES - self.entries) % _TOLD_EVERY == 0:
            self.looked_at(_MOST_ENTRIES - self.entries)
        return self.entries >= 0 and not self.cancel.cancelled


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []  # a folder we may not read holds nothing for us


def _is_hidden(name: str) -> bool:
    return name.startswith(".") or name.casefold() in _SKIPPED


def _walk(root: Path, budget: _Budget) -> Iterator[Path]:
    """Plain files below `root`, nearest folders first."""
    level = [root]
    for _ in range(_DEEPEST):
        below: list[Path] = []
        for folder in level:
            for entry in _entries(folder):
                if not budget.spend():
                    return
                if _is_hidden(entry.name):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    below.append(Path(entry.path))
                elif entry.is_file(follow_symlinks=False):
                    yield Path(entry.path)
        level = below


def _matches(root: Path, pattern: NamePattern, shown_below: Path, budget: _Budget) -> list[_Found]:
    found = []
    for path in _walk(root, budget):
        relative = path.relative_to(root)
        rank = pattern.rank(comparable(path.name), comparable(relative.as_posix()))
        if rank is not None:
            inside = path.is_relative_to(shown_below)
            shown = path.relative_to(shown_below).as_posix() if inside else str(path)
            found.append(_Found(rank, len(relative.parts), shown))
    return sorted(found, key=lambda hit: (hit.rank, hit.depth, hit.shown))


class FindFiles:
    """Finds files by name."""

    def __init__(self, clock: Clock, more_roots: tuple[Path, ...] = ()) -> None:
        self._clock = clock
        self._more_roots = more_roots

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            "find_files",
            "Find files by name.",
            arguments(("pattern",), pattern=text_argument("a name, part of one, *.pdf")),
            Effect.FILE_FIND,
        )

    def run(self, given: ToolInput, context: ToolContext) -> ToolResult:
        text = given.text("pattern")
        pattern = pattern_of(text)
        if pattern == NamePattern():
            return ask("pattern", _PHRASES.say("ask", context.language))
        until = self._clock.monotonic() + _MOST_SECONDS

        def looked_at(entries: int) -> None:
            context.report(_PHRASES.say("looked_at", context.language, count=entries))

        budget = _Budget(self._clock, context.cancel, until, looked_at)
        found: dict[str, None] = {}
        for root in (context.workspace, *self._more_roots):
            hits = _matches(root, pattern, context.workspace, budget)
            found.update(dict.fromkeys(hit.shown for hit in hits))
        return _result(list(found), text, context, cut=budget.entries < 0)


def _result(found: list[str], text: str, context: ToolContext, *, cut: bool) -> ToolResult:
    language = context.language
    files = found[:_MOST_FOUND]
    data: dict[str, JsonValue] = {"count": len(found), "files": list(files)}
    if cut or len(found) > len(files):
        data["more"] = True
    if found:
        lines = [f"- {name}" for name in found[:_MOST_SHOWN]]
        if len(found) > _MOST_SHOWN:
            lines.append(_PHRASES.say("more", language))
        display = _PHRASES.say("found", language, count=len(found), lines="\n".join(lines))
    else:
        display = _PHRASES.say("none", language, pattern=text[:80])
    if cut:
        display += _PHRASES.say("cut", language)
    workspace = context.workspace.resolve()
    foreign = any(is_foreign(workspace / name, context) for name in files)
    return ToolResult(data, display, private=bool(found), taints=foreign)
