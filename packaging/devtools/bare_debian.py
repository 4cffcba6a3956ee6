"""The root of a fresh minimal Debian, with nothing of ours in it and no Python.

    with bare_debian(folder) as debian:
        debian.apt("install", "/root/our.deb")
        debian.as_user("moltbot-desktop", "--version")      # a command line for subprocess

What runs as its user has no network: a namespace of its own, with nothing in it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from devtools import screens, shipping
from devtools.environment import is_root
from devtools.places import SetupError
from devtools.steps import run_logged

USER = "anna"
NO_NETWORK = ("unshare", "--net", "--")
_SUITE, _MIRROR = "bookworm", "http://deb.debian.org/debian"
# What dpkg, apt and the caches of fonts and menus write about any package whatever.
_BOOKS = (
    *("var/lib/apt/", "var/lib/dpkg/", "var/cache/", "var/log/", "etc/ld.so.cache"),
    *("home/", "root/", "proc/", "tmp/", "usr/share/mime/", "usr/share/icons/hicolor/icon-theme"),
)


@dataclass(frozen=True)
class Debian:
    """Attributes:
    root: where it lies.
    """

    root: Path

    @property
    def home(self) -> Path:
        """Of its user, as this system sees it."""
        return self.root / "home" / USER

    def inside(self, *command: str) -> tuple[str, ...]:
        return ("chroot", str(self.root), *command)

    def apt(self, title: str, usual: float, *arguments: str) -> None:
        """Raises SetupError when it fails."""
        quiet = ("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-y")
        run_logged(title, usual, self.inside(*quiet, *arguments))

    def as_user(self, *command: str, display: str = "") -> tuple[str, ...]:
        """A login's environment and nothing else, without a network."""
        home = f"/home/{USER}"
        user = ("setpriv", "--reuid", USER, "--regid", USER, "--clear-groups")
        login = (f"HOME={home}", "PATH=/usr/bin:/bin", "LANG=C.UTF-8")
        shown = (f"DISPLAY={display}",) if display else ()
        bare = ("env", "-i", *login, *shown, f"--chdir={home}")
        return (*NO_NETWORK, *self.inside(*user, *bare, *command))

    def files(self) -> frozenset[str]:
        """Every file but the books that apt and dpkg keep, homes, and what is mounted."""
        found = set()
        for folder, names, files in os.walk(self.root):
            inside = Path(folder).relative_to(self.root).as_posix().removeprefix(".")
            below = f"{inside}/".lstrip("/")
            names[:] = [one for one in names if not f"{below}{one}/".startswith(_BOOKS)]
            found |= {f"{below}{one}" for one in files if not f"{below}{one}".startswith(_BOOKS)}
        return frozenset(found)


@contextlib.contextmanager
def bare_debian(folder: Path) -> Iterator[Debian]:
    """A new one in `folder`; the first one is kept packed in the build folder.

    Raises SetupError when it cannot be made.
    """
    if not is_root():
        raise SetupError("This trial needs root, for the Debian that it is installed into.")
    kept = shipping.BUILD / f"{_SUITE}.tar"
    root = folder / "root"
    if not kept.exists():
        bootstrap = ("debootstrap", "--variant=minbase", _SUITE, root, _MIRROR)
        run_logged("Fetching a minimal Debian", 60, bootstrap)
        draft = kept.with_suffix(".draft")
        run_logged("Keeping it", 5, ("tar", "-C", root, "-cf", draft, "."))
        draft.replace(kept)
    else:
        root.mkdir()
        run_logged("Unpacking a minimal Debian", 5, ("tar", "-C", root, "-xf", kept))
    shutil.copyfile("/etc/resolv.conf", root / "etc/resolv.conf")
    sockets = root / screens.SOCKETS.relative_to("/")
    sockets.mkdir(parents=True)
    screens.SOCKETS.mkdir(mode=0o1777, exist_ok=True)
    mounts = (("-t", "proc", "proc", root / "proc"), ("--bind", screens.SOCKETS, sockets))
    with contextlib.ExitStack() as stack:
        for mount in mounts:
            run_logged("Mounting a folder of it", 1, ("mount", *mount))
            stack.callback(run_logged, "Unmounting it", 1, ("umount", "--lazy", mount[-1]))
        debian = Debian(root)
        run_logged("Making a user", 5, debian.inside("useradd", "--create-home", USER))
        debian.apt("Reading Debian's lists", 20, "update")
        yield debian
