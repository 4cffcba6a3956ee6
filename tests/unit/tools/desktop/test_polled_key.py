"""A key that is looked at: each press counts once, and looking ends when it is closed."""

from __future__ import annotations

import threading

from moltbot_desktop.tools.desktop.polled_key import PolledKey

LONG = 60.0


def test_each_press_counts_once_and_what_was_down_before_does_not() -> None:
    looks = iter([True, True, False, True, True, False, False, True])
    pressed, over = [], threading.Event()

    def is_down() -> bool:
        down = next(looks, None)
        if down is None:
            over.set()
        return bool(down)

    key = PolledKey(is_down, lambda: pressed.append(1), every=0.001)
    assert over.wait(LONG)
    key.close()
    assert len(pressed) == 2
