"""What was said in past conversations, for the memory search (`sdk.conversations`).

    User: my dentist is Dr. Okafor
    Assistant: I will remember that.

Only the owner's own conversations with the agent: what somebody else wrote in a channel, a
scheduled run or a sub-agent is not theirs to be brought up. Calls of tools, their results and
thoughts are left out. From the moment a stranger's text came into a conversation, each line
carries a mark, so that whoever reads it is as careful as the conversation had to be.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path

from moltbot_desktop.core.errors import PathRefused
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.sdk.attachments import as_read
from moltbot_desktop.sdk.conversations import Conversations, SpokenLine
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.sessions.entries import (
    AssistantEntry,
    LabelsEntry,
    TranscriptEntry,
    UserEntry,
    decode_header,
)
from moltbot_desktop.sessions.index import is_session_id
from moltbot_desktop.sessions.keys import MAIN, parse_session_key
from moltbot_desktop.sessions.tree import linked, standing
from moltbot_desktop.storage.files import disk_errors
from moltbot_desktop.storage.jsonl import read_jsonl

CLI = "cli"
"""The key's last part of conversations that a script or a pipe holds in the terminal."""

_SUFFIX = ".jsonl"
_BLOCK = 1 << 20
_MARK = "conversation with untrusted text"


class SpokenTranscripts(Conversations):
    """The transcripts in `folder`, which need not exist."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def stamps(self) -> Mapping[str, tuple[int, int, int]]:
        """As in the contract; a folder that cannot be read holds none."""
        found: dict[str, tuple[int, int, int]] = {}
        try:
            entries = os.scandir(self._folder)
        except OSError:
            return found
        with entries:
            for entry in entries:
                if _is_transcript(entry.name) and entry.is_file(follow_symlinks=False):
                    try:
                        status = entry.stat(follow_symlinks=False)
                    except OSError:  # deleted since
                        continue
                    found[entry.name] = (status.st_size, status.st_mtime_ns, status.st_ino)
        return found

    def lines(self, name: str) -> tuple[SpokenLine, ...]:
        """As in the contract. A line that is torn or being written is left out."""
        path = self._path(name)
        if not path.is_file() or path.is_symlink():
            raise PathRefused(f"{name[:200]!r} is not a conversation.", hint="Search again.")
        records = read_jsonl(path).records
        header = decode_header(records[0]) if records else None
        if header is None or not is_owners(header.key):
            return ()
        return tuple(spoken_lines(linked(records[1:])))

    def messages_since(self, name: str, offset: int) -> int:
        path = self._path(name)
        with disk_errors(path), path.open("rb") as file:
            file.seek(offset)
            return sum(block.count(b"\n") for block in iter(lambda: file.read(_BLOCK), b""))

    def _path(self, name: str) -> Path:
        if not _is_transcript(name):
            raise PathRefused(f"{name[:200]!r} is not a conversation.", hint="Search again.")
        return self._folder / name


def _is_transcript(name: str) -> bool:
    return name.endswith(_SUFFIX) and is_session_id(name.removesuffix(_SUFFIX))


def is_owners(key: SessionKey) -> bool:
    """Whether the conversation of that key is one of the owner and the agent alone; a file that
    tells no key (the reference's) could be anybody's."""
    parsed = parse_session_key(key)
    return parsed is not None and parsed.rest.split(":thread:")[0] in (MAIN, CLI)


def spoken_lines(entries: Sequence[TranscriptEntry]) -> Iterator[SpokenLine]:
    """One line for each message that has words, in order, on the branch where the conversation
    stands: what was taken back is not to be remembered. Labels hold for all branches."""
    here = {entry.id for entry in standing(entries)}
    labels = Labels()
    for entry in entries:
        if isinstance(entry, LabelsEntry):
            labels = labels.joined(Labels.from_mapping(entry.labels))
        elif entry.id not in here:
            continue
        elif isinstance(entry, UserEntry):
            yield from _line("User", as_read(entry.text), entry, labels)
        elif isinstance(entry, AssistantEntry):
            yield from _line("Assistant", entry.message.content, entry, labels)


def _line(who: str, text: str, entry: TranscriptEntry, labels: Labels) -> Iterator[SpokenLine]:
    words = " ".join(text.split())
    if words:
        yield SpokenLine(f"{who}: {words}", _day(entry.time), _MARK if labels.untrusted else "")


def _day(time: str) -> date | None:
    try:
        return datetime.fromisoformat(time).date()
    except ValueError:
        return None
