"""Files that a program hands over with a message, kept where those of channels lie.

    files = read_handed([{"fileName": "plan.pdf", "content": "JVBERi0…"}])
    kept = await HandedFiles(workspace, most, new_id, in_thread, clock).keep(files, session)
    kept[0].line         # "[media attached: media/inbound/3f2a9c1d-plan.pdf (application/pdf)]"

The message is the owner's, a file may be anybody's: what it is says its content (`file_kinds`), and
its name and its words count as a stranger's. Nothing that lies there already is replaced, and
either all files of a message are kept or none.
"""

from __future__ import annotations

import binascii
import contextlib
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import PathRefused, StorageError, UserInputInvalid
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.gateway.client import GivenFile
from moltbot_desktop.gateway.file_kinds import fitting_name, kind_of
from moltbot_desktop.gateway.inbox_desk import InThread
from moltbot_desktop.gateway.incoming_files import safe_name
from moltbot_desktop.gateway.media_room import tidy
from moltbot_desktop.gateway.mentions import shown_file
from moltbot_desktop.sdk.attachments import FOLDER, MOST_BYTES, MOST_FILES, AttachedFile
from moltbot_desktop.security.beneath import Folder, folder_below
from moltbot_desktop.storage.files import disk_errors, write_all

_MOST_CHARACTERS = (MOST_BYTES + 2) // 3 * 4
_DATA_ADDRESS = "data:"
_MARK = ";base64,"
_LONGEST_MARK = 200
_LONGEST_NAME = 60
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class HandedFile:
    """As it was handed over: `content` is Base64, not looked at yet, or the bytes themselves."""

    name: str
    content: str | bytes


@dataclass(frozen=True)
class KeptFile:
    """One that lies in the workspace; `place` is its path from there."""

    place: str
    kind: str
    path: Path

    @property
    def line(self) -> str:
        """What the agent reads of it, as of a file of a channel."""
        return self.attached.line

    @property
    def attached(self) -> AttachedFile:
        return AttachedFile(self.place, shown_file(self.kind))


def read_handed(given: JsonValue) -> tuple[HandedFile, ...]:
    """The files of a request: ``[{fileName?, mimeType?, type?, content}]``, each a JSON object.

    `content` is Base64, or a data: address with it. `mimeType` and `type` are not believed.

    Raises:
        UserInputInvalid: they are too many, or too large together, or one has no content.
    """
    if given is None:
        return ()
    if not isinstance(given, list):
        raise UserInputInvalid("`attachments` is a list.")
    _check_count(len(given))
    files = tuple(_handed(one, number) for number, one in enumerate(given, 1))
    if sum(len(one.content) for one in files) > _MOST_CHARACTERS + 4 * len(files):
        raise _too_large()
    return files


def check_given(files: Sequence[GivenFile]) -> None:
    """Raises UserInputInvalid: they are too many, or too large together."""
    _check_count(len(files))
    if sum(len(one.content) for one in files) > MOST_BYTES:
        raise _too_large()


def _check_count(count: int) -> None:
    if count > MOST_FILES:
        raise UserInputInvalid(
            f"A message takes at most {MOST_FILES} files; these are {count}.",
            hint="Send the rest with another message.",
        )


def _handed(given: JsonValue, number: int) -> HandedFile:
    content = given.get("content") if isinstance(given, Mapping) else None
    if not isinstance(given, Mapping) or not isinstance(content, str):
        raise UserInputInvalid(f"File {number} has no `content` in Base64.")
    name = given.get("fileName")
    if content.startswith(_DATA_ADDRESS):
        mark = content.find(_MARK, 0, _LONGEST_MARK)
        if mark < 0:
            raise UserInputInvalid(f"File {number} is a data: address without Base64.")
        content = content[mark + len(_MARK) :]
    return HandedFile(name if isinstance(name, str) and name.strip() else "file", content)


