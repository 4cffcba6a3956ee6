"""`browser`: pages in a browser of the assistant's own, read as text and acted on by refs.

    {"action": "open", "url": "https://example.org/order"}
    {"action": "act", "kind": "type", "ref": "e5", "text": "two apples"}
    {"action": "act", "kind": "click", "ref": "e7"}

Looking at a page is free where the owner, or a page that was read, says its address; everything
that does something on somebody's site asks, with the site and the button's own name on the card.
"""

from __future__ import annotations

from pathlib import Path

from moltbot_desktop.core.errors import EgressRefused, EgressSealed, NetworkError
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.foreseen import Foreseen
from moltbot_desktop.sdk.tools import Effect, ToolContext, ToolInput, ToolResult, ToolSpec
from moltbot_desktop.sessions.keys import KeyKind, parse_session_key
from moltbot_desktop.tools.browser.house import BrowserHouse
from moltbot_desktop.tools.browser.orders import PARAMETERS, Action, Order, read_order
from moltbot_desktop.tools.browser.outcome import Done
from moltbot_desktop.tools.browser.seen import check, foreseen, site_of
from moltbot_desktop.tools.browser.texts import PHRASES
from moltbot_desktop.tools.browser.trouble import BrowserTrouble
from moltbot_desktop.tools.replies import ask
from moltbot_desktop.tools.web.addresses import ReadAddresses

_NOTHING = Foreseen("", sites=())


class Browser:
    """Implements `sdk.tools.WaitingTool`, `SituatedTool`, `PathNaming` and
    `sdk.foreseen.ForeseeingTool`."""

    def __init__(self, house: BrowserHouse, known: ReadAddresses) -> None:
        """`known`: the addresses that stood on pages, shared with the agent's other web tools."""
        self._house = house
        self._known = known

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            "browser",
            "Use web pages in a browser: open a url, read the snapshot, act on its refs (e5).",
            PARAMETERS,
            Effect.BROWSER_ACT,
            core=False,
            keywords="website web page click form fill log in download upload chrome button "
            "internet online shop 浏览器 网页 网站 点击 表单 填写 登录 下载 上传 按钮",
        )

    def effect_in(self, given: ToolInput, context: ToolContext) -> Effect:
        try:
            order = read_order(given.arguments)
        except BrowserTrouble:
            return Effect.NONE  # nothing will be done, so there is nothing to ask about
        if order.harmless:
            return Effect.NONE
        if order.goes:
            named = self._known.named(context.session, order.url, context.user_text)
            return Effect.BROWSER_READ if named else Effect.BROWSER_OPEN
        if order.unnoticed:
            return Effect.BROWSER_LOOK
        return Effect.BROWSER_READ if order.looks else Effect.BROWSER_ACT

    def foreseen(self, given: ToolInput, context: ToolContext) -> Foreseen:
        try:
            order = read_order(given.arguments)
        except BrowserTrouble:
            return _NOTHING
        seen = self._house.seen(context.session, order.tab)
        try:
            check(order, seen)
        except BrowserTrouble as trouble:
            return Foreseen("", refusal=self._failed(trouble, context))
        return foreseen(order, seen, context.language)

    def paths_in(self, given: ToolInput, workspace: Path) -> tuple[str, ...]:
        try:
            return read_order(given.arguments).paths
        except BrowserTrouble:
            return ()

    async def wait(self, given: ToolInput, context: ToolContext) -> ToolResult:
        try:
            order = read_order(given.arguments)
            self._report(order, context)
            done = await self._house.do(order, context)
        except BrowserTrouble as trouble:
            return self._failed(trouble, context)
        except EgressSealed:
            said = PHRASES.say("sealed", context.language)
            return _failure("sealed: nothing may leave this computer", said)
        except NetworkError as error:
            host = site_of(given.text("url") or given.text("targetUrl"))
            reason = error.message
            said = PHRASES.say("unreachable", context.language, host=host, reason=reason)
            refused = "refused: " if isinstance(error, EgressRefused) else ""
            return _failure(f"{refused}{error}", said)
        self._known.add(context.session, done.told)
        return _result(done, context)

    def _report(self, order: Order, context: ToolContext) -> None:
        if order.goes:
            host = site_of(order.url if "://" in order.url else f"https://{order.url}")
            context.report(PHRASES.say("going", context.language, host=host))
        elif order.action is Action.START:
            context.report(PHRASES.say("starting", context.language))

    def _failed(self, trouble: BrowserTrouble, context: ToolContext) -> ToolResult:
        said = PHRASES.say(trouble.key, context.language, **trouble.values)
        if trouble.key == "need_url":
            return ask("url", said)
        # Names of elements and words of dialogs are the page's own.
        tainted = self._house.seen(context.session) is not None
        return _failure(trouble.message, said, tainted, _is_others(context))


def _failure(error: str, display: str, taints: bool = False, private: bool = False) -> ToolResult:
    return ToolResult(
        {"error": error}, display, ok=False, taints=taints, private=taints and private
    )


def _result(done: Done, context: ToolContext) -> ToolResult:
    data: dict[str, JsonValue] = dict(done.data)
    return ToolResult(
        data,
        PHRASES.say(done.key, context.language, **done.values),
        taints=done.of_page,
        private=done.of_page and _is_others(context),
    )


def _is_others(context: ToolContext) -> bool:
    """Whether somebody but the owner may be told what is read: the browser may be logged in where
    the owner is, so pages are the owner's own there."""
    parsed = parse_session_key(context.session)
    return parsed is None or parsed.kind not in (KeyKind.MAIN, KeyKind.OTHER)
