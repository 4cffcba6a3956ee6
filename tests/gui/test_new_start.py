"""The button "Start again" ends the program in order, and says that it is to come back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from moltbot_desktop.core.ending import AGAIN
from moltbot_desktop.ui.application import Desktop
from moltbot_desktop.ui.place import SETTINGS


@pytest.fixture
def ends() -> Iterator[list[int]]:
    """The exit codes of a desktop that is made after this, and has ended before this is over."""
    found: list[int] = []
    yield found
    assert found == [AGAIN]


def test_a_new_start_is_an_end_in_order(ends: list[int], desktop: Desktop) -> None:
    """The same way as at any other end, which the fixture goes to its end."""
    asked: list[bool] = []
    desktop.ended.connect(ends.append)
    desktop.quit = lambda: asked.append(True)  # type: ignore[method-assign]
    desktop.window.place(SETTINGS).new_start_requested.emit()
    assert asked == [True]
    del desktop.quit
