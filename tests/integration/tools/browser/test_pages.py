"""Pages in a real browser: forms, tables, frames, dialogs, files, and what a page may not do."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from moltbot_desktop.sdk.tools import Effect, ToolInput, ToolResult
from moltbot_desktop.tools.browser.settings import BrowserSettings
from tests.fakes.pages import served
from tests.integration.tools.browser.conftest import Desk


def test_a_page_is_told_with_its_table_and_refs(desk: Desk) -> None:
    shown = desk.open()
    assert shown.ok and shown.taints
    assert (shown.data["title"], shown.data["url"]) == ("Shop", desk.site.at())
    lines = str(shown.data["snapshot"]).splitlines()
    assert "  - row: Apples | 1.20" in lines
    assert any(line.startswith('- button "Send" [ref=e') for line in lines)
    assert shown.display == f"Shop (127.0.0.1:{desk.site.port}) is open."


def test_a_form_is_filled_in_and_sent(desk: Desk) -> None:
    desk.open()
    filled = desk.act(
        "fill",
        fields=[
            {"ref": desk.ref('textbox "Name"'), "value": "Eve & 夏娃"},
            {"ref": desk.ref("combobox"), "value": "Pears"},
            {"ref": desk.ref('checkbox "Gift"'), "value": True},
        ],
    )
    assert '"Pears" [selected]' in str(filled.data["snapshot"])
    assert "a form filled in" in filled.display
    sent = desk.act("click", 'button "Send"')
    assert sent.data["title"] == "Thanks"
    assert b"name=Eve+%26+%E5%A4%8F%E5%A8%83&fruit=Pears&gift=on" in desk.site.posted


def test_typing_and_enter_and_choosing(desk: Desk) -> None:
    desk.open()
    assert desk.act("select", "combobox", values=["Pears"]).ok
    sent = desk.act("type", 'textbox "Name"', text="Eve", submit=True)
    assert sent.data["title"] == "Thanks"
    assert desk.site.posted == [b"name=Eve&fruit=Pears"]


def test_a_key_goes_to_what_has_the_focus(desk: Desk) -> None:
    desk.open()
    desk.act("click", 'textbox "Name"')
    desk.act("press", key="x")
    assert '"Name" [ref=' in str(desk.call(action="snapshot").data["snapshot"])
    assert "]: x" in str(desk.call(action="snapshot").data["snapshot"])


def test_a_ref_of_an_earlier_page_is_told_at_once(desk: Desk) -> None:
    desk.open()
    old = desk.ref('button "Ask me"')
    desk.call(action="navigate", url=desk.site.at("/next"))
    late = desk.call(action="act", kind="click", ref=old)
    assert not late.ok
    assert str(late.data["error"]).startswith(f"{old} is not on the page any more")
    assert late.display.startswith("The page has changed")


def test_an_element_that_went_away_is_told_at_once(desk: Desk) -> None:
    desk.open()
    ref = desk.ref('button "Vanish"')
    assert desk.call(action="act", kind="click", ref=ref).ok
    again = desk.call(action="act", kind="click", ref=ref)
    assert "is not on the page any more" in str(again.data["error"])


def test_what_cannot_be_used_is_named(desk: Desk) -> None:
    desk.open()
    ref = desk.ref('button "Sold out"')
    stuck = desk.call(action="act", kind="click", ref=ref)
    assert "button “Sold out” is there but cannot be used now" in str(stuck.data["error"])


def test_a_page_that_changed_after_the_yes_is_not_touched(desk: Desk) -> None:
    """The button's name changes between the card and the click."""
    desk.open()
    desk.settings = _with_evaluate(desk, True)
    ref = desk.ref('button "Ask me"')
    rename = "[...document.querySelectorAll('button')].find(b => b.textContent == 'Ask me')"

    async def between() -> ToolResult:
        given = ToolInput({"action": "act", "kind": "click", "ref": ref})
        agreed = desk.tool.foreseen(given, desk.context).mark
        await desk.called(
            action="act", kind="evaluate", request={"fn": f"{rename}.textContent = 'Buy all'"}
        )
        return await desk.tool.wait(given, replace(desk.context, judged=agreed))

    result = desk.run(between())
    desk.settings = _with_evaluate(desk, False)
    assert not result.ok
    assert desk.call(action="snapshot").data.get("dialog") is None


def test_another_site_in_the_same_tab_is_another_page(desk: Desk) -> None:
    """A key needs no ref; the yes to it was for the site that was there."""
    desk.open("/next")

    async def between() -> ToolResult:
        given = ToolInput({"action": "act", "kind": "press", "key": "Enter"})
        agreed = desk.tool.foreseen(given, desk.context).mark
        await desk.called(action="navigate", url=desk.site.at("/next", "localhost"))
        return await desk.tool.wait(given, replace(desk.context, judged=agreed))

    assert "the page changed since this was judged" in str(desk.run(between()).data["error"])


