"""Work through UI Automation, driven by a stand-in made of Microsoft's documents; never run on
Windows yet. Each test that rests on a document names it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.sdk.desktop import Box
from moltbot_desktop.tools.desktop import uia
from moltbot_desktop.tools.desktop.elements import Element, same
from moltbot_desktop.tools.desktop.system import OpenWindow
from moltbot_desktop.tools.desktop.trouble import ScreenTrouble
from moltbot_desktop.tools.desktop.uia import UiaTrees
from tests.fakes.uia import (
    EXPAND,
    GONE,
    INVOKE,
    NOT_ENABLED,
    OWN,
    SELECT,
    TIMEOUT,
    TOGGLE,
    VALUE,
    Control,
    FakeAutomation,
)

WINDOW = OpenWindow(77, 4711, "Program", "program", Box(0, 0, 400, 300), in_front=True)
Made = Callable[..., tuple[UiaTrees, FakeAutomation]]


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2026, 11, 22, tzinfo=UTC))


@pytest.fixture
def made(clock: ManualClock) -> Iterator[Made]:
    open_trees: list[UiaTrees] = []

    def make(*controls: Control, popups: dict[int, Control] | None = None) -> object:
        over = popups or {}
        automation = FakeAutomation({77: Control(50032, "Program", controls), **over})
        trees = UiaTrees(clock, lambda _: tuple(over), automation.begun)
        open_trees.append(trees)
        return trees, automation

    yield make  # type: ignore[misc]
    for one in open_trees:
        one.close()


def look(trees: UiaTrees, clock: ManualClock) -> dict[str, Element]:
    with trees.opened(clock.advance) as tree:
        return {one.name: one for one in tree.window(WINDOW)}


def button(name: str = "Save", **more: object) -> Control:
    return Control(50000, name, can={INVOKE}, **more)  # type: ignore[arg-type]


def test_controls_of_a_window_and_of_the_menu_that_is_open_over_it(
    made: Made, clock: ManualClock
) -> None:
    """A menu is a window of its own, outside of its program's:
    https://learn.microsoft.com/windows/win32/menurc/about-menus"""
    menu = Control(50009, "Menu", [Control(50011, "Leave", can={INVOKE}, box=(390, 290, 99, 99))])
    panel = Control(50033, "", [button()], box=(0.0, 0.0, 300.0, 200.0))
    trees, _ = made(panel, popups={78: menu})
    found = look(trees, clock)
    assert found["Save"].role == "push button"
    assert found["Leave"].box == Box(390, 290, 99, 99)


def test_all_calls_are_made_on_one_thread_in_an_apartment_that_is_left_once(
    made: Made, clock: ManualClock
) -> None:
    """https://learn.microsoft.com/windows/win32/winauto/uiauto-threading; every CoInitializeEx has
    its CoUninitialize: https://learn.microsoft.com/windows/win32/api/combaseapi/
    nf-combaseapi-couninitialize"""
    trees, automation = made(button())
    look(trees, clock)
    look(trees, clock)
    assert len(automation.threads) == 1
    assert automation.threads[0] != threading.get_ident()
    trees.close()
    assert automation.ended == 1


def test_a_program_that_hangs_is_waited_for_no_longer_than_is_said(
    made: Made, clock: ManualClock
) -> None:
    """IUIAutomation2: https://learn.microsoft.com/windows/win32/api/uiautomationclient/
    nn-uiautomationclient-iuiautomation2 (milliseconds; by default 2 s and 20 s)"""
    trees, automation = made(button())
    look(trees, clock)
    assert automation.limits == {"ConnectionTimeout": 1_500, "TransactionTimeout": 3_000}


def test_a_part_that_does_not_answer_is_left_out_and_the_rest_is_told(
    made: Made, clock: ManualClock
) -> None:
    """UIA_E_TIMEOUT: https://learn.microsoft.com/windows/win32/winauto/uiauto-error-codes"""
    dead = Control(50033, "dead", [button("never")], fails={"FindAllBuildCache": TIMEOUT})
    trees, _ = made(dead, button())
    assert set(look(trees, clock)) == {"dead", "Save"}


