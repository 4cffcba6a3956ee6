"""Reads what a person wants to install, without unpacking it anywhere: a folder, a zip, a git
repository on this computer.

    files = read_package(Path("~/Downloads/skill.zip").expanduser(), Language.ENGLISH)
    files[0].path, files[0].data

All of it stays in memory and within `MOST_BYTES`, so that what was looked at is what is written
later. Nothing is run but git, and that on a copy, without its hooks, filters, settings or network.
"""

from __future__ import annotations

import contextlib
import io
import os
import stat
import subprocess
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from urllib.parse import unquote, urlsplit

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.skills.install_texts import refused
from moltbot_desktop.skills.package_paths import MOST_FILES, BadName, checked_paths, shown
from moltbot_desktop.storage.bounded import read_plain

MOST_BYTES = 20_000_000
_MOST_PACKED = 40_000_000
_MOST_DIRECTORY = 4_000_000
_UTF8_NAMES = 0x800
_GIT_SECONDS = 60.0
_LEFT_OUT = frozenset({".git", "__MACOSX", ".DS_Store", "__pycache__", "node_modules"})
_PLAIN_GIT: Mapping[str, str] = MappingProxyType(
    {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_ALLOW_PROTOCOL": "file",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ATTR_NOSYSTEM": "1",
        "LC_ALL": "C",
    }
)


@dataclass(frozen=True)
class PackedFile:
    """A file to be installed.

    Attributes:
        path: below the top of what was given, with ``/``.
        runnable: it was marked as a program.
    """

    path: str
    data: bytes
    runnable: bool = False


def read_package(source: str, language: Language) -> tuple[PackedFile, ...]:
    """All files of `source`, sorted: a path (``~`` is the home folder) or a ``file:`` URL.

    Raises:
        SkillInvalid: it cannot be read, or holds what must not be unpacked; says what.
    """
    path = _local_path(source, language)
    try:
        if not path.exists():
            raise refused("not_there", language, source=shown(source))
        if _is_bare_repository(path):
            files = _of_zip(_git_archive(path, source, language), source, language)
        elif path.is_dir():
            files = _of_folder(path, language)
        elif path.is_file() and path.stat().st_size <= _MOST_PACKED:
            files = _of_zip(read_plain(path, _MOST_PACKED), source, language)
        else:
            raise refused("unknown_kind", language, source=shown(source))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise refused("unreadable", language, source=shown(source), reason=reason) from error
    _check_names(files, language)
    return tuple(sorted(files, key=lambda file: file.path))


def _local_path(source: str, language: Language) -> Path:
    if "\0" in source or not source.strip():
        raise refused("not_there", language, source=shown(source))
    if source.startswith("file:"):
        parts = urlsplit(source)
        if parts.netloc in ("", "localhost"):
            return Path(unquote(parts.path))
    if "://" in source or source.startswith(("git@", "file:")):
        raise refused("online", language, source=shown(source))
    try:
        return Path(source).expanduser()
    except RuntimeError as error:  # "~somebody"
        raise refused("not_there", language, source=shown(source)) from error


def _is_bare_repository(path: Path) -> bool:
    return (path / "HEAD").is_file() and (path / "objects").is_dir() and (path / "refs").is_dir()


def _check_names(files: Sequence[PackedFile], language: Language) -> None:
    try:
        checked_paths(file.path for file in files)
    except BadName as bad:
        if bad.other:
            raise refused("clash", language, file=bad.name, other=bad.other) from bad
        raise refused("bad_name", language, file=bad.name) from bad


# ------------------------------------------------------------------------- a folder


def _of_folder(folder: Path, language: Language) -> list[PackedFile]:
    files: list[PackedFile] = []
    left = MOST_BYTES
    for path, inside in _below(folder.resolve(), PurePosixPath(), language):
        data, runnable = _plain_file(path, inside, left, language)
        left -= len(data)
        files.append(PackedFile(inside, data, runnable))
        if len(files) > MOST_FILES:
            raise refused("too_many", language, limit=MOST_FILES)
    return files


def _below(folder: Path, inside: PurePosixPath, language: Language) -> Iterator[tuple[Path, str]]:
    with os.scandir(folder) as entries:
        found = sorted(entries, key=lambda entry: entry.name)
    for entry in found:
        if entry.name in _LEFT_OUT:
            continue
        name = inside / entry.name
        if entry.is_dir(follow_symlinks=False):
            try:
                checked_paths([str(name)])  # before going further down
            except BadName as bad:
                raise refused("bad_name", language, file=bad.name) from bad
            yield from _below(Path(entry.path), name, language)
        else:
            yield Path(entry.path), str(name)


