"""Every tool that takes a path, with paths that try to leave the workspace.

What lies outside holds canaries: their words must come out of no tool, and nothing outside may
change or come into being. Tools are called without the policy in front of them, which would ask:
what is measured here is the guard alone.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from moltbot_desktop.core.clock import Clock, ManualClock
from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.memory.engine import open_memory
from moltbot_desktop.sdk.memory import MemoryEngine
from moltbot_desktop.sdk.tools import Tool, ToolContext
from moltbot_desktop.security.places import Surroundings, place_of
from moltbot_desktop.security.policy import Place
from moltbot_desktop.tools.apply_patch import ApplyPatch
from moltbot_desktop.tools.browser.saving import files_to_send, free_place
from moltbot_desktop.tools.delete_file import DeleteFile
from moltbot_desktop.tools.edit import Edit
from moltbot_desktop.tools.files import Read, Write
from moltbot_desktop.tools.find_files import FindFiles
from moltbot_desktop.tools.list_folder import ListFolder
from moltbot_desktop.tools.memory import MemoryGet
from moltbot_desktop.tools.move_file import MoveFile
from moltbot_desktop.tools.table_query import TableQuery
from moltbot_desktop.tools.undo import FileHands
from tests.bench.safety_figures import Amount, Row
from tests.bench.safety_path_texts import World, texts
from tests.fakes.tool_context import call, tool_context

CANARY = "CANARY-7f3a"
_EVERYBODYS = "root:x:0:0"
_NOW = datetime(2026, 11, 22, tzinfo=UTC)
_FRESH_EVERY = 150
_INSIDE = frozenset({Place.WORKSPACE, Place.MEMORY_DAILY, Place.PROTECTED})

Call = tuple[Tool, dict[str, str]]
Snapshot = tuple[tuple[str, int, int, int, int], ...]


@dataclass
class Trials:
    """What was tried, and what went wrong."""

    tried: int = 0
    escapes: list[str] = field(default_factory=list)
    untyped: list[str] = field(default_factory=list)


def lay_out(base: Path) -> World:
    """The canary tree, and a workspace with links that lead there."""
    outside, workspace = base / "outside", base / "ws"
    (outside / "sub").mkdir(parents=True)
    for name in ("secret.txt", "sub/x.txt", "sécret.txt", f"{CANARY}.txt"):
        (outside / name).write_text(f"{CANARY}\nsame\n", "utf-8")
    # Another name of this file lies in the workspace: it is read there, and never changed here.
    (outside / "hard.txt").write_text("linked\nsame\n", "utf-8")
    (outside / "table.csv").write_text(f"name,what\na,{CANARY}\n", "utf-8")
    for name in ("home/.ssh/id_rsa", "state/moltbot.json", "secret.txt"):
        path = base / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{CANARY}\nsame\n", "utf-8")
    furnish(workspace, outside)
    return World(outside, workspace)


def furnish(workspace: Path, outside: Path) -> None:
    """The workspace anew."""
    shutil.rmtree(workspace, ignore_errors=True)
    for name in ("notes", "deep", "memory"):
        (workspace / name).mkdir(parents=True)
    for name in ("notes/a.md", "b.txt", "memory/2026-11-22.md", "MEMORY.md"):
        (workspace / name).write_text("mine\nsame\n", "utf-8")
    for name, target in (
        ("out", outside), ("deep/out2", Path("../..")), ("in", Path("notes")),
        ("secret-link", outside / "secret.txt"), ("dangling", outside / "new.txt"),
        ("loop", Path("loop")), ("procroot", Path("/proc/self/root")), ("chain", Path("out")),
        ("proccwd", Path("/proc/self/cwd")), ("memory/link.md", outside / "secret.txt"),
    ):  # fmt: skip
        (workspace / name).symlink_to(target)
    (workspace / "hard.txt").hardlink_to(outside / "hard.txt")


def snapshot(base: Path) -> Snapshot:
    """All that is outside the workspace, with what a change of it would change."""
    found = []
    for folder, folders, names in os.walk(base):
        if Path(folder) == base:
            folders[:] = [one for one in folders if one not in ("ws", "index")]
        for name in (*folders, *names):
            status = os.lstat(Path(folder, name))
            where = f"{folder}/{name}"
            found.append((where, status.st_ino, status.st_size, status.st_mtime_ns, status.st_mode))
    return tuple(sorted(found))


def _patches(text: str) -> Iterator[str]:
    begin, end = "*** Begin Patch\n", "*** End Patch"
    yield f"{begin}*** Add File: {text}\n+x\n{end}"
    yield f"{begin}*** Update File: {text}\n-same\n+other\n{end}"
    yield f"{begin}*** Update File: b.txt\n*** Move to: {text}\n-same\n+other\n{end}"
    yield f"{begin}*** Delete File: {text}\n{end}"


def looks(text: str, clock: Clock, memory: MemoryEngine) -> Iterator[Call]:
    """Every tool that reads, with `text` as its path."""
    yield Read(), {"path": text}
    yield ListFolder(), {"path": text}
    yield TableQuery(), {"path": text}
    yield FindFiles(clock), {"pattern": text}
    yield MemoryGet(memory), {"path": text}


def changes(text: str, hands: FileHands) -> Iterator[Call]:
    """Every tool that writes, with `text` in the place of each of its paths."""
    yield Edit(hands), {"path": text, "oldText": "same", "newText": "other"}
    yield Write(hands), {"path": text, "content": "x"}
    for patch in _patches(text):
        yield ApplyPatch(hands), {"input": patch}
    yield MoveFile(hands), {"path": text, "to": "taken.txt"}
    yield MoveFile(hands), {"path": "notes/a.md", "to": text}
    yield DeleteFile(hands), {"path": text}


def would_stay(world: World, text: str) -> bool:
    """Whether a guard that lets everything through would still harm nothing but our canaries."""
    try:
        naive = os.path.realpath(world.workspace / Path(text).expanduser())
    except (OSError, RuntimeError, ValueError):
        return True
    return Path(naive).is_relative_to(world.workspace.parent)


def try_all(base: Path, made: Callable[[World], Iterable[str]]) -> Trials:
    """Lays the world out in `base`, an empty folder, and tries the texts that `made` makes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(base / "home"))
        return _all_tried(base.resolve(), made)


