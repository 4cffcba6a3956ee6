"""Work through the accessibility of macOS, driven by a stand-in made of Apple's documents; never
run on macOS yet. Each test that rests on a document names it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.sdk.desktop import Box
from moltbot_desktop.tools.desktop.ax import AxTrees
from moltbot_desktop.tools.desktop.elements import Element, same
from moltbot_desktop.tools.desktop.system import OpenWindow, Tree
from moltbot_desktop.tools.desktop.trouble import ScreenTrouble
from tests.fakes.ax import (
    ACTION_UNSUPPORTED,
    CANNOT_COMPLETE,
    INVALID,
    OWN,
    Array,
    FakeServices,
    Native,
)

WINDOW = OpenWindow(9, 4711, "Program", "Program", Box(0, 30, 400, 300), in_front=True)
Made = Callable[..., tuple[AxTrees, FakeServices]]


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2026, 11, 22, tzinfo=UTC))


@pytest.fixture
def made(clock: ManualClock) -> Iterator[Made]:
    open_trees: list[AxTrees] = []

    def make(*controls: Native, more: list[Native] | None = None) -> object:
        window = Native("AXWindow", controls, box=(0, 30, 400, 300), actions=["AXRaise"])
        services = FakeServices({4711: [*(more or []), window]})
        trees = AxTrees(clock, lambda: services)
        open_trees.append(trees)
        return trees, services

    yield make  # type: ignore[misc]
    for one in open_trees:
        one.close()


def look(trees: AxTrees, clock: ManualClock) -> tuple[dict[str, Element], Tree]:
    with trees.opened(clock.advance) as tree:
        return {one.name: one for one in tree.window(WINDOW)}, tree


def button(name: str = "Save", **more: object) -> Native:
    given: dict[str, object] = {"box": (20, 50, 60, 20), "actions": ["AXPress"], **more}
    return Native("AXButton", AXTitle=name, **given)  # type: ignore[arg-type]


def test_controls_of_the_window_that_lies_where_the_window_server_says(
    made: Made, clock: ManualClock
) -> None:
    """AXWindows tells no number; the place is what both have: https://developer.apple.com/
    documentation/applicationservices/kaxwindowsattribute"""
    other = Native("AXWindow", [button("wrong")], box=(500, 30, 400, 300))
    group = Native("AXGroup", [button()], box=(0, 30, 400, 100))
    trees, _ = made(group, more=[other])
    found, _ = look(trees, clock)
    assert "wrong" not in found
    assert found["Save"].box == Box(20, 50, 60, 20)
    assert found["Save"].role == "push button"


def test_the_menu_bar_and_the_menu_that_is_open(made: Made, clock: ManualClock) -> None:
    item = Native("AXMenuItem", AXTitle="Quit", box=(10, 300, 200, 22))
    menu = Native("AXMenu", [item], box=(10, 24, 200, 500))
    hidden = Native("AXMenuItem", AXTitle="Undo")
    bar = Native(
        "AXMenuBar",
        [
            Native("AXMenuBarItem", [menu], AXTitle="File", AXSelected=True, box=(10, 0, 40, 24)),
            Native("AXMenuBarItem", [hidden], AXTitle="Edit", box=(50, 0, 40, 24)),
        ],
        box=(0, 0, 1440, 24),
    )
    trees, services = made(button())
    services.programs[4711].attributes["AXMenuBar"] = bar
    found, _ = look(trees, clock)
    assert {"File", "Edit", "Quit", "Save"} <= set(found)
    assert "Undo" not in found
    assert found["Quit"].box == Box(10, 300, 200, 22)


def test_a_long_table_tells_the_rows_in_sight(made: Made, clock: ManualClock) -> None:
    """kAXVisibleRowsAttribute: https://developer.apple.com/documentation/applicationservices/
    axattributeconstants_h"""
    label = Native("AXStaticText", AXValue="Report", box=(12, 52, 80, 16))
    row = Native("AXRow", [Native("AXCell", [label], box=(10, 50, 300, 20))], box=(10, 50, 300, 20))
    table = Native("AXTable", [], box=(10, 50, 300, 200), AXVisibleRows=Array([row]))
    table.attributes["AXChildren"] = Array([row] * 3000)
    trees, _ = made(table)
    found, tree = look(trees, clock)
    assert found["Report"].role in ("list item", "table cell")
    assert len(found) < 10
    now = tree.again(found["Report"])
    assert now is not None
    assert same(found["Report"], now)


def test_no_program_can_keep_us_longer_than_is_said(made: Made, clock: ManualClock) -> None:
    """AXUIElementSetMessagingTimeout for the system-wide element holds for all, in seconds:
    https://developer.apple.com/documentation/applicationservices/axuielement_h"""
    trees, services = made(button())
    look(trees, clock)
    assert services.timeouts == [(services.everything, 1.5)]


def test_what_does_not_answer_is_left_out(made: Made, clock: ManualClock) -> None:
    dead = button("dead")
    dead.error = CANNOT_COMPLETE
    trees, _ = made(dead, button())
    assert set(look(trees, clock)[0]) == {"Save"}


def test_without_leave_the_way_to_it_is_said_and_macos_asks_once(
    made: Made, clock: ManualClock
) -> None:
    """AXIsProcessTrustedWithOptions: https://developer.apple.com/documentation/
    applicationservices/axuielement_h"""
    trees, services = made(button())
    services.trusted = False
    for _ in range(2):
        with pytest.raises(ScreenTrouble) as refused:
            look(trees, clock)
        assert refused.value.told == "mac_control"
    assert services.prompts == 1


