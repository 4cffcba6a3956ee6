"""Everything memory reads, by the path a person sees.

    MEMORY.md, memory/2026-01-05.md      the workspace's own: read and written
    notes/plan.md, /home/anna/x.md       below `MemoryPlan.extra_paths`: read only
    sessions/<id>.jsonl                  a past conversation, as lines of what was said: read only

Looking (`stamps`) costs no reading. Reading goes through `open_below`, so that what is shown is
what was listed even if somebody puts a link in its place meanwhile.
"""

from __future__ import annotations

import stat
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath

from moltbot_desktop.core.errors import StorageError, UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.memory.extra_paths import ExtraPath
from moltbot_desktop.memory.files import (
    FOLDER,
    ROOTS,
    MemoryText,
    memory_path,
    not_memory,
    own_name,
    plain_path,
    read_from,
)
from moltbot_desktop.memory.opening import open_below
from moltbot_desktop.memory.plan import MemoryPlan
from moltbot_desktop.memory.scan import (
    Seen,
    Stamp,
    file_stamp,
    is_note,
    mode_of,
    resolved,
    scan_folder,
)
from moltbot_desktop.memory.texts import NOTES
from moltbot_desktop.sdk.conversations import Conversations, SpokenLine
from moltbot_desktop.storage.files import disk_errors

SESSIONS = "sessions"
_TRANSCRIPT = ".jsonl"


def is_conversation(name: str) -> bool:
    """Whether the path is a past conversation's; no note can have it."""
    return name.startswith(f"{SESSIONS}/") and name.endswith(_TRANSCRIPT)


def source_of(name: str) -> str:
    """``memory`` or ``sessions``, as in `sdk.memory.SearchHit`."""
    return "sessions" if is_conversation(name) else "memory"


