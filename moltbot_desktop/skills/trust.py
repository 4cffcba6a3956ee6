"""Which skills from outside the owner trusts: by the hash of everything in their folder.

    book = TrustBook(home / "skill-trust")
    book.state(skill)        # TRUSTED, CHANGED, UNKNOWN
    book.changes(skill)      # what is different from what was trusted, as a diff
    book.trust(skill)        # the owner said yes
    book.withdraw(skill)     # and takes it back

Kept in the program's state, never in the skill's folder, where whoever writes the skill could say
yes to it. A file that an editor wrote cannot be told from one that a program dropped, so the
owner's own skills are asked for too, once, in one word. Other processes may say yes meanwhile
(``skills trust`` while the window runs): each look sees what the file says now.
"""

from __future__ import annotations

import difflib
import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from moltbot_desktop.core.errors import SkillInvalid
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.skills.eligibility import TrustState
from moltbot_desktop.skills.folder import LEFT_OUT, Stamp, content_hash, look, stamp_at, text_files
from moltbot_desktop.skills.frontmatter import as_skill_invalid
from moltbot_desktop.skills.texts import SkillTrouble
from moltbot_desktop.storage.bounded import read_plain
from moltbot_desktop.storage.files import disk_errors, make_private_dir, write_atomic

_FILE = "trusted.json"
_MOST_BYTES = 4_000_000
_MOST_DIFF_LINES = 200
_PHRASES = Phrases(
    english={
        "moved_on": "{name} is being changed right now",
        "moved_on_do": "Look at it again, then say yes once more.",
        "more": "… {count} more lines",
    },
    chinese={
        "moved_on": "{name} 正在被改动",
        "moved_on_do": "请再看一遍，然后重新确认。",
        "more": "… 还有 {count} 行",
    },
)


class InFolder(Protocol):
    """What trust is for, as it was read: a `Skill`, or whatever else is a folder of files."""

    @property
    def name(self) -> str: ...

    @property
    def folder(self) -> Path: ...

    @property
    def content_hash(self) -> str: ...


@dataclass(frozen=True)
class _Record:
    """What was trusted in a folder."""

    name: str
    content_hash: str


class TrustBook:
    """For any thread."""

    def __init__(self, folder: Path, left_out: frozenset[str] = LEFT_OUT) -> None:
        """`folder`: of its own, in the program's state; made when something is trusted.
        `left_out`: as in `folder.look`."""
        self._folder = folder
        self._left_out = left_out
        self._lock = threading.Lock()
        self._stamp: Stamp | None = None
        self._records: Mapping[str, _Record] = {}

    @property
    def version(self) -> Stamp | None:
        """Another value after the owner said something; None before the first word."""
        with self._lock:
            self._refresh()
            return self._stamp

    def state(self, skill: InFolder) -> TrustState:
        with self._lock:
            record = self._records.get(str(skill.folder))
        if record is None:
            return TrustState.UNKNOWN
        same = record.content_hash == skill.content_hash
        return TrustState.TRUSTED if same else TrustState.CHANGED

    def knows(self, name: str) -> bool:
        """Whether something of that name is trusted, in whichever folder and state."""
        with self._lock:
            return any(one.name == name for one in self._records.values())

    def trust(self, skill: InFolder, language: Language) -> None:
        """The owner has looked at `skill` as it was read and says yes.

        Raises:
            SkillInvalid: it is not the one that was read any more.
            StorageError: it cannot be kept.
        """
        texts = _texts_of(skill, self._left_out, language)
        with self._lock:
            self._refresh()
            records = dict(self._records)
            records[str(skill.folder)] = _Record(skill.name, skill.content_hash)
            make_private_dir(self._folder)
            self._write(f"{skill.content_hash}.json", {**texts})
            self._keep(records)

    def withdraw(self, skill: InFolder) -> bool:
        """The owner takes the word for what lies in that folder back; False when there was none.

        Raises:
            StorageError: it cannot be kept: it is trusted still.
        """
        with self._lock:
            self._refresh()
            records = dict(self._records)
            if records.pop(str(skill.folder), None) is None:
                return False
            self._keep(records)
            return True

    def changes(self, skill: InFolder, language: Language) -> str:
        """What is different from what was trusted, as a unified diff of at most some lines; ""
        when nothing was trusted, or its texts are not there any more.

        Raises:
            SkillInvalid: it is not the one that was read any more.
        """
        with self._lock:
            record = self._records.get(str(skill.folder))
        if record is None:
            return ""
        before, after = self._texts(record.content_hash), _texts_of(skill, self._left_out, language)
        lines: list[str] = []
        for name in sorted({*before, *after}):
            old, new = before.get(name, ""), after.get(name, "")
            if old != new:
                was = name if name in before else "/dev/null"
                now = name if name in after else "/dev/null"
                lines += difflib.unified_diff(
                    old.splitlines(), new.splitlines(), was, now, lineterm="", n=1
                )
        if len(lines) > _MOST_DIFF_LINES:
            more = _PHRASES.say("more", language, count=len(lines) - _MOST_DIFF_LINES)
            lines = [*lines[:_MOST_DIFF_LINES], more]
        return "\n".join(lines)

    # ------------------------------------------------------------------- the disk

    def _refresh(self) -> None:
        stamp = _stamp(self._folder / _FILE)
        if stamp != self._stamp:
            self._records = _records(_read(self._folder / _FILE))
            self._stamp = stamp

    def _keep(self, records: Mapping[str, _Record]) -> None:
        rows: dict[str, JsonValue] = {
            folder: {"name": one.name, "hash": one.content_hash} for folder, one in records.items()
        }
        self._write(_FILE, rows)
        self._records, self._stamp = records, _stamp(self._folder / _FILE)
        kept = {one.content_hash for one in records.values()}
        with disk_errors(self._folder):
            for path in self._folder.glob("*.json"):
                if path.name != _FILE and path.stem not in kept:
                    path.unlink(missing_ok=True)

    def _write(self, name: str, value: JsonValue) -> None:
        text = json.dumps(value, ensure_ascii=False, indent=1)
        write_atomic(self._folder / name, text.encode("utf-8", "replace"))

    def _texts(self, of_hash: str) -> Mapping[str, str]:
        found = _read(self._folder / f"{of_hash}.json")
        return {name: text for name, text in found.items() if isinstance(text, str)}


def _texts_of(skill: InFolder, left_out: frozenset[str], language: Language) -> Mapping[str, str]:
    """The texts of the very files that were read."""
    try:
        looked = look(skill.folder, left_out)
        texts = text_files(looked)
        if content_hash(looked) == skill.content_hash:
            return texts
    except SkillTrouble as trouble:
        raise as_skill_invalid(trouble, language) from trouble
    raise SkillInvalid(
        _PHRASES.say("moved_on", language, name=skill.name),
        hint=_PHRASES.say("moved_on_do", language),
    )


def _records(rows: Mapping[str, JsonValue]) -> Mapping[str, _Record]:
    found = {}
    for folder, row in rows.items():
        if isinstance(row, Mapping):
            name, content = row.get("name"), row.get("hash")
            if isinstance(name, str) and isinstance(content, str):
                found[folder] = _Record(name, content)
    return found


def _read(path: Path) -> Mapping[str, JsonValue]:
    """Empty where it is not there or not ours: then nothing is trusted, and asked for again."""
    try:
        value = json.loads(read_plain(path, _MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _stamp(path: Path) -> Stamp | None:
    try:
        return stamp_at(str(path))
    except OSError:
        return None
