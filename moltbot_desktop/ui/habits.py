"""The settings of the window that hold at once: key, words in notifications, the look."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

from moltbot_desktop.ui.theme import ThemeChoice

DEFAULT_HOTKEY = "Ctrl+Alt+Space"


@dataclass(frozen=True)
class Habits:
    """See `config.settings.UiConfig`.

    Attributes:
        hotkey: of the quick question; "" for none.
        notifications: reminders and news show as notifications of the desktop.
        notification_text: they say what it is about.
        theme: how the windows look.
    """

    hotkey: str = ""
    notifications: bool = True
    notification_text: bool = True
    theme: ThemeChoice = "auto"


class HabitsNow:
    """Brings them to whoever follows; `tell` and `follow` from any thread."""

    def __init__(self, habits: Habits) -> None:
        self._lock = Lock()
        self._habits = habits
        self._listener: Callable[[Habits], None] = lambda _: None

    def follow(self, listener: Callable[[Habits], None]) -> None:
        """Call `listener` with those of now, and whenever they change."""
        with self._lock:
            self._listener = listener
            habits = self._habits
        listener(habits)

    def tell(self, habits: Habits) -> None:
        with self._lock:
            changed, self._habits = habits != self._habits, habits
            listener = self._listener
        if changed:
            listener(habits)