def test_leave_that_is_taken_back_meanwhile_is_said_too(made: Made, clock: ManualClock) -> None:
    """kAXErrorAPIDisabled: https://developer.apple.com/documentation/applicationservices/axerror"""
    trees, services = made(button())
    found, tree = look(trees, clock)
    services.trusted = False
    with pytest.raises(ScreenTrouble) as refused:
        tree.again(found["Save"])
    assert refused.value.told == "mac_control"


def test_what_belongs_to_this_program_is_neither_told_nor_pressed(
    made: Made, clock: ManualClock
) -> None:
    ours, theirs = button("Allow", pid=OWN), button()
    trees, _ = made(ours, theirs)
    found, tree = look(trees, clock)
    assert set(found) == {"Save"}
    theirs.pid = OWN
    for act in (tree.press, tree.again):
        with pytest.raises(ScreenTrouble) as refused:
            act(found["Save"])
        assert refused.value.told == "own"
    assert theirs.said == []


def test_the_program_does_what_a_click_would(made: Made, clock: ManualClock) -> None:
    save, field = button(), Native("AXTextField", AXTitle="Name", actions=["AXPress"])
    field.place(20, 80)
    bare = button("bare", actions=[], box=(20, 110, 60, 20))
    trees, _ = made(save, field, bare)
    found, tree = look(trees, clock)
    assert tree.press(found["Save"])
    assert save.said == ["AXPress"]
    assert not tree.press(found["Name"])
    assert not tree.press(found["bare"])
    assert field.said == bare.said == []


@pytest.mark.parametrize(("error", "done"), [(CANNOT_COMPLETE, True), (ACTION_UNSUPPORTED, False)])
def test_no_answer_in_time_may_mean_that_it_was_done(
    made: Made, clock: ManualClock, error: int, done: bool
) -> None:
    """ "This does not necessarily mean that the function has failed": https://developer.apple.com/
    documentation/applicationservices/1462091-axuielementperformaction"""
    save = button()
    save.action_error = error
    trees, _ = made(save)
    found, tree = look(trees, clock)
    assert tree.press(found["Save"]) is done


def test_what_is_gone_has_changed(made: Made, clock: ManualClock) -> None:
    save = button()
    trees, _ = made(save)
    found, tree = look(trees, clock)
    save.error = INVALID
    assert tree.again(found["Save"]) is None
    with pytest.raises(ScreenTrouble) as changed:
        tree.press(found["Save"])
    assert changed.value.told == "changed"


def test_text_is_put_into_a_field_and_seen_to_be_there(made: Made, clock: ManualClock) -> None:
    field, fixed, deaf, secret = (
        Native("AXTextField", AXTitle=name, AXValue="before", box=(20, y, 90, 20))
        for name, y in (("Name", 50), ("fixed", 80), ("deaf", 110), ("secret", 140))
    )
    field.settable = deaf.settable = secret.settable = True
    deaf.action_error = CANNOT_COMPLETE
    secret.attributes["AXSubrole"] = "AXSecureTextField"
    trees, _ = made(field, fixed, deaf, secret)
    found, tree = look(trees, clock)
    assert tree.put(found["Name"], "你好")
    assert field.said == [("AXValue", "你好")]
    for name in ("fixed", "deaf", "secret"):
        assert not tree.put(found[name], "x")
    assert fixed.said == secret.said == []


def test_what_is_made_with_chromium_is_woken(made: Made, clock: ManualClock) -> None:
    """AXManualAccessibility: https://www.electronjs.org/docs/latest/tutorial/accessibility"""
    trees, services = made()
    window = Native("AXWindow", [button()], box=(0, 30, 400, 300))
    services.asleep = lambda: services.programs[4711].attributes.update(AXWindows=Array([window]))
    assert set(look(trees, clock)[0]) == {"Save"}
    assert clock.monotonic() < 1


def test_bringing_a_window_to_the_front_and_who_has_the_keys(
    made: Made, clock: ManualClock
) -> None:
    trees, services = made(button())
    trees.bring(WINDOW)
    program = services.programs[4711]
    windows = program.attributes["AXWindows"]
    assert isinstance(windows, Array)
    assert windows[0].said == ["AXRaise"]  # type: ignore[attr-defined]
    assert ("AXFrontmost", True) in program.said
    assert trees.front() == 4711
    assert trees.titles(4711) == (("", Box(0, 30, 400, 300)),)
    assert trees.titles(1) == ()


def test_all_messages_are_sent_from_one_thread(
    made: Made, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    trees, services = made(button())
    threads: set[int] = set()
    real = services.AXUIElementGetPid

    def asked(native: Native, out: None) -> tuple[int, int]:
        threads.add(threading.get_ident())
        return real(native, out)

    monkeypatch.setattr(services, "AXUIElementGetPid", asked)
    look(trees, clock)
    look(trees, clock)
    assert len(threads) == 1
    assert threading.get_ident() not in threads


def test_without_macos_the_reason_is_said(clock: ManualClock) -> None:
    trees = AxTrees(clock)
    with pytest.raises(ScreenTrouble) as trouble:
        look(trees, clock)
    assert trouble.value.told == "no_automation"
    trees.close()
