"""A value is made once, also when several threads ask for it at the same moment."""

from __future__ import annotations

import threading
import time

import pytest

from moltbot_desktop.app.once import Once


def test_it_is_made_when_it_is_asked_for() -> None:
    made: list[int] = []

    def make() -> int:
        made.append(1)
        return len(made)

    value = Once(make)
    assert made == []
    assert (value(), value(), made) == (1, 1, [1])


def test_threads_that_ask_together_get_the_same() -> None:
    made: list[object] = []

    def make() -> object:
        time.sleep(0.02)
        made.append(object())
        return made[-1]

    value, got = Once(make), list[object]()
    threads = [threading.Thread(target=lambda: got.append(value())) for _ in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(made) == 1 and got == made * 8


def test_one_that_failed_is_tried_again() -> None:
    tries: list[int] = []

    def make() -> str:
        tries.append(1)
        if len(tries) == 1:
            raise OSError("not yet")
        return "there"

    value = Once(make)
    with pytest.raises(OSError, match="not yet"):
        value()
    assert value() == "there"
