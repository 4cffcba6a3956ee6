"""Structures lie in memory as Windows' own headers lay them out.

The figures are sizeof and offsetof of a program compiled for 64-bit Windows with MinGW-w64's
headers (10.0, `-D_WIN32_WINNT=0x0A00`).
"""

from __future__ import annotations

import ctypes

import pytest

from moltbot_desktop.security.sandbox.windows import layouts

pytestmark = pytest.mark.skipif(ctypes.sizeof(ctypes.c_void_p) != 8, reason="figures of 64 bits")


@pytest.mark.parametrize(
    ("structure", "size", "places"),
    [
        (
            layouts.BasicLimits,
            64,
            {
                "flags": (16, 4),
                "active_processes": (40, 4),
                "affinity": (48, 8),
                "scheduling": (60, 4),
            },
        ),
        (layouts.IoCounters, 48, {}),
        (
            layouts.ExtendedLimits,
            144,
            {"io": (64, 48), "process_memory": (112, 8), "job_memory": (120, 8)},
        ),
        (layouts.UiRestrictions, 4, {}),
        (layouts.Accounting, 48, {"processes": (36, 4), "active_processes": (40, 4)}),
        (
            layouts.StartupInfo,
            104,
            {"flags": (60, 4), "more_size": (66, 2), "stdin": (80, 8), "stderr": (96, 8)},
        ),
        (layouts.StartupInfoEx, 112, {"attributes": (104, 8)}),
        (layouts.ProcessInformation, 24, {"thread": (8, 8), "pid": (16, 4)}),
    ],
)
def test_sizes_and_places(
    structure: type[ctypes.Structure], size: int, places: dict[str, tuple[int, int]]
) -> None:
    assert ctypes.sizeof(structure) == size
    fields = {name: getattr(structure, name) for name in places}
    assert {name: (one.offset, one.size) for name, one in fields.items()} == places


def test_constants() -> None:
    flags = (
        layouts.KILL_ON_JOB_CLOSE,
        layouts.ACTIVE_PROCESS,
        layouts.JOB_MEMORY,
        layouts.DIE_ON_UNHANDLED_EXCEPTION,
        layouts.BREAKAWAY_OK,
    )
    assert flags == (0x2000, 0x8, 0x200, 0x400, 0x800)
    kinds = (
        layouts.BASIC_UI_RESTRICTIONS,
        layouts.EXTENDED_LIMITS,
        layouts.BASIC_ACCOUNTING,
        layouts.ALL_UI_LIMITS,
    )
    assert kinds == (4, 9, 1, 0xFF)
    starting = (
        layouts.HANDLE_LIST,
        layouts.EXTENDED_STARTUPINFO_PRESENT,
        layouts.CREATE_SUSPENDED,
        layouts.CREATE_NO_WINDOW,
        layouts.CREATE_UNICODE_ENVIRONMENT,
        layouts.USE_STD_HANDLES,
    )
    assert starting == (0x20002, 0x80000, 0x4, 0x8000000, 0x400, 0x100)
