"""A filter of system calls, as the bytes the kernel takes: no sockets, no namespaces, no tricks.

    install(filter_for(network=False, strict=True))       # this process and all it starts, for ever

Landlock does not see sockets other than TCP, nor who may push keys into a terminal; bubblewrap
leaves sockets in the disk open (the session bus, ssh-agent, Docker), each of them a way out. So
`socket` itself is refused, for the internet's families as well unless the owner opened them. What
is refused gives "not permitted", so that a program can say so; a call of another architecture ends
the process, because its numbers mean other things. Written by hand: the kernel's format is a table
of eight-byte rows, and the one library for it has not moved since 2021.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct
from collections.abc import Mapping
from types import MappingProxyType

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _ARCHITECTURE, _FIRST, _SECOND = 0, 4, 16, 24
"""Where they stand in what the filter looks at; arguments are eight bytes, the low half first."""
_NEW_NAMESPACES = 0x7E020000
_PUSHES_KEYS = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX."""
_INTERNET = (2, 10, 16)
"""AF_INET, AF_INET6, and AF_NETLINK, by which programs learn of network interfaces."""

_EVERYWHERE = {
    "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "open_tree": 428,
    "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432, "pidfd_getfd": 438,
    "mount_setattr": 442,
}  # fmt: skip
_TABLES: Mapping[str, tuple[int, Mapping[str, int]]] = MappingProxyType(
    {
        "x86_64": (
            0xC000003E,
            {
                "socket": 41, "ptrace": 101, "unshare": 272, "setns": 308, "mount": 165,
                "umount2": 166, "pivot_root": 155, "chroot": 161, "bpf": 321, "userfaultfd": 323,
                "perf_event_open": 298, "keyctl": 250, "add_key": 248, "request_key": 249,
                "process_vm_readv": 310, "process_vm_writev": 311, "open_by_handle_at": 304,
                "kexec_load": 246, "init_module": 175, "finit_module": 313, "ioctl": 16,
                "clone": 56, "clone3": 435,
            },
        ),
        "aarch64": (
            0xC00000B7,
            {
                "socket": 198, "ptrace": 117, "unshare": 97, "setns": 268, "mount": 40,
                "umount2": 39, "pivot_root": 41, "chroot": 51, "bpf": 280, "userfaultfd": 282,
                "perf_event_open": 241, "keyctl": 219, "add_key": 217, "request_key": 218,
                "process_vm_readv": 270, "process_vm_writev": 271, "open_by_handle_at": 265,
                "kexec_load": 104, "init_module": 105, "finit_module": 273, "ioctl": 29,
                "clone": 220, "clone3": 435,
            },
        ),
    }
)  # fmt: skip
_CHANGES_RIGHTS: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {
        "x86_64": {
            "chmod": 90, "fchmodat": 268, "fchmodat2": 452, "chown": 92, "lchown": 94,
            "fchownat": 260, "setxattr": 188, "lsetxattr": 189, "removexattr": 197,
            "lremovexattr": 198, "utime": 132, "utimes": 235, "futimesat": 261,
        },
        "aarch64": {
            "fchmodat": 53, "fchmodat2": 452, "fchownat": 54, "setxattr": 5, "lsetxattr": 6,
            "removexattr": 14, "lremovexattr": 15,
        },
    }
)  # fmt: skip
_UTIMENSAT = {"x86_64": 280, "aarch64": 88}
_X32 = 0x40000000
_SPECIAL = frozenset({"socket", "ioctl", "clone", "clone3"})

_Row = tuple[int, int, int, int]


def can_filter(machine: str = platform.machine()) -> bool:
    """Whether the numbers of this computer's system calls are known here."""
    return machine in _TABLES


def filter_for(*, network: bool, strict: bool, machine: str = platform.machine()) -> bytes:
    """The filter's rows. `strict` also refuses to change rights, owners and times by name, which
    Landlock does not see.

    Raises:
        KeyError: another architecture; ask `can_filter` first.
    """
    architecture, numbers = _TABLES[machine]
    rows: list[_Row] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]
    if machine == "x86_64":
        rows += [(_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, _KILL)]
    refused = {name: one for name, one in numbers.items() if name not in _SPECIAL} | _EVERYWHERE
    if strict:
        refused |= _CHANGES_RIGHTS[machine]
        # Without a name it goes by an open file, which the program was allowed to open.
        rows += _only_without_a_name(_UTIMENSAT[machine])
    for number in sorted(refused.values()):
        rows += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _no(errno.EPERM))]
    rows += [(_EQUAL, 0, 1, numbers["clone3"]), (_RETURN, 0, 0, _no(errno.ENOSYS))]
    bits = [(_ANY_BIT, 0, _no(errno.EPERM), _NEW_NAMESPACES)]
    rows += _where(numbers["clone"], _FIRST, bits, passes=False)
    keys = [(_EQUAL, 0, _no(errno.EPERM), one) for one in _PUSHES_KEYS]
    rows += _where(numbers["ioctl"], _SECOND, keys, passes=False)
    families = [(_EQUAL, 0, _no(errno.EACCES), one) for one in (_INTERNET if network else ())]
    rows += _where(numbers["socket"], _FIRST, families, passes=True)
    rows.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("=HBBI", *row) for row in rows)


def _no(code: int) -> int:
    return _ERRNO | code


def _where(number: int, argument: int, tests: list[_Row], *, passes: bool) -> list[_Row]:
    """For one call: what its `argument` says. With `passes` only what fits a test goes on, else
    what fits is refused. The third field of a test is the refusal."""
    refusal = tests[0][2] if tests else _no(errno.EACCES)
    fits, otherwise = (_ALLOW, refusal) if passes else (refusal, _ALLOW)
    body: list[_Row] = [(_LOAD, 0, 0, argument)]
    for code, _, _, value in tests:
        body += [(code, 0, 1, value), (_RETURN, 0, 0, fits)]
    body.append((_RETURN, 0, 0, otherwise))
    return [(_EQUAL, 0, len(body), number), *body]


def _only_without_a_name(number: int) -> list[_Row]:
    """Both halves of the second argument, an address, are zero."""
    refused = (_RETURN, 0, 0, _no(errno.EPERM))
    body: list[_Row] = []
    for half in (_SECOND, _SECOND + 4):
        body += [(_LOAD, 0, 0, half), (_EQUAL, 1, 0, 0), refused]
    body.append((_RETURN, 0, 0, _ALLOW))
    return [(_EQUAL, 0, len(body), number), *body]


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("rows", ctypes.c_char_p))


def install(rows: bytes) -> None:
    """This process, and whatever it starts, is behind the filter from now on.

    Raises:
        OSError: the kernel refuses.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    program = _Program(len(rows) // 8, rows)
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.byref(program), 0, 0):
        code = ctypes.get_errno()
        raise OSError(code, f"seccomp: {errno.errorcode.get(code, code)}")
