"""The calls of kernel32 that are needed, with Python's values on this side.

    kernel = windows_kernel()
    job = kernel.new_job(limits)
    process = kernel.create_process(program, line, block, folder, handles)

The library is handed in, so that everything but its loading runs in tests, against a scripted one
that is strict about what the documents say. A call that fails raises `CallFailed`, never less.
Source of each: https://learn.microsoft.com/windows/win32/api/.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from moltbot_desktop.security.sandbox.windows import layouts

_HANDLE, _POINTER, _U32, _I32 = ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int32
_TEXT, _SIZE = ctypes.c_wchar_p, ctypes.c_size_t
_SIGNATURES: MappingProxyType[str, tuple[Any, tuple[Any, ...]]] = MappingProxyType(
    {
        "CreateJobObjectW": (_HANDLE, (_POINTER, _TEXT)),
        "SetInformationJobObject": (_I32, (_HANDLE, _I32, _POINTER, _U32)),
        "QueryInformationJobObject": (_I32, (_HANDLE, _I32, _POINTER, _U32, _POINTER)),
        "AssignProcessToJobObject": (_I32, (_HANDLE, _HANDLE)),
        "TerminateJobObject": (_I32, (_HANDLE, _U32)),
        "TerminateProcess": (_I32, (_HANDLE, _U32)),
        "ResumeThread": (_U32, (_HANDLE,)),
        "WaitForSingleObject": (_U32, (_HANDLE, _U32)),
        "GetExitCodeProcess": (_I32, (_HANDLE, _POINTER)),
        "CloseHandle": (_I32, (_HANDLE,)),
        "CreatePipe": (_I32, (_POINTER, _POINTER, _POINTER, _U32)),
        "SetHandleInformation": (_I32, (_HANDLE, _U32, _U32)),
        "CreateFileW": (_HANDLE, (_TEXT, _U32, _U32, _POINTER, _U32, _U32, _HANDLE)),
        "ReadFile": (_I32, (_HANDLE, _POINTER, _U32, _POINTER, _POINTER)),
        "WriteFile": (_I32, (_HANDLE, _POINTER, _U32, _POINTER, _POINTER)),
        "InitializeProcThreadAttributeList": (_I32, (_POINTER, _U32, _U32, _POINTER)),
        "UpdateProcThreadAttribute": (
            _I32,
            (_POINTER, _U32, _SIZE, _POINTER, _SIZE, _POINTER, _POINTER),
        ),
        "DeleteProcThreadAttributeList": (None, (_POINTER,)),
        "CreateProcessW": (
            _I32,
            (
                *(_TEXT, _POINTER, _POINTER, _POINTER, _I32, _U32, _POINTER, _TEXT),
                *(_POINTER, _POINTER),
            ),
        ),
    }
)
"""What each gives back, and takes; handles are as wide as pointers."""

BROKEN_PIPE = 109
_NO_DATA = 232
"""The other end is being closed."""
_INVALID = (1 << 8 * ctypes.sizeof(ctypes.c_void_p)) - 1
_NOT_RESUMED, _SIGNALED, _TIMEOUT, _FOR_EVER = 0xFFFFFFFF, 0, 0x102, 0xFFFFFFFF
_READ, _OPEN_EXISTING, _SHARED = 0x80000000, 3, 0x3
_FLAGS = (
    layouts.CREATE_SUSPENDED
    | layouts.CREATE_UNICODE_ENVIRONMENT
    | layouts.EXTENDED_STARTUPINFO_PRESENT
    | layouts.CREATE_NO_WINDOW
)
_MEANINGS = MappingProxyType(
    {
        2: "there is no such program",
        3: "there is no such folder",
        5: "access is denied",
        8: "out of memory",
        193: "it is no program for Windows",
        206: "its words are too long",
        216: "it is a program for another kind of computer",
        740: "it wants an administrator's rights",
        1455: "out of memory",
        1816: "too many processes",
    }
)
NOT_THERE = (2, 3)


class CallFailed(OSError):
    """`code` is what GetLastError said."""

    def __init__(self, call: str, code: int) -> None:
        known = _MEANINGS.get(code)
        super().__init__(code, known or f"{call} failed with Windows' error {code}")
        self.code = code


@dataclass(frozen=True)
class JobLimits:
    """What everything in a job may have together; `memory` in bytes.

    Attributes:
        closed_off: no clipboard, no windows of others, no settings of the desktop. A job that is
            closed off so cannot lie in another job, nor hold one.
    """

    processes: int
    memory: int
    closed_off: bool


@dataclass(frozen=True)
class Suspended:
    """A process that has not run yet; both handles are the caller's to close."""

    process: int
    thread: int
    pid: int


