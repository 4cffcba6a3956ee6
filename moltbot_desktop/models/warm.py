"""Conversations the model has already read, on disk, so that a restart is quick.

    warm = WarmStates(folder, max_bytes=512 * 2**20, key=state_key(...))
    warm.save("session-1", state, cancel)       # True when it is there
    warm.tokens("session-1")                    # cheap: what it stands for
    warm.load("session-1")                      # SequenceState, checked, or None
    forget_saved(folder, "session-1")           # also without a model
    forget_all_saved(folder)

A file is a cache and never the truth: a damaged one is removed, one of another model is left to
that model, and the prompt is read again. `key` names all that must be the same for the bytes to
mean the same (model file, llama.cpp, window, kind of cache); llama.cpp believes the bytes it is
given, so a checksum over the whole file guards it from torn and damaged ones.

    magic 8 | key 16 | conversation 16 | tokens u32 | bytes u64 | tokens i32... | data | digest 16

The file holds a person's words as numbers: it is readable by its owner only, and its name is a
hash. It is not flushed to the disk: after a power loss the checksum finds out what is missing,
and waiting for the disk would hold up the closing of the program.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import secrets
import shutil
import struct
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO, TypeVar

from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.models.arrays import np
from moltbot_desktop.models.states import SequenceState
from moltbot_desktop.sdk.tools import CancelToken
from moltbot_desktop.storage.files import make_private_dir

_LOGGER = logging.getLogger(__name__)
_MAGIC = b"MBWARM1\n"
_HEAD = struct.Struct("<8s16s16sIQ")
_DIGEST_BYTES = 16
_ENDING = ".state"
_UNFINISHED = ".state.tmp"
_SLICE = 4 * 2**20
_Read = TypeVar("_Read")
# A cache must not be what fills the disk.
_SPARE_BYTES = 512 * 2**20
_BINARY = getattr(os, "O_BINARY", 0)  # Windows would turn \n into \r\n


def saved_states(state_dir: Path) -> Path:
    """The folder of saved conversations below a model's state folder."""
    return state_dir / "conversations"


def state_key(*parts: object) -> bytes:
    """16 bytes that change with any of `parts`."""
    return _name("\0".join(map(str, parts)))


def forget_saved(folder: Path, conversation: str) -> None:
    """Remove what is saved of a conversation, e.g. because the person deleted it."""
    _remove(_path(folder, conversation))


def forget_all_saved(folder: Path) -> None:
    """Remove what is saved of every conversation, half-saved ones too."""
    for path in (*_files(folder, _ENDING), *_files(folder, _UNFINISHED)):
        _remove(path)


class _Unusable(Exception):
    """The file cannot be used; says why."""


class _Foreign(Exception):
    """The file is of another model, or of another build of llama.cpp."""


