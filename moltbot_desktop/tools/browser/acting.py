"""What an `act` does on a page.

    await act(tab, order)          # raises StaleRef at once, BrowserTrouble after eight seconds

A ref that is not there is told at once. An element that is there and cannot be used (covered,
disabled, moving) is waited for as long as `_USABLE_MS`, and then named.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Iterator, Sequence
from typing import Any, Literal, cast

from playwright.async_api import BrowserContext, Error, FilePayload, Locator, Request
from playwright.async_api import TimeoutError as PageTimeout

from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.tools.browser.orders import FieldValue, Kind, Order
from moltbot_desktop.tools.browser.tabs import Tab
from moltbot_desktop.tools.browser.trouble import BrowserTrouble

_USABLE_MS = 8_000
_TEXT_MS = 15_000
_SETTLE_SECONDS = 0.15
_TYPING_DELAY_MS = 60
_LONGEST_VALUE = 10_000
_CLOSED = "has been closed"
_LEAST_SIDE, _MOST_SIDE = 200, 4_000

_Button = Literal["left", "middle", "right"]
_Modifiers = Sequence[Literal["Alt", "Control", "ControlOrMeta", "Meta", "Shift"]]


async def act(tab: Tab, order: Order) -> JsonValue:
    """What came of it, where something does (`evaluate`).

    Raises:
        BrowserTrouble: it could not be done; StaleRef among them.
        DialogWaits: the page asks something now.
    """
    tab.check_dialog()
    try:
        return await _carried_out(tab, order)
    except PageTimeout as error:
        raise _stuck(tab, order) from error
    except Error as error:
        if _CLOSED in error.message:
            raise  # no fault of what was to be done
        raise BrowserTrouble(f"the page did not do it: {first_line(error)}", "need") from error


async def upload(tab: Tab, ref: str, files: Sequence[FilePayload]) -> None:
    """Give `files` to a field for them, or to what a button asks for. Raises as `act`."""
    tab.check_dialog()
    target = await tab.element(ref)
    try:
        if await tab.unless_it_asks(target.evaluate("e => e.type === 'file'")):
            await tab.unless_it_asks(target.set_input_files(list(files), timeout=_USABLE_MS))
            return
        async with tab.page.expect_file_chooser(timeout=_USABLE_MS) as chooser:
            await tab.unless_it_asks(target.click(timeout=_USABLE_MS))
        await (await chooser.value).set_files(list(files))
    except PageTimeout as error:
        raise BrowserTrouble(f"{ref} takes no files", "stuck", what=ref) from error
    except Error as error:
        raise BrowserTrouble(f"it took no files: {first_line(error)}", "need") from error


async def settled(tab: Tab, seconds: float = 3.0) -> None:
    """A moment for what was begun: a page that comes, a script that answers, a file."""
    await tab.unless_it_asks(asyncio.sleep(_SETTLE_SECONDS))
    try:
        await tab.unless_it_asks(_loaded(tab, seconds))
    except Error:
        return  # a slow page is looked at as far as it is


async def _loaded(tab: Tab, seconds: float) -> None:
    """The page is read, or gives a file: after that it may never say that it is read."""
    waiting = tab.page.wait_for_load_state("domcontentloaded", timeout=seconds * 1000)
    tasks = (asyncio.ensure_future(waiting), asyncio.ensure_future(tab.gives.wait()))
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@contextlib.contextmanager
def windows_asked_for(context: BrowserContext) -> Iterator[list[str]]:
    """The addresses of windows that a page begins to open meanwhile.

    A window is told of when its own page has answered, which may be long after what opened it
    has settled. Its request is told of at once, and has no frame yet. (A devtools session would
    say it too, and hangs while a page shows a dialog.)
    """
    asked: list[str] = []

    def on_request(request: Request) -> None:
        try:
            _ = request.frame
        except Error:
            if request.is_navigation_request():
                asked.append(request.url)

    context.on("request", on_request)
    try:
        yield asked
    finally:
        context.remove_listener("request", on_request)


def first_line(error: Error) -> str:
    return error.message.strip().partition("\n")[0][:300]


async def _carried_out(tab: Tab, order: Order) -> JsonValue:
    page = tab.page
    match order.kind:
        case Kind.WAIT:
            await _waited(tab, order)
        case Kind.RESIZE:
            width, height = (
                min(max(side, _LEAST_SIDE), _MOST_SIDE) for side in (order.width, order.height)
            )
            await page.set_viewport_size({"width": width, "height": height})
        case Kind.EVALUATE:
            return _shown(await tab.unless_it_asks(_evaluated(tab, order)))
        case Kind.FILL:
            for field in order.fields:
                await _filled(tab, field)
        case Kind.PRESS if not order.ref:
            await tab.unless_it_asks(page.keyboard.press(order.key))
        case _:
            await _touched(tab, await tab.element(order.ref), order)
    return None


async def _touched(tab: Tab, target: Locator, order: Order) -> None:
    button = cast(_Button, order.button)
    modifiers = cast(_Modifiers, list(order.modifiers))
    do = tab.unless_it_asks
    match order.kind:
        case Kind.CLICK if order.double:
            await do(target.dblclick(button=button, modifiers=modifiers, timeout=_USABLE_MS))
        case Kind.CLICK:
            await do(target.click(button=button, modifiers=modifiers, timeout=_USABLE_MS))
        case Kind.HOVER:
            await do(target.hover(timeout=_USABLE_MS))
        case Kind.DRAG:
            await do(target.drag_to(await tab.element(order.end), timeout=_USABLE_MS))
        case Kind.SELECT:
            await do(target.select_option(list(order.values), timeout=_USABLE_MS))
        case Kind.PRESS:
            await do(target.press(order.key, timeout=_USABLE_MS))
        case Kind.TYPE:
            await do(target.fill("" if order.slowly else order.text, timeout=_USABLE_MS))
            if order.slowly:
                await do(target.press_sequentially(order.text, delay=_TYPING_DELAY_MS))
            if order.submit:
                await do(target.press("Enter", timeout=_USABLE_MS))


async def _filled(tab: Tab, field: FieldValue) -> None:
    target = await tab.element(field.ref)
    role = tab.refs.elements[field.ref].role
    do = tab.unless_it_asks
    if isinstance(field.value, bool) or role in ("checkbox", "radio", "switch"):
        await do(target.set_checked(field.value in (True, "true"), timeout=_USABLE_MS))
    elif role in ("combobox", "listbox") and await do(target.evaluate("e => !!e.options")):
        await do(target.select_option(field.value, timeout=_USABLE_MS))
    else:
        await do(target.fill(field.value, timeout=_USABLE_MS))


async def _waited(tab: Tab, order: Order) -> None:
    if order.milliseconds:
        await tab.unless_it_asks(asyncio.sleep(order.milliseconds / 1000))
    if order.text:
        text = tab.page.get_by_text(order.text).first
        state: Literal["hidden", "visible"] = "hidden" if order.gone else "visible"
        await tab.unless_it_asks(text.wait_for(state=state, timeout=_TEXT_MS))


async def _evaluated(tab: Tab, order: Order) -> Any:
    if order.ref:
        return await (await tab.element(order.ref)).evaluate(order.code)
    return await tab.page.evaluate(order.code)


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"


def _stuck(tab: Tab, order: Order) -> BrowserTrouble:
    if order.kind is Kind.WAIT:
        return BrowserTrouble(f"{order.text!r} did not come (15 s)", "stuck", what=order.text)
    element = tab.refs.elements.get(order.ref)
    said = element.said if element else order.ref or "the page"
    return BrowserTrouble(
        f"{said} is there but cannot be used now: it is covered, disabled or no such field",
        "stuck",
        what=said,
    )