def _too_large() -> UserInputInvalid:
    return UserInputInvalid(
        f"The files of a message have at most {MOST_BYTES // 1_000_000} MB together.",
        hint="Put a larger one into the workspace and name it in the message.",
    )


@dataclass(frozen=True)
class HandedFiles:
    """Lives on the agent's event loop.

    Attributes:
        workspace: of the agent that a conversation belongs to.
        most: bytes of one file, as the settings say.
    """

    workspace: Callable[[SessionKey], Path]
    most: Callable[[], int]
    new_id: Callable[[], str]
    in_thread: InThread
    clock: Clock

    async def keep(self, files: Sequence[HandedFile], session: SessionKey) -> tuple[KeptFile, ...]:
        """All of them lie in the workspace, and on the disk, when this returns.

        Raises:
            UserInputInvalid: a content is no Base64, or is empty or too large.
            PathRefused: the folder for them leads out of the workspace.
            StorageError: the disk does not take them.
        """
        workspace, most = self.workspace(session), self.most()
        ids = [self.new_id()[:8] for _ in files]
        return await self.in_thread(lambda: self._kept(workspace, files, ids, most))

    async def drop(self, kept: Sequence[KeptFile]) -> None:
        """Take them away again: the message they came with was not said."""
        await self.in_thread(lambda: _remove(kept))

    def _kept(
        self, workspace: Path, files: Sequence[HandedFile], ids: Sequence[str], most: int
    ) -> tuple[KeptFile, ...]:
        contents = [_content(one, number, most) for number, one in enumerate(files, 1)]
        if sum(map(len, contents)) > MOST_BYTES:
            raise _too_large()
        kept: list[KeptFile] = []
        with disk_errors(workspace):
            workspace.mkdir(mode=0o700, parents=True, exist_ok=True)
            place = workspace.resolve().joinpath(*FOLDER)
        try:
            with disk_errors(place), folder_below(place.parents[1], place, make=True) as folder:
                for file, content, name_id in zip(files, contents, ids, strict=True):
                    kept.append(_one_kept(folder, f"{name_id}-", file.name, content))
                folder.sync()
        except BaseException:
            _remove(kept)
            raise
        self._tidy(place, kept)
        return tuple(kept)

    def _tidy(self, place: Path, kept: Sequence[KeptFile]) -> None:
        try:
            tidy(place, self.clock.now(), [one.path.name for one in kept])
        except StorageError as error:
            _log.warning("old files that came with messages stay: %s", error)


def _content(file: HandedFile, number: int, most: int) -> bytes:
    content = _plain(file.content, number)
    if not content:
        raise UserInputInvalid(f"File {number} is empty.")
    if len(content) > most:
        raise UserInputInvalid(
            f"File {number} has {len(content):,} bytes; the settings allow {most:,}.",
            hint="See `agents.defaults.mediaMaxMb`.",
        )
    return content


def _plain(content: str | bytes, number: int) -> bytes:
    if isinstance(content, bytes):
        return content
    try:
        return binascii.a2b_base64(content, strict_mode=True)
    except ValueError as error:  # binascii.Error, and letters outside of ASCII
        raise UserInputInvalid(f"The content of file {number} is no Base64.") from error


def _one_kept(folder: Folder, before: str, name: str, content: bytes) -> KeptFile:
    kind = kind_of(content)
    own = before + fitting_name(safe_name(name)[-_LONGEST_NAME:], kind)
    descriptor = folder.open(own, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    try:
        write_all(descriptor, content)
        os.fsync(descriptor)
    except BaseException:
        with contextlib.suppress(OSError):
            folder.remove(own)
        raise
    finally:
        os.close(descriptor)
    return KeptFile("/".join((*FOLDER, own)), kind, folder.path / own)


def _remove(kept: Sequence[KeptFile]) -> None:
    for one in kept:
        place = one.path.parent
        with contextlib.suppress(OSError, PathRefused), folder_below(place.parents[1], place) as at:
            at.remove(one.path.name)
