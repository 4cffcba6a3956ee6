"""Folders reached from their root by descriptors, so that no link can lead a change elsewhere.

    with folder_below(workspace, path.parent, make=True) as folder:
        folder.replace(path.name, data, mode=0o600)

A path that was judged can be swapped for a link before it is used. So nothing here uses a whole
path twice: from the root's descriptor each folder is opened by its one name, links refused
(`openat` with O_NOFOLLOW), and the change is made in the folder that is then open. For paths
without `..`, which is all that `security.paths` lets through, this is what Linux's
openat2(RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS) promises, and it needs no ctypes and works on macOS.
Windows has no such calls: there the folder is looked at again right before it is used.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.core.errors import PathRefused
from moltbot_desktop.storage.files import sync_dir, write_all

_BY_DESCRIPTOR = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
_BASE = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _NO_FOLLOW | _BASE
_NO_LINKS = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EXDEV, errno.ENOSYS})
"""What `link` says on a disk without hard links."""


def changed_meanwhile(name: str) -> PathRefused:
    """A part of a path is no longer what was judged."""
    return PathRefused(
        f"“{name}” was changed while it was used.", hint="Give a path inside the workspace."
    )


@dataclass(frozen=True)
class Folder:
    """An open folder. `name` is always one name in it, and a link is never followed.

    Attributes:
        path: where it was reached; for messages, and the way to it where there is no descriptor.
        descriptor: None on Windows.
    """

    path: Path
    descriptor: int | None

    def _at(self, name: str) -> str:
        return name if self.descriptor is not None else str(self.path / name)

    def status(self, name: str) -> os.stat_result | None:
        """None when there is nothing of that name."""
        try:
            return os.stat(self._at(name), dir_fd=self.descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def open(self, name: str, flags: int, mode: int = 0o600) -> int:
        """A descriptor. Raises PathRefused for a link, and OSError."""
        try:
            return os.open(self._at(name), flags | _NO_FOLLOW | _BASE, mode, dir_fd=self.descriptor)
        except OSError:
            if self._is_link(name):
                raise changed_meanwhile(name) from None
            raise

    def names(self) -> list[str]:
        """All that is in it."""
        where = self.path if self.descriptor is None else self.descriptor
        return os.listdir(where)  # noqa: PTH208 - by a descriptor

    def link_target(self, name: str) -> str:
        return os.readlink(self._at(name), dir_fd=self.descriptor)

    def make_link(self, name: str, target: str) -> None:
        os.symlink(target, self._at(name), dir_fd=self.descriptor)

    def replace(
        self, name: str, data: bytes, *, mode: int, times: tuple[int, int] | None = None
    ) -> None:
        """Put `data` in the place of `name`, whole or not at all, and on the disk.

        Args:
            times: of access and change, in nanoseconds; None for now.
        """
        temporary = f".{secrets.token_hex(8)}.tmp"  # as `storage.files` names them
        try:
            descriptor = self.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
            try:
                write_all(descriptor, data)
                _set(descriptor, self._at(temporary), mode, times)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            os.replace(
                self._at(temporary),
                self._at(name),
                src_dir_fd=self.descriptor,
                dst_dir_fd=self.descriptor,
            )
        except BaseException:
            with contextlib.suppress(OSError):
                self.remove(temporary)
            raise
        self.sync()

    def set_times(self, name: str, times: tuple[int, int]) -> None:
        """Of a link itself; systems that cannot leave it as it is."""
        if os.utime in os.supports_follow_symlinks:
            os.utime(self._at(name), ns=times, dir_fd=self.descriptor, follow_symlinks=False)

    def move(self, name: str, to: Folder, new_name: str) -> None:
        """Give it another name, never one that is taken.

        Raises:
            FileExistsError: it is.
        """
        fds = {"src_dir_fd": self.descriptor, "dst_dir_fd": to.descriptor}
        try:
            # The only step that is sure to replace nothing, with what every system has.
            os.link(self._at(name), to._at(new_name), follow_symlinks=False, **fds)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            if to.status(new_name) is not None:
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), new_name) from None
            os.rename(self._at(name), to._at(new_name), **fds)  # noqa: PTH104 - by descriptors
        else:
            self.remove(name)
        to.sync()
        self.sync()

    def remove(self, name: str) -> None:
        os.unlink(self._at(name), dir_fd=self.descriptor)

    def remove_folder(self, name: str) -> None:
        """Raises OSError unless it is empty."""
        os.rmdir(self._at(name), dir_fd=self.descriptor)

    def make_folder(self, name: str) -> None:
        with contextlib.suppress(FileExistsError):
            os.mkdir(self._at(name), 0o700, dir_fd=self.descriptor)

    def sync(self) -> None:
        """Names in it survive a power loss."""
        if self.descriptor is None:
            sync_dir(self.path)
        else:
            with contextlib.suppress(OSError):  # some network disks cannot; the content is safe
                os.fsync(self.descriptor)

    def _is_link(self, name: str) -> bool:
        try:
            found = self.status(name)
        except OSError:
            return False
        return found is not None and stat.S_ISLNK(found.st_mode)


def _set(descriptor: int, name: str, mode: int, times: tuple[int, int] | None) -> None:
    if hasattr(os, "fchmod"):
        os.fchmod(descriptor, mode)
    if times is not None:
        # By the descriptor where the system can; elsewhere the name is a whole path.
        os.utime(descriptor if os.utime in os.supports_fd else name, ns=times)


@contextlib.contextmanager
def folder_below(root: Path, path: Path, *, make: bool = False) -> Iterator[Folder]:
    """The folder `path`, which is `root` or lies below it, open; both are real paths.

    Args:
        make: make what is missing of it, for the owner alone.

    Raises:
        PathRefused: a part of it is a link now.
        OSError: it cannot be opened; FileNotFoundError, NotADirectoryError among them.
    """
    names = path.relative_to(root).parts
    if ".." in names:  # not a real path: it would lead out again
        raise changed_meanwhile(path.name)
    if not _BY_DESCRIPTOR:
        if make:
            _make_by_path(root, names)
        if path.resolve() != path:
            raise changed_meanwhile(path.name)
        yield Folder(path, None)
        return
    descriptor = os.open(root, _FOLDER & ~_NO_FOLLOW)
    try:
        here = root
        for name in names:
            folder = Folder(here, descriptor)
            if make:
                folder.make_folder(name)
            below = _opened_below(folder, name)
            os.close(descriptor)
            descriptor, here = below, here / name
        yield Folder(path, descriptor)
    finally:
        os.close(descriptor)


def _opened_below(folder: Folder, name: str) -> int:
    """Linux says ENOTDIR of a link, macOS ELOOP: `Folder.open` looks which it is."""
    return folder.open(name, _FOLDER)


def _make_by_path(root: Path, names: tuple[str, ...]) -> None:
    here = root
    for name in names:
        Folder(here, None).make_folder(name)
        here /= name