class Sources:
    """The files and conversations of one memory. Reads nothing by itself; safe on any thread."""

    def __init__(
        self,
        workspace: Path,
        plan: MemoryPlan | None = None,
        conversations: Conversations | None = None,
    ) -> None:
        self._workspace = workspace
        self.plan = plan or MemoryPlan()
        self._conversations = conversations if self.plan.conversations else None
        self._extra = tuple(ExtraPath(path, self._shown(path)) for path in self.plan.extra_paths)

    def _shown(self, path: Path) -> str:
        if path == self._workspace:
            return ""
        if path.is_relative_to(self._workspace):
            return path.relative_to(self._workspace).as_posix()
        return path.as_posix()

    # ---------------------------------------------------------------- looking

    def stamps(self) -> dict[str, Stamp]:
        """Every source's path and stamp, in no order; folders that cannot be read are left out."""
        found: dict[str, Stamp] = {}
        if self.plan.notes:
            seen = Seen()
            self._scan_own(seen, found)
            for extra in self._extra:
                extra.scan(seen, found)
        if self._conversations is not None:
            for name, stamp in self._conversations.stamps().items():
                found[f"{SESSIONS}/{name}"] = stamp
        return found

    def stamps_of(self, names: Iterable[str]) -> dict[str, Stamp]:
        """Those of `names` that are sources now; as `stamps`, without looking at other notes."""
        wanted = set(names)
        found: dict[str, Stamp] = {}
        if self.plan.notes:
            for name in wanted:
                stamp = self._stamp_of(name)
                if stamp is not None:
                    found[name] = stamp
        if self._conversations is not None and any(map(is_conversation, wanted)):
            for name, stamp in self._conversations.stamps().items():
                if f"{SESSIONS}/{name}" in wanted:
                    found[f"{SESSIONS}/{name}"] = stamp
        return found

    def _stamp_of(self, name: str) -> Stamp | None:
        if any(part.startswith(".") for part in PurePosixPath(name).parts[:-1]):
            return None
        if name in ROOTS:
            return self._root_stamps().get(name)
        for folder, parts in self._places(name):
            real = resolved(folder)
            path = real and real.joinpath(*parts)
            stamp = file_stamp(path) if path else None
            if path and stamp is not None and resolved(path) == path:
                return stamp
        return None

    def _scan_own(self, seen: Seen, found: dict[str, Stamp]) -> None:
        found.update(self._root_stamps())
        real = resolved(self._workspace) or self._workspace
        if stat.S_ISDIR(mode_of(real / FOLDER)):
            scan_folder(str(real / FOLDER), FOLDER, seen, found)
        seen.files.update(str(real / name) for name in ROOTS)

    def _root_stamps(self) -> dict[str, Stamp]:
        stamps = {
            name: stamp
            for name in ROOTS
            if (stamp := file_stamp(self._workspace / name)) is not None
        }
        # On file systems that ignore case, MEMORY.md and memory.md are one file.
        if len({stamp[2] for stamp in stamps.values()}) == 1:
            return {name: stamps[name] for name in ROOTS[:1] if name in stamps} or stamps
        return stamps

    def places(self) -> tuple[Path, ...]:
        """The files and folders in which a change matters; they need not exist. Conversations
        are not among them: who writes them says so."""
        if not self.plan.notes:
            return ()
        own = (*ROOTS, FOLDER)
        return (*(self._workspace / name for name in own), *self.plan.extra_paths)

    def problems(self, language: Language) -> Iterator[str]:
        """Extra paths that give nothing, each a sentence."""
        for extra in self._extra:
            phrase = extra.problem()
            if phrase:
                yield NOTES.say(phrase, language, path=extra.path)

    def names_of(self, paths: Iterable[Path]) -> frozenset[str]:
        """How these absolute paths are shown, whether there is a file or not."""
        return frozenset(map(self._shown, paths))

    # ---------------------------------------------------------------- reading

    def find(self, path: str) -> str:
        """The path as it is shown of what `path` (also absolute) names; it need not exist.

        Raises:
            PathRefused: memory never reads that.
        """
        name = plain_path(self._workspace, path)
        if is_conversation(name):
            if self._conversations is not None:
                return name
        elif next(self._places(name), None):
            return name
        raise not_memory(path)

    def text(self, name: str) -> MemoryText:
        """A note's text.

        Raises:
            PathRefused: it is none, or a link is in its place.
            StorageError: it cannot be read, is too large, or no text.
        """
        for folder, parts in self._places(name):
            with disk_errors(folder.joinpath(*parts)):
                try:
                    with open_below(folder, parts) as file:
                        return read_from(file, name)
                except (FileNotFoundError, NotADirectoryError):
                    continue
        raise not_memory(name)

    def spoken(self, name: str) -> tuple[SpokenLine, ...]:
        """What was said in a conversation.

        Raises:
            PathRefused: there is no such conversation, or they are no source.
            StorageError: it cannot be read.
        """
        if self._conversations is None:
            raise not_memory(name)
        return self._conversations.lines(name.removeprefix(f"{SESSIONS}/"))

    def has_grown(self, name: str, before: Stamp, now: Stamp) -> bool:
        """Whether a conversation is worth being read anew: it grew by the plan's bytes or
        messages, or is no longer what it was."""
        assert self._conversations is not None
        grown = now[0] - before[0]
        if grown <= 0 or before[2] != now[2]:
            return True
        if grown >= self.plan.conversation_bytes:
            return True
        transcript = name.removeprefix(f"{SESSIONS}/")
        try:
            messages = self._conversations.messages_since(transcript, before[0])
        except StorageError:  # gone since it was listed, or not to be read now
            return False
        return messages >= max(1, self.plan.conversation_messages)

    def writable_path(self, name: str, line: int) -> Path:
        """The file of the workspace that `name` is; `line` is told where it is refused.

        Raises:
            UserInputInvalid: it is a source that memory never writes.
            PathRefused: it is no source.
        """
        found = self.find(name)
        if own_name(found):
            return memory_path(self._workspace, found)
        if is_conversation(found):
            raise UserInputInvalid(
                f"{found} is a past conversation, which memory does not change.",
                hint="Delete the conversation itself to forget it.",
            )
        raise UserInputInvalid(
            f"{found} (line {line}) lies in a folder of your own, which memory only reads.",
            hint="Open it in your editor and change it there.",
        )

    def _places(self, name: str) -> Iterator[tuple[Path, Sequence[str]]]:
        """Where a note of that name may lie: a folder, and the names that lead from it."""
        if "\0" in name or not is_note(name) or ".." in name.split("/"):
            return
        if own_name(name):
            yield self._workspace, PurePosixPath(name).parts
            return
        for extra in self._extra:
            parts = extra.parts_of(name)
            if parts is not None:
                yield extra.path.parent, parts