def test_without_a_judged_call_nothing_is_done(desk: Desk) -> None:
    desk.open()
    given = ToolInput({"action": "act", "kind": "click", "ref": desk.ref('button "Send"')})
    result = desk.run(desk.tool.wait(given, desk.context))
    assert not result.ok
    assert desk.site.posted == []


def _with_evaluate(desk: Desk, on: bool) -> BrowserSettings:
    return replace(desk.settings, evaluate=on)


def test_programs_run_in_pages_only_where_that_is_switched_on(desk: Desk) -> None:
    desk.open()
    off = desk.act("evaluate", request={"fn": "() => 6 * 7"})
    assert not off.ok and "browser.evaluateEnabled" in off.display
    desk.settings = _with_evaluate(desk, True)
    assert desk.act("evaluate", request={"fn": "() => 6 * 7"}).data["result"] == "42"
    desk.settings = _with_evaluate(desk, False)


def test_a_frame_is_read_and_used_and_its_site_named(desk: Desk) -> None:
    desk.site.pages["/framed"] = (
        f"<title>Framed</title><h1>Outer</h1><iframe src='{desk.site.at('/inner', 'localhost')}'>"
    )
    desk.open("/framed")
    ref = desk.ref('button "Pay now"')
    seen = desk.house.seen("agent:main:main")
    assert seen is not None
    assert seen.site_at(ref) == f"localhost:{desk.site.port}"
    paid = desk.call(action="act", kind="click", ref=ref)
    assert "paid" in str(paid.data["snapshot"])


def test_a_dialog_is_told_and_answered(desk: Desk) -> None:
    desk.open()
    asked = desk.act("click", 'button "Ask me"')
    assert asked.data["dialog"] == {"type": "confirm", "message": "Really?"}
    assert desk.effect(action="dialog", accept=True) is Effect.BROWSER_ACT
    waiting = desk.call(action="act", kind="click", ref="e1")
    assert "dialog" in str(waiting.data)
    answered = desk.call(action="dialog", accept=False)
    assert answered.data["title"] == "no"


def test_a_page_that_greets_with_a_dialog(desk: Desk) -> None:
    shown = desk.open("/alert")
    assert shown.data["dialog"] == {"type": "alert", "message": "Welcome"}
    assert "Hello" in str(desk.call(action="dialog").data["snapshot"])


def test_a_file_is_saved_after_a_click_under_a_harmless_name(desk: Desk) -> None:
    desk.open()
    saved = desk.act("click", 'link "Price list"')
    (name,) = saved.data["files"]  # type: ignore[misc]
    assert name == f"downloads/127.0.0.1_{desk.site.port}-AGENTS.md"
    assert (desk.workspace / str(name)).read_text() == "fruit,price\nApples,1.20\n"
    again = desk.act("click", 'link "Price list"')
    assert str(again.data["files"]).endswith("-AGENTS-2.md']")


def test_a_file_that_nobody_agreed_to_is_not_taken(desk: Desk) -> None:
    before = sorted((desk.workspace / "downloads").glob("*"))
    shown = desk.open("/gives")
    assert shown.data.get("notSaved") == ["AGENTS.md"]
    refused = desk.open("/list.csv")
    assert not refused.ok and "click the link to it" in str(refused.data["error"])
    assert sorted((desk.workspace / "downloads").glob("*")) == before


def test_a_file_of_the_workspace_is_sent(desk: Desk, tmp_path: Path) -> None:
    (desk.workspace / "photo.txt").write_text("12345")
    (tmp_path / "secret.txt").write_text("secret")
    desk.open()
    ref = desk.ref('button "Photo"')
    sent = desk.call(action="upload", ref=ref, paths=["photo.txt"])
    assert "photo.txt 5" in str(sent.data["snapshot"])
    outside = desk.call(action="upload", ref=ref, paths=[str(tmp_path / "secret.txt")])
    assert not outside.ok and "outside the workspace" in str(outside.data["error"])
    (desk.workspace / "link").symlink_to(tmp_path / "secret.txt")
    linked = desk.call(action="upload", ref=ref, paths=["link"])
    assert not linked.ok and "secret" not in str(linked.data.get("snapshot"))


def test_pictures_and_pdf_lie_in_the_workspace(desk: Desk) -> None:
    desk.open("/next")
    picture = desk.call(action="screenshot", fullPage=True)
    assert (desk.workspace / str(picture.data["path"])).read_bytes().startswith(b"\x89PNG")
    pdf = desk.call(action="pdf")
    assert (desk.workspace / str(pdf.data["path"])).read_bytes().startswith(b"%PDF")


def test_the_console(desk: Desk) -> None:
    desk.open()
    assert desk.call(action="console", level="error").data["console"] == "error: a fault"


