"""What kernel32 reads and writes, laid out as Windows' headers have it, on any system.

Sizes and places are for 64 bits and are tested against figures from the headers; each width is
written out, because `ctypes.wintypes` has other ones where this is tested.
Source: https://learn.microsoft.com/windows/win32/api/winnt/ and /api/processthreadsapi/.
"""

from __future__ import annotations

import ctypes

_U16, _U32, _U64, _I64 = ctypes.c_uint16, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_int64
_SIZE, _POINTER = ctypes.c_size_t, ctypes.c_void_p

BASIC_ACCOUNTING, BASIC_UI_RESTRICTIONS, EXTENDED_LIMITS = 1, 4, 9
"""JOBOBJECTINFOCLASS."""
ACTIVE_PROCESS, JOB_MEMORY = 0x8, 0x200
DIE_ON_UNHANDLED_EXCEPTION, BREAKAWAY_OK, SILENT_BREAKAWAY_OK = 0x400, 0x800, 0x1000
KILL_ON_JOB_CLOSE = 0x2000
"""JOB_OBJECT_LIMIT_…; nothing here ever sets one of the two that let a process leave the job."""
ALL_UI_LIMITS = 0xFF
"""JOB_OBJECT_UILIMIT_…: handles, clipboard both ways, settings, atoms, desktops, the session."""

CREATE_SUSPENDED, CREATE_UNICODE_ENVIRONMENT = 0x4, 0x400
EXTENDED_STARTUPINFO_PRESENT, CREATE_NO_WINDOW = 0x80000, 0x8000000
USE_STD_HANDLES = 0x100
HANDLE_LIST = 0x20002
"""PROC_THREAD_ATTRIBUTE_HANDLE_LIST."""
INHERIT = 0x1


class BasicLimits(ctypes.Structure):
    """JOBOBJECT_BASIC_LIMIT_INFORMATION."""

    _fields_ = (
        ("process_time", _I64),
        ("job_time", _I64),
        ("flags", _U32),
        ("least_working_set", _SIZE),
        ("most_working_set", _SIZE),
        ("active_processes", _U32),
        ("affinity", _SIZE),
        ("priority", _U32),
        ("scheduling", _U32),
    )


class IoCounters(ctypes.Structure):
    """IO_COUNTERS."""

    _fields_ = tuple((name, _U64) for name in ("r", "w", "o", "rb", "wb", "ob"))


class ExtendedLimits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION."""

    _fields_ = (
        ("basic", BasicLimits),
        ("io", IoCounters),
        ("process_memory", _SIZE),
        ("job_memory", _SIZE),
        ("peak_process_memory", _SIZE),
        ("peak_job_memory", _SIZE),
    )


class UiRestrictions(ctypes.Structure):
    """JOBOBJECT_BASIC_UI_RESTRICTIONS."""

    _fields_ = (("flags", _U32),)


class Accounting(ctypes.Structure):
    """JOBOBJECT_BASIC_ACCOUNTING_INFORMATION."""

    _fields_ = (
        ("user_time", _I64),
        ("kernel_time", _I64),
        ("period_user_time", _I64),
        ("period_kernel_time", _I64),
        ("page_faults", _U32),
        ("processes", _U32),
        ("active_processes", _U32),
        ("terminated_processes", _U32),
    )


class StartupInfo(ctypes.Structure):
    """STARTUPINFOW."""

    _fields_ = (
        ("size", _U32),
        ("reserved", _POINTER),
        ("desktop", _POINTER),
        ("title", _POINTER),
        ("x", _U32),
        ("y", _U32),
        ("width", _U32),
        ("height", _U32),
        ("columns", _U32),
        ("rows", _U32),
        ("fill", _U32),
        ("flags", _U32),
        ("show", _U16),
        ("more_size", _U16),
        ("more", _POINTER),
        ("stdin", _POINTER),
        ("stdout", _POINTER),
        ("stderr", _POINTER),
    )


class StartupInfoEx(ctypes.Structure):
    """STARTUPINFOEXW."""

    _fields_ = (("info", StartupInfo), ("attributes", _POINTER))


class ProcessInformation(ctypes.Structure):
    """PROCESS_INFORMATION."""

    _fields_ = (("process", _POINTER), ("thread", _POINTER), ("pid", _U32), ("tid", _U32))
