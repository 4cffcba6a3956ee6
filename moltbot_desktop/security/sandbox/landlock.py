"""Linux's Landlock: this process may reach only what it names here, for ever.

    enclose(walls)          # in a child, right before the program is started

Three system calls by ctypes; the one library for them is an alpha. What Landlock does not see
(sockets, rights of files) `seccomp` refuses. Rules only open: what is hidden inside an opened
folder stays open, which is why `Walls.can_hide` asks first.
"""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

from moltbot_desktop.security.sandbox.walls import SYSTEM_FOLDERS, Walls

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # the same on all architectures
_VERSION, _BENEATH = 1, 1
LEAST_ABI = 3
"""Before it a file that may not be written could be emptied."""
_EXECUTE, _WRITE, _READ, _LIST = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_TRUNCATE, _IOCTL = 1 << 14, 1 << 15
_LOOK = _EXECUTE | _READ | _LIST
_ALL = (1 << 15) - 1
_OF_FILES = _EXECUTE | _WRITE | _READ | _TRUNCATE | _IOCTL
_DROP_FOR_EVER = 24
_CAPABILITY_VERSION = 0x20080522
_TCP = 0b11
_OUTSIDE_SIGNALS = 0b11
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts")


class _Rules(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("access", ctypes.c_uint64), ("folder", ctypes.c_int32))


def abi() -> int:
    """Which Landlock this kernel has; 0 for none."""
    version: int = ctypes.CDLL(None).syscall(_CREATE, None, 0, _VERSION)
    return max(0, version)


def enclose(walls: Walls) -> None:
    """Close everything but what `walls` opens, to this process and whatever it starts.

    Raises:
        OSError: the kernel has no Landlock, or refuses.
    """
    version = abi()
    if version < LEAST_ABI:
        raise OSError("this kernel has no Landlock that is new enough")
    handled = _ALL | (_IOCTL if version >= 5 else 0)
    net = _TCP if version >= 4 and not walls.network else 0
    rules = _Rules(handled, net, _OUTSIDE_SIGNALS if version >= 6 else 0)
    size = 8 if version < 4 else 16 if version < 6 else 24
    ruleset = _call(_CREATE, ctypes.byref(rules), size, 0)
    try:
        for folder in (*SYSTEM_FOLDERS, Path("/proc"), *walls.readable):
            _open(ruleset, folder, _LOOK)
        for name in _DEVICES:
            _open(ruleset, Path("/dev", name), (_WRITE | _READ | _LIST | _IOCTL) & handled)
        _open(ruleset, walls.scratch, _ALL)
        _open(ruleset, walls.folder, _ALL if walls.writable else _LOOK)
        _enter(ruleset)
    finally:
        os.close(ruleset)


def drop_capabilities() -> None:
    """Root without its powers: a capability is a way past rules (reading what other processes
    hold in memory, for one). Nothing to anybody else, who has none."""
    libc = ctypes.CDLL(None)
    for one in range(64):
        libc.prctl(_DROP_FOR_EVER, one, 0, 0, 0)
    head = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    libc.capset(head, (ctypes.c_uint32 * 6)())


def _enter(ruleset: int) -> None:
    if ctypes.CDLL(None).prctl(38, 1, 0, 0, 0):
        raise OSError("no_new_privs was refused")
    _call(_RESTRICT, ruleset, 0)


def _open(ruleset: int, path: Path, access: int) -> None:
    """What is not there needs no rule."""
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not path.is_dir():
            access &= _OF_FILES
        rule = _Beneath(access, descriptor)
        _call(_ADD, ruleset, _BENEATH, ctypes.byref(rule), 0)
    finally:
        os.close(descriptor)


def _call(number: int, *values: object) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    result: int = libc.syscall(number, *values)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"Landlock: {os.strerror(code)}")
    return result
