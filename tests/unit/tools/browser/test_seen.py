"""What a card says of a call, whose site it is, and that a yes is bound to the page it was for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.tools.browser.orders import Order, read_order
from moltbot_desktop.tools.browser.seen import Seen, check, foreseen, mark_of, site_of, sites
from moltbot_desktop.tools.browser.snapshot import Element
from moltbot_desktop.tools.browser.trouble import BrowserTrouble, StaleRef

PAGE = Seen(
    "t1",
    "https://shop.example/order",
    "Shop",
    {
        "e1": Element("e1", "e1", "textbox", "Name"),
        "e2": Element("e2", "e9", "button", "Send"),
        "e3": Element("e3", "f1e2", "button", "Pay now"),
    },
    {"f1": "https://pay.example/frame"},
)


def order(**given: object) -> Order:
    return read_order({"action": "act", **given})  # type: ignore[dict-item]


def title(**given: object) -> str:
    return foreseen(order(**given), PAGE, Language.ENGLISH).title


def test_the_card_names_the_button_and_the_site() -> None:
    assert title(kind="click", ref="e2") == "click button “Send” on shop.example"
    typed = title(kind="type", ref="e1", text="Eve", submit=True)
    assert typed == "type “Eve” into textbox “Name” on shop.example, and send it"
    filled = title(kind="fill", fields=[{"ref": "e1", "value": "Eve"}])
    assert filled == "fill in a form on shop.example: textbox “Name” = “Eve”"


def test_in_chinese_too() -> None:
    said = foreseen(order(kind="click", ref="e2"), PAGE, Language.CHINESE).title
    assert said == "在 shop.example 上点击按钮“Send”"


def test_a_yes_is_to_the_same_in_either_language() -> None:
    click = order(kind="click", ref="e2")
    english, chinese = (foreseen(click, PAGE, one) for one in Language)
    assert english.mark == chinese.mark and english.title != chinese.title


def test_a_frame_of_somebody_else_is_named() -> None:
    assert title(kind="click", ref="e3") == ("click button “Pay now” on pay.example (shop.example)")
    assert sites(order(kind="click", ref="e3"), PAGE) == ("shop.example", "pay.example")
    assert sites(order(kind="click", ref="e2"), PAGE) == ("shop.example",)


def test_a_key_may_go_to_any_frame() -> None:
    assert sites(order(kind="press", key="Enter"), PAGE) == ("shop.example", "pay.example")


def test_a_yes_is_for_this_element_of_this_page() -> None:
    click = order(kind="click", ref="e2")
    mark = mark_of(click, PAGE)
    assert foreseen(click, PAGE, Language.ENGLISH).mark == mark
    renamed = {**PAGE.elements, "e2": Element("e2", "e9", "button", "Buy")}
    others = (
        replace(PAGE, url="https://evil.example/order"),
        replace(PAGE, elements=renamed),
        replace(PAGE, elements={}),
        replace(PAGE, tab="t2"),
        replace(PAGE, dialog="Really?"),
    )
    assert mark not in [mark_of(click, one) for one in others]
    assert mark != mark_of(order(kind="click", ref="e2", request={"doubleClick": True}), PAGE)
    assert mark == mark_of(click, replace(PAGE, title="Shop (1)"))


def test_looking_binds_nothing() -> None:
    look = read_order({"action": "snapshot"})
    assert foreseen(look, PAGE, Language.ENGLISH).mark == ""


def test_sites_by_host_and_unusual_port() -> None:
    assert site_of("https://Example.org:443/a") == "example.org"
    assert site_of("http://127.0.0.1:8080/") == "127.0.0.1:8080"
    assert site_of("about:blank") == "about"
    assert site_of("http://[") == "?"


def test_what_can_come_to_nothing_is_refused_before_a_card() -> None:
    check(order(kind="click", ref="e2"), PAGE)
    check(order(kind="press", key="Enter"), PAGE)
    with pytest.raises(StaleRef):
        check(order(kind="click", ref="e9"), PAGE)
    with pytest.raises(StaleRef):
        check(order(kind="fill", fields=[{"ref": "e1", "value": "a"}, {"ref": "e9"}]), PAGE)
    with pytest.raises(BrowserTrouble, match="no page is open"):
        check(order(kind="press", key="Enter"), None)
    with pytest.raises(BrowserTrouble, match="there is no tab 't7'"):
        check(order(kind="press", key="Enter", targetId="t7"), None)


def test_what_needs_no_page_is_not_refused() -> None:
    for action in ("status", "start", "tabs", "snapshot", "stop"):
        check(read_order({"action": action}), None)
    check(read_order({"action": "open", "url": "https://shop.example"}), None)


def test_the_site_that_is_judged_is_the_one_that_was_seen() -> None:
    pay = order(kind="click", ref="e3")
    assert foreseen(pay, PAGE, Language.ENGLISH).sites == ("shop.example", "pay.example")


@pytest.mark.parametrize(
    ("call", "unnoticed"),
    [
        ({"action": "snapshot"}, True),
        ({"action": "screenshot"}, True),
        ({"action": "tabs"}, True),
        ({"action": "console"}, True),
        ({"action": "act", "kind": "wait", "text": "x"}, True),
        ({"action": "focus"}, False),  # the page is told that it is seen
        ({"action": "pdf"}, False),  # and that it is printed
        ({"action": "act", "kind": "resize", "width": 801, "height": 600}, False),  # 801 is a word
        ({"action": "act", "kind": "hover", "ref": "e1"}, False),
        ({"action": "navigate", "url": "https://shop.example"}, False),
        ({"action": "dialog"}, False),
    ],
)
def test_only_what_no_page_can_notice_is_a_look(call: JsonObject, unnoticed: bool) -> None:
    assert read_order(call).unnoticed is unnoticed