def test_one_that_never_comes_back_costs_its_thread_and_not_the_program(
    made: Made, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits = threading.Event()
    hung = button(waits=waits)
    trees, automation = made(hung)
    found = look(trees, clock)
    monkeypatch.setattr(uia, "_LONGEST", 0.05)
    try:
        with pytest.raises(ScreenTrouble) as trouble:
            trees.again(found["Save"])
        assert trouble.value.told == "hangs"
    finally:
        waits.set()
    monkeypatch.undo()
    hung.waits = None
    assert "Save" in look(trees, clock)
    assert len(automation.threads) == 2


def test_what_belongs_to_this_program_is_neither_told_nor_pressed(
    made: Made, clock: ManualClock
) -> None:
    ours, theirs = button("Allow", pid=OWN), button()
    trees, _ = made(ours, theirs)
    found = look(trees, clock)
    assert set(found) == {"Save"}
    theirs.pid = OWN  # a window that changed hands
    for act in (lambda: trees.press(found["Save"]), lambda: trees.again(found["Save"])):
        with pytest.raises(ScreenTrouble) as refused:
            act()
        assert refused.value.told == "own"
    assert theirs.said == []


@pytest.mark.parametrize(
    ("control", "said"),
    [
        (button(), "Invoke"),
        (Control(50002, "Save", can={TOGGLE}), "Toggle"),
        (Control(50007, "Save", can={SELECT, INVOKE}), "Select"),
        (Control(50003, "Save", can={EXPAND}, more={30070: 0}), "Expand"),
        (Control(50003, "Save", can={EXPAND}, more={30070: 1}), "Collapse"),
    ],
)
def test_the_program_does_what_a_click_would(
    made: Made, clock: ManualClock, control: Control, said: str
) -> None:
    """https://learn.microsoft.com/windows/win32/winauto/uiauto-controlpatternsoverview"""
    control.said.clear()
    trees, _ = made(control)
    assert trees.press(look(trees, clock)["Save"])
    assert control.said == [said]


def test_where_there_is_no_such_deed_the_pointer_is_left(made: Made, clock: ManualClock) -> None:
    """GetCurrentPattern gives NULL for a pattern that is not there:
    https://learn.microsoft.com/windows/win32/api/uiautomationclient/
    nf-uiautomationclient-iuiautomationelement-getcurrentpattern"""
    field = Control(50004, "Name", can={VALUE})
    lost = button("lost")
    trees, _ = made(field, lost)
    found = look(trees, clock)
    assert not trees.press(found["Name"])
    lost.more[30031] = True
    lost.can = frozenset()
    assert not trees.press(found["lost"])


@pytest.mark.parametrize("error", [TIMEOUT, GONE, 0x80004005])
def test_what_was_begun_is_never_done_twice(made: Made, clock: ManualClock, error: int) -> None:
    """A program that opens a dialog inside Invoke keeps the caller until it is closed:
    https://learn.microsoft.com/windows/win32/api/uiautomationcore/
    nf-uiautomationcore-iinvokeprovider-invoke"""
    save = button(fails={"Invoke": error})
    trees, _ = made(save)
    assert trees.press(look(trees, clock)["Save"])
    assert save.said == ["Invoke"]


def test_what_is_gone_or_has_become_grey_has_changed(made: Made, clock: ManualClock) -> None:
    save, grey = button(), button("Grey", fails={"Invoke": NOT_ENABLED})
    trees, _ = made(save, grey)
    found = look(trees, clock)
    save.fails["BuildUpdatedCache"] = GONE
    assert trees.again(found["Save"]) is None
    for name in ("Save", "Grey"):
        with pytest.raises(ScreenTrouble) as changed:
            trees.press(found[name])
        assert changed.value.told == "changed"


def test_a_mark_holds_for_the_look_it_came_from(made: Made, clock: ManualClock) -> None:
    save = button()
    trees, _ = made(save)
    found = look(trees, clock)["Save"]
    now = trees.again(found)
    assert now is not None
    assert same(found, now)
    save.name = "Delete"
    now = trees.again(found)
    assert now is not None
    assert not same(found, now)
    look(trees, clock)
    assert trees.again(found) is None


def test_text_is_put_into_a_field_and_seen_to_be_there(made: Made, clock: ManualClock) -> None:
    """https://learn.microsoft.com/windows/win32/api/uiautomationclient/
    nf-uiautomationclient-iuiautomationvaluepattern-setvalue"""
    writable = {30046: False, 30045: "before"}
    field = Control(50004, "Name", can={VALUE}, more=dict(writable))
    deaf = Control(50004, "deaf", can={VALUE}, more=dict(writable), fails={"SetValue": 0x80070005})
    fixed = Control(50004, "fixed", can={VALUE}, more={30045: "x"})
    secret = Control(50004, "secret", can={VALUE}, more={**writable, 30019: True})
    forgets = Control(50004, "forgets", can={VALUE}, more=dict(writable), forgets=True)
    trees, _ = made(field, deaf, fixed, secret, forgets)
    found = look(trees, clock)
    assert trees.put(found["Name"], "你好")
    assert field.said == ["SetValue 你好"]
    assert not trees.put(found["deaf"], "x")
    assert not trees.put(found["forgets"], "x")
    assert not trees.put(found["fixed"], "y")
    assert not trees.put(found["secret"], "y")
    assert fixed.said == secret.said == []


def test_a_browser_that_tells_nothing_at_first_gets_a_moment_and_only_once(
    made: Made, clock: ManualClock
) -> None:
    trees, automation = made()
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        clock.advance(seconds)
        if len(pauses) == 3:
            automation.windows[77] = replace(automation.windows[77], children=[button()])

    with trees.opened(pause) as tree:
        assert [one.name for one in tree.window(WINDOW)] == ["Save"]
        assert len(pauses) == 3
        automation.windows[77] = Control(50032, "Program")
        assert tree.window(WINDOW) == ()
    assert len(pauses) == 3


def test_a_window_that_is_gone_tells_nothing(made: Made, clock: ManualClock) -> None:
    trees, automation = made(button())
    automation.windows.clear()
    assert look(trees, clock) == {}
    assert clock.monotonic() < 10


def test_without_windows_the_reason_is_said(clock: ManualClock) -> None:
    trees = UiaTrees(clock, lambda _: ())
    with pytest.raises(ScreenTrouble) as trouble:
        look(trees, clock)
    assert trouble.value.told == "no_automation"
    trees.close()