class WarmStates:
    """The files in `folder`; together at most `max_bytes`, the least recently used go first.

    One conversation has one file: of the model that read it last. Nothing here raises because of a
    disk or a file: what cannot be saved or read is not there. Half a GiB of the disk stays free.
    """

    def __init__(self, folder: Path, max_bytes: int, key: bytes) -> None:
        """Removes what a killed program left half saved, and what is beyond `max_bytes`.

        Args:
            key: 16 bytes, from `state_key`.
        """
        self._folder = folder
        self._max_bytes = max_bytes
        self._key = key
        # Left by a program that was killed while it saved.
        for path in _files(folder, _UNFINISHED):
            _remove(path)
        self._shrink(keep=None)

    def tokens(self, conversation: str | None) -> list[int] | None:
        """Tokens of what is saved, without reading the rest; None when there is nothing usable.

        A `conversation` of None is the one that this model used last, whichever that is.
        """
        return self._read(conversation, _Reading.tokens)

    def load(self, conversation: str | None) -> SequenceState | None:
        """What is saved, checked; None when there is nothing usable. `conversation` as above."""
        state = self._read(conversation, _Reading.state)
        if state is not None and conversation is not None:
            with contextlib.suppress(OSError):
                os.utime(_path(self._folder, conversation))
        return state

    def forget(self, conversation: str) -> None:
        """Remove what is saved of a conversation."""
        forget_saved(self._folder, conversation)

    def save(self, conversation: str, state: SequenceState, cancel: CancelToken) -> bool:
        """Replace what is saved of a conversation; False when it was not: cancelled, too large for
        the cap, or the disk is full or read-only. Then the older file, if any, is still there."""
        size = _size(len(state.tokens), state.size_bytes)
        if size > self._max_bytes:
            return False
        target = _path(self._folder, conversation)
        unfinished = self._folder / f"{secrets.token_hex(8)}{_UNFINISHED}"
        try:
            make_private_dir(self._folder)
            if shutil.disk_usage(self._folder).free < size + _SPARE_BYTES:
                raise _Unusable("the disk is nearly full")
            self._write(unfinished, conversation, state, cancel)
            unfinished.replace(target)
        except (OSError, StorageError, _Unusable) as error:
            _LOGGER.info("conversation not saved: %s", error)
            _remove(unfinished)
            return False
        self._shrink(keep=target)
        return True

    def _write(
        self, path: Path, conversation: str, state: SequenceState, cancel: CancelToken
    ) -> None:
        head = _HEAD.pack(
            _MAGIC, self._key, _name(conversation), len(state.tokens), state.size_bytes
        )
        tokens = np.asarray(state.tokens, "<i4").tobytes()
        digest = _new_digest()
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            for part in (memoryview(head), memoryview(tokens), state.data.data):
                for begin in range(0, len(part), _SLICE):
                    if cancel.cancelled:
                        raise _Unusable("there was no time")
                    piece = part[begin : begin + _SLICE]
                    digest.update(piece)
                    file.write(piece)
            file.write(digest.digest())

    def _read(self, conversation: str | None, read: Callable[[_Reading], _Read]) -> _Read | None:
        """What `read` makes of the first file that fits; a damaged one is removed."""
        if conversation is None:
            paths = self._newest_first()
        else:
            paths = [_path(self._folder, conversation)]
        for path in paths:
            try:
                with path.open("rb") as file:
                    return read(self._opened(file, path))
            except FileNotFoundError:
                continue
            except (OSError, _Foreign) as error:
                # Nothing is wrong with the file: a disk that hesitates, another model's words.
                _LOGGER.debug("saved conversation not used: %s", error)
            except _Unusable as error:
                _LOGGER.info("saved conversation not used: %s", error)
                _remove(path)
        return None

    def _newest_first(self) -> Sequence[Path]:
        aged = []
        for path in _files(self._folder, _ENDING):
            with contextlib.suppress(OSError):
                aged.append((path.stat().st_mtime_ns, path))
        return [path for _, path in sorted(aged, reverse=True)]

    def _opened(self, file: BinaryIO, path: Path) -> _Reading:
        """Past the head of `file`, which belongs to this model and has the length it claims."""
        reading = _Reading(file)
        magic, key, name, token_count, data_bytes = _HEAD.unpack(reading.take(_HEAD.size))
        if (magic, name.hex()) != (_MAGIC, path.name.removesuffix(_ENDING)):
            raise _Unusable("it belongs to another program or conversation")
        if key != self._key:
            raise _Foreign("it belongs to another model")
        size = os.fstat(file.fileno()).st_size
        if size != _size(token_count, data_bytes) or size > self._max_bytes:
            raise _Unusable("its length is wrong")
        reading.token_count, reading.data_bytes = token_count, data_bytes
        return reading

    def _shrink(self, keep: Path | None) -> None:
        """Remove the least recently used files until the rest fit; `keep` is the newest."""
        aged = []
        for path in _files(self._folder, _ENDING):
            with contextlib.suppress(OSError):
                status = path.stat()
                aged.append((path != keep, -status.st_mtime_ns, status.st_size, path))
        total = 0
        for _, _, size, path in sorted(aged):
            total += size
            if total > self._max_bytes:
                _remove(path)


class _Reading:
    """A file being read from the front, with the digest of what was read."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._digest = _new_digest()
        self.token_count = 0
        self.data_bytes = 0

    def take(self, count: int) -> bytes:
        data = self._file.read(count)
        if len(data) != count:
            raise _Unusable("it is cut off")
        self._digest.update(data)
        return data

    def tokens(self) -> list[int]:
        numbers: list[int] = np.frombuffer(self.take(4 * self.token_count), "<i4").tolist()
        return numbers

    def state(self) -> SequenceState:
        tokens = tuple(self.tokens())
        data = np.empty(self.data_bytes, np.uint8)
        view = data.data
        for begin in range(0, self.data_bytes, _SLICE):
            piece = view[begin : begin + _SLICE]
            piece[:] = self.take(len(piece))
        if self._file.read(self._digest.digest_size + 1) != self._digest.digest():
            raise _Unusable("its checksum is wrong")
        return SequenceState(tokens, data)


def _new_digest() -> hashlib.blake2b:
    return hashlib.blake2b(digest_size=_DIGEST_BYTES)


def _name(conversation: str) -> bytes:
    return hashlib.blake2b(conversation.encode("utf-8", "replace"), digest_size=16).digest()


def _path(folder: Path, conversation: str) -> Path:
    return folder / f"{_name(conversation).hex()}{_ENDING}"


def _size(token_count: int, data_bytes: int) -> int:
    return _HEAD.size + 4 * token_count + data_bytes + _DIGEST_BYTES


def _files(folder: Path, ending: str) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if path.name.endswith(ending)]
    except OSError:
        return []


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()