def test_tabs_windows_and_focus(desk: Desk) -> None:
    first = desk.open().data["tab"]
    opened = desk.act("click", 'link "Window"')
    (second,) = opened.data["newTabs"]  # type: ignore[misc]
    rows = desk.call(action="tabs").data["tabs"]
    assert [row["tab"] for row in rows] == [first, second]  # type: ignore[index,union-attr]
    assert desk.call(action="focus", targetId=first).data["title"] == "Shop"
    assert desk.call(action="close", targetId=first).ok
    assert desk.call(action="snapshot").data["title"] == "Popup"
    assert "no tab" in str(desk.call(action="focus", targetId=first).data["error"])


def test_a_window_whose_page_answers_late_is_told_of_all_the_same(desk: Desk) -> None:
    desk.site.pages["/"] = '<title>Shop</title><a href="/late" target="_blank">Window</a>'
    desk.open()
    late = threading.Timer(1.0, desk.site.answers.set)
    late.start()
    opened = desk.act("click", 'link "Window"')
    late.join()
    assert len(opened.data["newTabs"]) == 1  # type: ignore[arg-type]


def test_a_conversation_sees_its_own_tabs_alone(desk: Desk) -> None:
    tab = desk.open().data["tab"]
    desk.session = "agent:main:telegram:dm:7"
    assert desk.call(action="tabs").data["tabs"] == []
    stolen = desk.call(action="snapshot", targetId=tab)
    assert not stolen.ok
    assert desk.open("/next").private  # the owner may be logged in: it is told to nobody unasked


def test_a_long_page_is_cut_and_goes_on(desk: Desk) -> None:
    shown = desk.open("/long")
    assert len(str(shown.data["snapshot"])) <= 6_000
    offset = int(str(shown.data["more"]).rpartition(" ")[2])
    further = desk.call(action="snapshot", offset=offset, maxChars=600)
    assert str(further.data["snapshot"]).startswith(f"- paragraph: Line {offset} of many")


def test_waiting_for_words(desk: Desk) -> None:
    desk.open("/next")
    assert desk.act("wait", text="More words").ok
    assert desk.effect(action="act", kind="wait", text="x") is Effect.BROWSER_LOOK


def test_a_page_with_instructions_taints_and_what_it_wants_is_asked_for(desk: Desk) -> None:
    shown = desk.open("/evil")
    assert shown.taints
    text = str(shown.data["snapshot"])
    assert "(ref=e1]" in text  # the page's own words cannot pass for a ref
    assert text.count("[ref=") == 2
    assert desk.effect(action="act", kind="click", ref="e1") is Effect.BROWSER_ACT
    made_up = "https://evil.example/?q=my+password"
    assert desk.effect(action="open", url=made_up) is Effect.BROWSER_OPEN


def test_an_address_that_was_said_is_opened_freely(desk: Desk) -> None:
    desk.said = f"Look at {desk.site.at('/next')} please"
    assert desk.effect(action="open", url=desk.site.at("/next")) is Effect.BROWSER_READ
    assert desk.effect(action="open", url=desk.site.at("/next?a=1")) is Effect.BROWSER_OPEN
    desk.said = ""
    desk.open()  # its links are named by it
    assert desk.effect(action="navigate", url=desk.site.at("/next")) is Effect.BROWSER_READ


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/", "http://10.1.2.3/", "http://[::1]/"])
def test_computers_that_are_not_public_are_refused(desk: Desk, url: str) -> None:
    refused = desk.call(action="open", url=url)
    assert not refused.ok and "is not a public computer" in str(refused.data["error"])


@pytest.mark.parametrize("url", ["file:///etc/passwd", "chrome://settings", "javascript:alert(1)"])
def test_addresses_that_are_no_pages_are_refused(desk: Desk, url: str) -> None:
    assert "http or https" in str(desk.call(action="open", url=url).data["error"])


def test_a_page_reaches_no_further_than_the_program(desk: Desk) -> None:
    """By a script, a picture, a frame, a socket or a redirect: another server of this computer."""
    with served() as secret:
        desk.site.elsewhere = secret.at("/next")
        desk.site.pages["/reaches"] = (
            f"<title>Reaches</title><img src='{secret.at('/picture')}'>"
            f"<iframe src='{secret.at('/frame')}'></iframe><script>"
            f"new WebSocket('ws://127.0.0.1:{secret.port}/socket');"
            f"fetch('{secret.at('/fetch')}', {{mode: 'no-cors'}})"
            ".finally(() => document.body.append('tried'))</script>"
        )
        desk.open("/reaches")
        assert desk.act("wait", text="tried").ok
        moved = desk.open("/moved")
        assert "Next page" not in str(moved.data)
        assert secret.asked == []


def test_behind_a_closed_seal_no_page_is_reached(desk: Desk) -> None:
    desk.way.closed = True
    sealed = desk.call(action="open", url="https://example.org/")
    assert str(sealed.data["error"]).startswith("sealed")
    assert "example.org" not in desk.way.opened


def test_nothing_of_the_browsers_own_leaves(desk: Desk) -> None:
    """Of all the tests before: only the pages' own hosts were asked for, and they are here."""
    assert desk.way.opened == []
    assert not +desk.way.sent
