"""kernel32 as its documents have it, strict, with real processes and pipes of this computer below.

    fake = Kernel32()
    kernel = Kernel(fake, fake.last_error)
    fake.fails = ("AssignProcessToJobObject", 1, 5)     # its first call, with this error
    ...
    fake.check()                                         # nothing misused, nothing left open

What is handed over is read from its bytes, at the places that Windows' headers give, so a structure
that is laid out otherwise is seen. Programs are files of a test's own whose names end in .exe; a
suspended process is started when its thread is resumed. Pages below learn.microsoft.com/windows/
win32/api: jobapi2, processthreadsapi, namedpipeapi, fileapi, handleapi, synchapi.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import signal
import struct
import subprocess
import threading
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.fakes.windows_words import variables_of, words_of

INVALID_HANDLE, ACCESS_DENIED, INVALID_PARAMETER, NOT_FOUND = 6, 5, 87, 2
BROKEN_PIPE, NO_DATA, TOO_SMALL, NO_QUOTA = 109, 232, 122, 1816
KILL_ON_CLOSE = 0x2000
_ATTRIBUTES = 48
_ENDED_BY_SIGNAL = 0xC000013A


@dataclass
class Job:
    flags: int = 0
    processes: int = 0
    memory: int = 0
    ui: int = 0
    members: list[Process] = field(default_factory=list)


@dataclass
class Process:
    """`resumed` when its thread was; `over` when it is."""

    words: list[str]
    program: str
    variables: dict[str, str]
    folder: str
    files: tuple[int, int, int]
    job: Job | None = None
    child: subprocess.Popen[bytes] | None = None
    status: int | None = None
    over: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        self.child = subprocess.Popen(
            self.words,
            executable=self.program,
            stdin=self.files[0],
            stdout=self.files[1],
            stderr=self.files[2],
            env=self.variables,
            cwd=self.folder,
            start_new_session=True,
        )
        self._close()

    def end(self, status: int) -> None:
        if self.child is None:
            self._close()
        else:
            with suppress(ProcessLookupError):
                os.killpg(self.child.pid, signal.SIGKILL)
        if not self.over.is_set() and self.status is None:
            self.status = status
        if self.child is None:
            self.over.set()

    def wait(self, seconds: float | None) -> bool:
        if self.child is None:
            return self.over.wait(seconds)
        with suppress(subprocess.TimeoutExpired):
            code = self.child.wait(seconds)
            if self.status is None:
                self.status = code if code >= 0 else _ENDED_BY_SIGNAL
            self.over.set()
        return self.over.is_set()

    def _close(self) -> None:
        files, self.files = self.files, (-1, -1, -1)
        for one in files:
            if one >= 0:
                os.close(one)


@dataclass(frozen=True)
class Thread:
    process: Process


@dataclass
class File:
    descriptor: int
    inherited: bool = False


class Kernel32:
    """Attributes:
    calls: names, in their order.
    fails: a call's name, which of its calls, and the error it leaves.
    in_a_job: this program lies in a job itself.
    misused: what the documents forbid and was done all the same.
    """

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.fails: tuple[str, int, int] | None = None
        self.in_a_job = False
        self.misused: list[str] = []
        self.processes: list[Process] = []
        self.jobs: list[Job] = []
        self._numbers = itertools.count(0x1_0000_0004, 4)
        self._open: dict[int, Any] = {}
        self._attributes: dict[int, tuple[int, ...]] = {}
        self._counts: Counter[str] = Counter()
        self._errors = threading.local()
        self._lock = threading.RLock()

    def last_error(self) -> int:
        return getattr(self._errors, "code", 0)

    def check(self) -> None:
        assert not self.misused, self.misused
        assert not self._open, f"left open: {list(self._open.values())}"
        assert not self._attributes, "an attribute list was never deleted"
        for one in self.processes:
            assert one.over.is_set() or one.wait(0), f"still there: {one.words}"

    def close(self) -> None:
        """After a test, however it ended."""
        for one in self.processes:
            one.end(1)
            one.wait(20)
        for thing in self._open.values():
            if isinstance(thing, File):
                with suppress(OSError):
                    os.close(thing.descriptor)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"kernel32 has no {name}, as far as is known here")

    # ------------------------------------------------------------ jobs

    def CreateJobObjectW(self, attributes: object, name: object) -> int:
        if self._failed("CreateJobObjectW"):
            return 0
        if attributes is not None or name is not None:
            self.misused.append("a job that others can find or inherit")
        job = Job()
        self.jobs.append(job)
        return self._new(job)

    def SetInformationJobObject(self, job: int, kind: int, told: Any, size: int) -> int:
        found = self._get("SetInformationJobObject", job, Job)
        if found is None:
            return 0
        data = bytes(told._obj)
        if size != {9: 144, 4: 4}.get(kind) or len(data) != size:
            return self._refuse(INVALID_PARAMETER)
        if kind == 9:
            (found.flags,) = struct.unpack_from("<I", data, 16)
            (found.processes,) = struct.unpack_from("<I", data, 40)
            (found.memory,) = struct.unpack_from("<Q", data, 120)
        else:
            (found.ui,) = struct.unpack("<I", data)
        return 1

    def QueryInformationJobObject(
        self, job: int, kind: int, told: Any, size: int, length: object
    ) -> int:
        found = self._get("QueryInformationJobObject", job, Job)
        if found is None:
            return 0
        if kind != 1 or size != 48 or length is not None:
            return self._refuse(INVALID_PARAMETER)
        active = sum(not one.wait(0) for one in found.members)
        data = struct.pack("<qqqqIIII", 0, 0, 0, 0, 0, len(found.members), active, 0)
        ctypes.memmove(ctypes.addressof(told._obj), data, 48)
        return 1

    def AssignProcessToJobObject(self, job: int, process: int) -> int:
        found = self._get("AssignProcessToJobObject", job, Job)
        member = self._get("", process, Process)
        if found is None or member is None:
            return 0
        if member.child is not None:
            self.misused.append("it ran before it was in the job")
        if found.ui and self.in_a_job:
            return self._refuse(ACCESS_DENIED)
        if found.flags & 8 and sum(not one.wait(0) for one in found.members) >= found.processes:
            member.end(NO_QUOTA)
            return self._refuse(NO_QUOTA)
        member.job = found
        found.members.append(member)
        return 1

    def TerminateJobObject(self, job: int, status: int) -> int:
        found = self._get("TerminateJobObject", job, Job)
        if found is None:
            return 0
        self._end(found, status)
        return 1

    @staticmethod
    def _end(job: Job, status: int) -> None:
        for one in job.members:
            one.end(status)

    # ------------------------------------------------------------ processes

    def InitializeProcThreadAttributeList(
        self, room: Any, count: int, flags: int, size: Any
    ) -> int:
        if self._failed("InitializeProcThreadAttributeList"):
            return 0
        if count != 1 or flags:
            return self._refuse(INVALID_PARAMETER)
        if room is None or ctypes.sizeof(room) < _ATTRIBUTES:
            size._obj.value = _ATTRIBUTES
            return self._refuse(TOO_SMALL)
        self._attributes[ctypes.addressof(room)] = ()
        return 1

    def UpdateProcThreadAttribute(
        self, room: Any, flags: int, kind: int, value: Any, size: int, old: object, length: object
    ) -> int:
        if self._failed("UpdateProcThreadAttribute"):
            return 0
        at = ctypes.addressof(room)
        handles = struct.unpack(f"<{size // 8}Q", bytes(value)[:size])
        if at not in self._attributes or kind != 0x20002 or flags or not size:
            return self._refuse(INVALID_PARAMETER)
        if len(set(handles)) != len(handles):
            return self._refuse(INVALID_PARAMETER)
        self._attributes[at] = handles
        return 1

    def DeleteProcThreadAttributeList(self, room: Any) -> None:
        if self._attributes.pop(ctypes.addressof(room), None) is None:
            self.misused.append("an attribute list that is none")

    def CreateProcessW(
        self,
        program: str,
        line: Any,
        process_rights: object,
        thread_rights: object,
        inherits: int,
        flags: int,
        variables: Any,
        folder: str,
        startup: Any,
        made: Any,
    ) -> int:
        if self._failed("CreateProcessW"):
            return 0
        data = bytes(startup._obj)
        (size,) = struct.unpack_from("<I", data, 0)
        (uses,) = struct.unpack_from("<I", data, 60)
        given = struct.unpack_from("<QQQ", data, 80)
        (attributes,) = struct.unpack_from("<Q", data, 104)
        listed = self._attributes.get(attributes)
        if size != 112 or len(data) != 112 or listed is None or not inherits:
            return self._refuse(INVALID_PARAMETER)
        if uses != 0x100 or flags != 0x4 | 0x400 | 0x80000 | 0x8000000:
            self.misused.append(f"flags {flags:x} {uses:x}")
        if not isinstance(line, ctypes.Array):
            self.misused.append("a command line that must not be written to")
        files = [self._open.get(one) for one in given]
        if set(given) != set(listed) or not all(
            isinstance(one, File) and one.inherited for one in files
        ):
            return self._refuse(INVALID_PARAMETER)
        if not Path(program).is_file():
            return self._refuse(NOT_FOUND)
        if not program.casefold().endswith((".exe", ".com")):
            self.misused.append(f"{program} would be handed to cmd")
        process = Process(
            words_of(line.value),
            program,
            variables_of(variables.raw[:-1]),
            folder,
            tuple(os.dup(one.descriptor) for one in files if one is not None),  # type: ignore[arg-type]
        )
        self.processes.append(process)
        made._obj.process, made._obj.thread = self._new(process), self._new(Thread(process))
        made._obj.pid = len(self.processes)
        return 1

    def ResumeThread(self, thread: int) -> int:
        found = self._get("ResumeThread", thread, Thread)
        if found is None:
            return 0xFFFFFFFF
        if found.process.job is None:
            self.misused.append("it runs outside of any job")
        with self._lock:
            if not found.process.over.is_set():
                found.process.run()
        return 1

    def TerminateProcess(self, process: int, status: int) -> int:
        found = self._get("TerminateProcess", process, Process)
        if found is None:
            return 0
        found.end(status)
        return 1

    def WaitForSingleObject(self, process: int, milliseconds: int) -> int:
        found = self._get("WaitForSingleObject", process, Process)
        if found is None:
            return 0xFFFFFFFF
        seconds = None if milliseconds == 0xFFFFFFFF else milliseconds / 1000
        return 0 if found.wait(seconds) else 0x102

    def GetExitCodeProcess(self, process: int, status: Any) -> int:
        found = self._get("GetExitCodeProcess", process, Process)
        if found is None:
            return 0
        status._obj.value = 259 if found.status is None else found.status
        return 1

    # ------------------------------------------------------------ files and handles

    def CreatePipe(self, reading: Any, writing: Any, rights: object, size: int) -> int:
        if self._failed("CreatePipe"):
            return 0
        ours, theirs = os.pipe()
        reading._obj.value, writing._obj.value = self._new(File(ours)), self._new(File(theirs))
        return 1

    def CreateFileW(
        self, name: str, access: int, share: int, rights: object, how: int, flags: int, like: object
    ) -> int:
        if self._failed("CreateFileW"):
            return (1 << 64) - 1
        assert (name, access, how) == ("NUL", 0x80000000, 3)
        return self._new(File(os.open(os.devnull, os.O_RDONLY)))

    def SetHandleInformation(self, handle: int, mask: int, flags: int) -> int:
        found = self._get("SetHandleInformation", handle, File)
        if found is None:
            return 0
        found.inherited = bool(flags & mask & 1)
        return 1

    def ReadFile(self, handle: int, room: Any, most: int, count: Any, late: object) -> int:
        found = self._get("ReadFile", handle, File)
        if found is None:
            return 0
        data = os.read(found.descriptor, min(most, ctypes.sizeof(room)))
        if not data:
            return self._refuse(BROKEN_PIPE)
        ctypes.memmove(room, data, len(data))
        count._obj.value = len(data)
        return 1

    def WriteFile(self, handle: int, data: bytes, size: int, count: Any, late: object) -> int:
        found = self._get("WriteFile", handle, File)
        if found is None:
            return 0
        try:
            count._obj.value = os.write(found.descriptor, data[:size])
        except BrokenPipeError:
            return self._refuse(NO_DATA)
        return 1

    def CloseHandle(self, handle: int) -> int:
        if self._failed("CloseHandle"):
            return 0
        found = self._open.pop(handle, None)
        if found is None:
            self.misused.append("a handle closed that is none")
            return self._refuse(INVALID_HANDLE)
        if isinstance(found, File):
            os.close(found.descriptor)
        if isinstance(found, Job) and found.flags & KILL_ON_CLOSE:
            self._end(found, 0)
        return 1

    # ------------------------------------------------------------ below

    def _new(self, thing: object) -> int:
        with self._lock:
            handle = next(self._numbers)
            self._open[handle] = thing
            return handle

    def _get(self, call: str, handle: int, kind: type[Any]) -> Any:
        if call and self._failed(call):
            return None
        found = self._open.get(handle)
        if not isinstance(found, kind):
            self.misused.append(f"{call}: {found!r} is no {kind.__name__}")
            self._refuse(INVALID_HANDLE)
            return None
        return found

    def _failed(self, call: str) -> bool:
        with self._lock:
            self.calls.append(call)
            self._counts[call] += 1
            if self.fails is None or self.fails[:2] != (call, self._counts[call]):
                return False
        self._refuse(self.fails[2])
        return True

    def _refuse(self, code: int) -> int:
        self._errors.code = code
        return 0
