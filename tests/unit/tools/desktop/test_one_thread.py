"""One thread for what belongs to one: it answers, it says what went wrong, it can be left."""

from __future__ import annotations

import threading

import pytest

from moltbot_desktop.tools.desktop.one_thread import OneThread
from moltbot_desktop.tools.desktop.trouble import ScreenTrouble

LONG = 60.0


def test_begin_work_and_end_happen_on_the_same_thread_which_is_another() -> None:
    seen: list[int] = []
    thread = OneThread("one", lambda: seen.append(threading.get_ident()), lambda _: seen.append(
        threading.get_ident()))  # fmt: skip
    assert thread.call(lambda _: threading.get_ident(), LONG) == seen[0]
    assert thread.call(lambda _: 7, LONG) == 7
    thread.close()
    assert len(seen) == 2
    assert len(set(seen)) == 1
    assert seen[0] != threading.get_ident()


def test_whoever_asked_gets_the_error_and_the_thread_goes_on() -> None:
    thread = OneThread("one", lambda: 5, lambda _: None)
    with pytest.raises(ZeroDivisionError):
        thread.call(lambda five: five / 0, LONG)
    with pytest.raises(TimeoutError):  # the work's own, not ours
        thread.call(lambda _: _raise(TimeoutError()), LONG)
    assert thread.call(lambda five: five, LONG) == 5
    thread.close()


def _raise(error: Exception) -> int:
    raise error


def test_a_beginning_that_fails_is_tried_again() -> None:
    begun = 0

    def begin() -> int:
        nonlocal begun
        begun += 1
        if begun == 1:
            raise ScreenTrouble("not yet", "no_automation")
        return begun

    thread = OneThread("one", begin, lambda _: None)
    with pytest.raises(ScreenTrouble):
        thread.call(lambda it: it, LONG)
    assert thread.call(lambda it: it, LONG) == 2
    thread.close()


def test_one_that_hangs_is_left_and_the_next_call_has_another() -> None:
    free, ended = threading.Event(), threading.Event()
    thread = OneThread("one", threading.get_ident, lambda _: ended.set())
    first = thread.call(lambda it: it, LONG)
    with pytest.raises(ScreenTrouble) as trouble:
        thread.call(lambda _: free.wait(LONG), 0.01)
    assert trouble.value.told == "hangs"
    assert thread.call(lambda it: it, LONG) != first
    free.set()
    assert ended.wait(LONG)
    thread.close()


def test_closing_what_never_began_and_closing_twice() -> None:
    thread = OneThread("one", lambda: None, lambda _: None)
    thread.close()
    thread.call(lambda _: None, LONG)
    thread.close()
    thread.close()
