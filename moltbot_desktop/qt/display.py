"""Whether a window can be shown. Asked before QApplication: without a display Qt aborts."""

from __future__ import annotations

from collections.abc import Mapping


def display_available(environment: Mapping[str, str], platform: str) -> bool:
    """Whether this computer can show windows to the process.

    Args:
        environment: `os.environ`.
        platform: `sys.platform`.
    """
    if platform in ("win32", "darwin"):
        return True
    if chosen := environment.get("QT_QPA_PLATFORM", ""):
        needs = {"xcb": "DISPLAY", "wayland": "WAYLAND_DISPLAY"}
        variable = needs.get(chosen.split(":")[0].split(";")[0])
        return variable is None or bool(environment.get(variable))
    return bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))