def _all_tried(base: Path, made: Callable[[World], Iterable[str]]) -> Trials:
    world, trials = lay_out(base), Trials()
    before = snapshot(base)
    hands = FileHands(ManualClock(_NOW))
    around = Surroundings(world.workspace, base / "state", base / "home")
    context = tool_context(world.workspace)
    with closing(open_memory(world.workspace, base / "index", None, hands.clock)) as memory:
        for number, text in enumerate(made(world)):
            if number % _FRESH_EVERY == 0:
                furnish(world.workspace, world.outside)
            tools = list(looks(text, hands.clock, memory))
            if would_stay(world, text):
                tools += changes(text, hands)
            for tool, given in tools:
                name = f"{tool.spec.name} {given}"
                _tried(trials, name, lambda t=tool, g=given: _told(t, g, context))
            _tried(trials, f"upload {text!r}", lambda t=text: _sent(world.workspace, t))
            _tried(trials, f"download {text!r}", lambda t=text: _saved(world.workspace, t))
            _judged(trials, text, around)
            if snapshot(base) != before:
                trials.escapes.append(f"{text!r}: what lies outside was changed")
                before = snapshot(base)
    return trials


def _told(tool: Tool, given: dict[str, str], context: ToolContext) -> str:
    result = call(tool, context, **given)
    return f"{dict(result.data)} {result.display}"


def _sent(workspace: Path, text: str) -> str:
    return " ".join(str(one.data) for one in files_to_send(workspace, [text]))


def _saved(workspace: Path, text: str) -> str:
    place = free_place(workspace, text, text)
    return "" if os.path.realpath(place).startswith(f"{workspace.resolve()}/") else CANARY


def _tried(trials: Trials, name: str, work: Callable[[], str]) -> None:
    trials.tried += 1
    try:
        told = work()
    except MoltbotError:
        return
    except Exception as error:
        trials.untyped.append(f"{name[:200]}: {error!r}"[:400])
        return
    if CANARY in told or _EVERYBODYS in told:
        trials.escapes.append(f"{name[:300]}: {told[:100]}")


def _judged(trials: Trials, text: str, around: Surroundings) -> None:
    """What the policy takes for the workspace lies there."""
    trials.tried += 1
    if place_of(text, around) in _INSIDE:
        real = os.path.realpath(around.workspace / text)
        if not Path(real).is_relative_to(around.workspace.resolve()):
            trials.escapes.append(f"the policy takes {text!r} for a file of the workspace")


def paths(amount: Amount, folder: Path) -> Iterable[Row]:
    count = 12_000 if amount.whole else 500
    trials = try_all(folder, lambda world: texts(world, count, amount.seed))
    for one in (*trials.escapes[:20], *trials.untyped[:20]):
        print(one)
    note = f"{count:,} texts, {trials.tried:,} calls of every tool that takes a path"
    yield Row("paths that try to leave, escapes", len(trials.escapes), 0, "escapes", note)
    yield Row("paths that try to leave, errors of no kind", len(trials.untyped), 0, "errors", note)