def _plain_file(path: Path, inside: str, left: int, language: Language) -> tuple[bytes, bool]:
    """Its bytes, and whether it can be executed. What it is is asked of the opened file: a name
    may mean something else a moment later."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            raise refused("no_plain_file", language, file=shown(inside))
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(path, flags), "rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            data = file.read(left + 1)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise refused("unreadable", language, source=shown(inside), reason=reason) from error
    if len(data) > left:
        raise refused("too_large", language, megabytes=MOST_BYTES // 1_000_000)
    return data, os.name != "nt" and bool(mode & 0o111)


# ------------------------------------------------------------------------- a zip


class _TooMany(Exception):
    """More entries than are worth looking at."""


class _Packed(io.BytesIO):
    """The library reads a zip's directory at once and makes an object of each line of it, however
    many there are; here it does so only when the directory is of a sound size."""

    opened = False

    def read(self, size: int | None = -1, /) -> bytes:
        if not self.opened and size is not None and size > _MOST_DIRECTORY:
            raise _TooMany
        return super().read(size)


def _of_zip(data: bytes, source: str, language: Language) -> list[PackedFile]:
    packed = _Packed(data)
    try:
        with zipfile.ZipFile(packed) as archive:
            packed.opened = True
            return _unzipped(archive, source, language)
    except _TooMany as error:
        raise refused("too_many", language, limit=MOST_FILES) from error
    # What a broken or hostile archive makes of the library; RuntimeError is also a password.
    except (
        *(zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError),
        *(ValueError, KeyError, IndexError, OverflowError, AttributeError, MemoryError),
    ) as error:
        if not zipfile.is_zipfile(io.BytesIO(data)):
            raise refused("unknown_kind", language, source=shown(source)) from error
        reason = type(error).__name__
        raise refused("bad_zip", language, source=shown(source), reason=reason) from error


def _unzipped(archive: zipfile.ZipFile, source: str, language: Language) -> list[PackedFile]:
    entries = [one for one in archive.infolist() if not _is_left_out(one)]
    if len(entries) > MOST_FILES:
        raise refused("too_many", language, limit=MOST_FILES)
    files: list[PackedFile] = []
    left = MOST_BYTES
    for entry in entries:
        name = _name_of(entry)
        mode = entry.external_attr >> 16
        if entry.flag_bits & 0x1:
            raise refused("locked_zip", language, source=shown(source))
        if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
            raise refused("no_plain_file", language, file=shown(name))
        if name.endswith("/"):
            if entry.file_size:
                raise refused("bad_name", language, file=shown(name))
            continue
        with archive.open(entry) as packed:
            data = packed.read(left + 1)  # what is written about its size may be a lie
        if len(data) > left:
            raise refused("too_large", language, megabytes=MOST_BYTES // 1_000_000)
        left -= len(data)
        files.append(PackedFile(name, data, bool(mode & 0o111)))
    return files


def _is_left_out(entry: zipfile.ZipInfo) -> bool:
    return not _LEFT_OUT.isdisjoint(_name_of(entry).split("/"))


def _name_of(entry: zipfile.ZipInfo) -> str:
    """The name as it is written: the library cuts it at a NUL and turns backslashes round.

    Where the archive does not say that names are UTF-8 the library takes them for DOS's; macOS
    writes UTF-8 all the same, and Windows in China GBK.
    """
    name = entry.orig_filename
    if entry.flag_bits & _UTF8_NAMES or name.isascii():
        return name
    written = name.encode("cp437")
    for encoding in ("utf-8", "gbk"):
        with contextlib.suppress(UnicodeDecodeError):
            return written.decode(encoding)
    return name


# ------------------------------------------------------------------------- a git repository


def _git_archive(repository: Path, source: str, language: Language) -> bytes:
    """A zip of the files of HEAD. git itself carries a copy over as it would from a stranger, so
    that settings, filters and hooks of the repository stay there; the zip is made of the copy."""
    with tempfile.TemporaryDirectory(prefix="moltbot-skill-") as folder:
        copy = str(Path(folder) / "copy.git")
        url = repository.resolve().as_uri()
        clone = ["clone", "--quiet", "--bare", "--depth", "1", "--template=", "--", url, copy]
        _git(clone, source, language)
        done = _git(["--git-dir", copy, "archive", "--format=zip", "HEAD"], source, language)
    if len(done) > _MOST_PACKED:
        raise refused("too_large", language, megabytes=MOST_BYTES // 1_000_000)
    return done


def _git(arguments: Sequence[str], source: str, language: Language) -> bytes:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(
            ["git", *arguments],
            env={**kept, **_PLAIN_GIT},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_GIT_SECONDS,
            check=False,
        )
    except FileNotFoundError as error:
        raise refused("no_git", language, source=shown(source)) from error
    except subprocess.TimeoutExpired as error:
        raise refused("git_failed", language, source=shown(source), reason="timeout") from error
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        reason = shown(said[-1] if said else str(done.returncode))
        raise refused("git_failed", language, source=shown(source), reason=reason)
    return done.stdout
