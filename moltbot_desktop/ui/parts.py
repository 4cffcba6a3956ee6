"""What the places of the window are made of, handed from one to the next."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtGui import QFont

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.qt.worker import Worker
from moltbot_desktop.sdk.attachments import AttachedDesk
from moltbot_desktop.ui.conversations.past import SideParts
from moltbot_desktop.ui.icons import Icons
from moltbot_desktop.ui.real_press import IsReal, from_window_system
from moltbot_desktop.ui.theme import Theme


@dataclass(frozen=True)
class WindowParts:
    """What the window and its places are made of.

    Attributes:
        worker: for short jobs beside the main thread, such as colouring code.
        settings_file: where place and size are kept (an ini file).
        is_real: which events may answer an approval; tests of other things widen it.
        offline: the window may say that all stays on this computer.
        past: the list of conversations beside the chat; None where nobody keeps any.
        attached: the files that came with messages; None where nobody keeps any.
    """

    icons: Icons
    worker: Worker
    clock: Clock
    theme: Theme
    font: QFont
    settings_file: Path
    is_real: IsReal = from_window_system
    offline: bool = True
    past: SideParts | None = None
    attached: AttachedDesk | None = None
