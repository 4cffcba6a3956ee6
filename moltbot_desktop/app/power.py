"""Whether this computer runs on its battery: then nothing is done that nobody asked for."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

from moltbot_desktop.storage.bounded import MOST_STATE, read_plain

_LINUX_SUPPLIES = Path("/sys/class/power_supply")


def on_battery(supplies: Path = _LINUX_SUPPLIES) -> bool:
    """True only when that is certain; a computer without any battery is False.

    Linux reads sysfs (a few microseconds), Windows asks the system. macOS has no cheap question
    without another package: always False there.
    """
    if sys.platform == "win32":
        return _windows_on_battery()
    mains = [_content(supply / "online") for supply in _of_type(supplies, "Mains", "USB")]
    batteries = [_content(supply / "status") for supply in _of_type(supplies, "Battery")]
    return "Discharging" in batteries and "1" not in mains


def _of_type(supplies: Path, *types: str) -> list[Path]:
    try:
        found = sorted(supplies.iterdir())
    except OSError:
        return []
    return [supply for supply in found if _content(supply / "type") in types]


def _content(path: Path) -> str:
    try:
        return read_plain(path, MOST_STATE).decode("utf-8", "replace").strip()
    except OSError:
        return ""


if sys.platform == "win32":

    class _PowerStatus(ctypes.Structure):
        """SYSTEM_POWER_STATUS of winbase.h."""

        _fields_ = (
            ("ACLineStatus", ctypes.c_ubyte),
            ("BatteryFlag", ctypes.c_ubyte),
            ("BatteryLifePercent", ctypes.c_ubyte),
            ("SystemStatusFlag", ctypes.c_ubyte),
            ("BatteryLifeTime", ctypes.c_ulong),
            ("BatteryFullLifeTime", ctypes.c_ulong),
        )

    def _windows_on_battery() -> bool:
        status = _PowerStatus()
        known = ctypes.windll.kernel32.GetSystemPowerStatus(ctypes.byref(status))
        return bool(known) and status.ACLineStatus == 0