@dataclass(frozen=True)
class Kernel:
    """`library` has kernel32's functions; `last_error` is what the last one of them left."""

    library: Any
    last_error: Callable[[], int]

    def new_job(self, limits: JobLimits) -> int:
        """A job that ends all it holds when its last handle closes, which is ours alone."""
        job = self._handle("CreateJobObjectW", None, None)
        try:
            self._limit(job, limits)
        except CallFailed:
            self.close(job)
            raise
        return job

    def _limit(self, job: int, limits: JobLimits) -> None:
        told = layouts.ExtendedLimits()
        told.basic.flags = (
            layouts.KILL_ON_JOB_CLOSE
            | layouts.DIE_ON_UNHANDLED_EXCEPTION
            | layouts.ACTIVE_PROCESS
            | layouts.JOB_MEMORY
        )
        told.basic.active_processes = limits.processes
        told.job_memory = limits.memory
        self._set(job, layouts.EXTENDED_LIMITS, told)
        if limits.closed_off:
            self._set(
                job,
                layouts.BASIC_UI_RESTRICTIONS,
                layouts.UiRestrictions(layouts.ALL_UI_LIMITS),
            )

    def _set(self, job: int, kind: int, told: ctypes.Structure) -> None:
        self._call("SetInformationJobObject", job, kind, ctypes.byref(told), ctypes.sizeof(told))

    def active(self, job: int) -> int:
        """How many processes it holds."""
        found = layouts.Accounting()
        self._call(
            "QueryInformationJobObject",
            *(job, layouts.BASIC_ACCOUNTING, ctypes.byref(found), ctypes.sizeof(found), None),
        )
        return int(found.active_processes)

    def assign(self, job: int, process: int) -> None:
        self._call("AssignProcessToJobObject", job, process)

    def end_job(self, job: int, status: int) -> None:
        self._call("TerminateJobObject", job, status)

    def end_process(self, process: int, status: int) -> None:
        self._call("TerminateProcess", process, status)

    def resume(self, thread: int) -> None:
        if self.library.ResumeThread(thread) == _NOT_RESUMED:
            raise CallFailed("ResumeThread", self.last_error())

    def wait(self, process: int, milliseconds: int | None = None) -> bool:
        """Whether it is over; blocks, for ever without a number."""
        answer = self.library.WaitForSingleObject(
            process, _FOR_EVER if milliseconds is None else milliseconds
        )
        if answer not in (_SIGNALED, _TIMEOUT):
            raise CallFailed("WaitForSingleObject", self.last_error())
        return bool(answer == _SIGNALED)

    def status(self, process: int) -> int:
        """How it ended; only once it has."""
        found = ctypes.c_uint32()
        self._call("GetExitCodeProcess", process, ctypes.byref(found))
        return int(found.value)

    def pipe(self) -> tuple[int, int]:
        """The end to read and the end to write, neither inherited."""
        reading, writing = ctypes.c_void_p(), ctypes.c_void_p()
        self._call("CreatePipe", ctypes.byref(reading), ctypes.byref(writing), None, 0)
        return reading.value or 0, writing.value or 0

    def nothing(self) -> int:
        """An empty input."""
        return self._handle("CreateFileW", "NUL", _READ, _SHARED, None, _OPEN_EXISTING, 0, None)

    def read(self, handle: int, most: int) -> bytes:
        """b"" when every other end is closed; blocks. A write of nothing is no end."""
        room, count = ctypes.create_string_buffer(most), ctypes.c_uint32()
        while True:
            done = self.library.ReadFile(handle, room, most, ctypes.byref(count), None)
            if not done:
                code = self.last_error()
                if code == BROKEN_PIPE:
                    return b""
                raise CallFailed("ReadFile", code)
            if count.value:
                return room.raw[: count.value]

    def write(self, handle: int, data: bytes) -> bool:
        """All of it; False when nobody reads any more. Blocks."""
        while data:
            count = ctypes.c_uint32()
            if not self.library.WriteFile(handle, data, len(data), ctypes.byref(count), None):
                code = self.last_error()
                if code in (BROKEN_PIPE, _NO_DATA):
                    return False
                raise CallFailed("WriteFile", code)
            data = data[count.value :]
        return True

    def close(self, handle: int) -> None:
        self._call("CloseHandle", handle)

    def create_process(
        self, program: str, line: str, block: bytes, folder: str, handles: tuple[int, int, int]
    ) -> Suspended:
        """Not running yet, without a window, with the three handles as its own and no other.

        Args:
            program: whole path; what runs, whatever `line` begins with.
        """
        given = tuple(dict.fromkeys(handles))
        for one in given:
            self._call("SetHandleInformation", one, layouts.INHERIT, layouts.INHERIT)
        listed = (ctypes.c_void_p * len(given))(*given)
        room = self._attribute_room()
        try:
            self._call(
                "UpdateProcThreadAttribute",
                *(room, 0, layouts.HANDLE_LIST, listed, ctypes.sizeof(listed), None, None),
            )
            return self._created(program, line, block, folder, handles, room)
        finally:
            self.library.DeleteProcThreadAttributeList(room)

    def _created(
        self,
        program: str,
        line: str,
        block: bytes,
        folder: str,
        handles: Sequence[int],
        attributes: ctypes.Array[ctypes.c_char],
    ) -> Suspended:
        startup, made = layouts.StartupInfoEx(), layouts.ProcessInformation()
        startup.info.size = ctypes.sizeof(startup)
        startup.info.flags = layouts.USE_STD_HANDLES
        startup.info.stdin, startup.info.stdout, startup.info.stderr = handles
        startup.attributes = ctypes.addressof(attributes)
        # CreateProcessW writes into the line.
        text, variables = ctypes.create_unicode_buffer(line), ctypes.create_string_buffer(block)
        self._call(
            "CreateProcessW",
            *(program, text, None, None, 1, _FLAGS, variables, folder),
            *(ctypes.byref(startup), ctypes.byref(made)),
        )
        return Suspended(made.process or 0, made.thread or 0, made.pid)

    def _attribute_room(self) -> ctypes.Array[ctypes.c_char]:
        """Room for one attribute; the first call fails and says how much that takes."""
        size = ctypes.c_size_t()
        self.library.InitializeProcThreadAttributeList(None, 1, 0, ctypes.byref(size))
        if not size.value:
            raise CallFailed("InitializeProcThreadAttributeList", self.last_error())
        room = ctypes.create_string_buffer(size.value)
        self._call("InitializeProcThreadAttributeList", room, 1, 0, ctypes.byref(size))
        return room

    def _handle(self, name: str, *given: object) -> int:
        found = getattr(self.library, name)(*given)
        if found in (None, 0, _INVALID, -1):
            raise CallFailed(name, self.last_error())
        return int(found)

    def _call(self, name: str, *given: object) -> None:
        if not getattr(self.library, name)(*given):
            raise CallFailed(name, self.last_error())


def declare(library: Any) -> None:
    """Tell ctypes how wide everything is: without it a handle would be cut to 32 bits."""
    for name, (gives, takes) in _SIGNATURES.items():
        function = getattr(library, name)
        function.restype, function.argtypes = gives, takes


def windows_kernel() -> Kernel:
    """Raises OSError: this is not Windows."""
    if sys.platform == "win32":
        library = ctypes.WinDLL("kernel32", use_last_error=True)
        declare(library)
        return Kernel(library, ctypes.get_last_error)
    raise OSError("kernel32 is Windows'")
