"""What is open, as a value for other threads: what a card says before anything is done. Pure.

    seen.element("e5").said                 # "button “Send”"
    foreseen(order, seen, Language.ENGLISH) # the card's title, and the mark that binds the yes
    sites(order, seen)                      # ("shop.example",): whose site something is done on

A page lives on the browser's thread and changes when it likes. So the verdict, the card and the
call all look at one such value, and a call whose mark is another one by then does nothing (R4).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from urllib.parse import urlsplit

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.foreseen import Foreseen
from moltbot_desktop.tools.browser.orders import Action, Kind, Order
from moltbot_desktop.tools.browser.snapshot import Element, harmless
from moltbot_desktop.tools.browser.texts import PHRASES
from moltbot_desktop.tools.browser.trouble import StaleRef, no_tab

_LONGEST = 200
_LONGEST_CODE = 600


@dataclass(frozen=True)
class Seen:
    """One tab.

    Attributes:
        elements: of the newest snapshot, by ref.
        frames: where the frames of that snapshot come from, by the engine's prefix.
        dialog: what the page asks, "" when it does not.
    """

    tab: str
    url: str
    title: str = ""
    elements: Mapping[str, Element] = field(default_factory=lambda: MappingProxyType({}))
    frames: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    dialog: str = ""

    @property
    def site(self) -> str:
        return site_of(self.url)

    def element(self, ref: str) -> Element | None:
        return self.elements.get(ref)

    def site_at(self, ref: str) -> str:
        """The site an element belongs to: that of its frame, which may be somebody else's."""
        element = self.element(ref)
        prefix = frame_of(element.engine) if element else ""
        framed = site_of(self.frames.get(prefix, "")) if prefix else ""
        return framed if framed and framed != self.site else self.site


def frame_of(engine: str) -> str:
    """``f2`` of ``f2e7``; "" of the page itself."""
    return engine.partition("e")[0] if engine.startswith("f") else ""


def site_of(url: str) -> str:
    """Host, and port where it is no usual one; what has none is its scheme."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return "?"
    host = parts.hostname or ""
    if not host:
        return parts.scheme or "?"
    usual = port in (None, {"http": 80, "https": 443}.get(parts.scheme))
    return host if usual else f"{host}:{port}"


def check(order: Order, seen: Seen | None) -> None:
    """Whether `order` may come to something on the page `seen`, before anybody is asked.

    Raises:
        BrowserTrouble: it cannot, there is no page; StaleRef, or none with such elements.
    """
    if order.goes or order.harmless or order.looks:
        return
    if seen is None:
        raise no_tab(order.tab)
    for ref in order.refs:
        if seen.element(ref) is None:
            raise StaleRef(ref)


def foreseen(order: Order, seen: Seen | None, language: Language) -> Foreseen:
    """What `order` would do on the page `seen`."""
    where = sites(order, seen)
    if order.goes:
        text = harmless(order.url, _LONGEST)
        return Foreseen(PHRASES.say("card_open", language, text=text), sites=where)
    if seen is None:
        return Foreseen("", sites=where)
    site = _said_sites(order, seen)
    if order.looks or order.harmless:
        return Foreseen(PHRASES.say("card_look", language, site=site), sites=where)
    title = PHRASES.say(
        f"card_{_card(order)}",
        language,
        what=_said(order.ref, seen, language),
        site=site,
        text=_text(order, seen, language),
    )
    return Foreseen(title, mark_of(order, seen), where)


def sites(order: Order, seen: Seen | None) -> tuple[str, ...]:
    """Whose site something would happen on; none where that is nobody's."""
    if order.goes:
        return (site_of(order.url if "://" in order.url else f"https://{order.url}"),)
    if seen is None or order.harmless:
        return ()
    found = [seen.site, *(seen.site_at(ref) for ref in order.refs)]
    if not order.refs and not order.looks:
        # A key goes to whatever has the focus, which may be in a frame.
        found += [site_of(url) for url in seen.frames.values() if url]
    return tuple(dict.fromkeys(found))


def mark_of(order: Order, seen: Seen) -> str:
    """Of the page and of every element that `order` touches."""
    touched = [[ref, _said(ref, seen, Language.ENGLISH), seen.site_at(ref)] for ref in order.refs]
    words = json.dumps([seen.tab, seen.site, touched, seen.dialog, repr(order)])
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()


def _said_sites(order: Order, seen: Seen) -> str:
    """The site; of an element in somebody else's frame that one first."""
    others = [site for site in sites(order, seen) if site != seen.site]
    return f"{', '.join(others)} ({seen.site})" if others else seen.site


def _card(order: Order) -> str:
    if order.action is Action.DIALOG:
        return "dialog" if order.accept else "dialog_no"
    if order.action is Action.UPLOAD:
        return "upload"
    if order.kind is Kind.TYPE and order.submit:
        return "submit"
    return (order.kind or Kind.CLICK).value


def _text(order: Order, seen: Seen, language: Language) -> str:
    if order.action is Action.DIALOG:
        said = " → ".join(filter(None, (seen.dialog, order.text)))
        return harmless(said, _LONGEST)
    if order.kind is Kind.FILL:
        fields = (f"{_said(one.ref, seen, language)} = {_value(one.value)}" for one in order.fields)
        return harmless("; ".join(fields), _LONGEST_CODE)
    if order.kind is Kind.EVALUATE:
        return harmless(order.code, _LONGEST_CODE)
    texts = {
        Kind.PRESS: order.key,
        Kind.DRAG: _said(order.end, seen, language),
        Kind.SELECT: ", ".join(order.values),
    }
    usual = ", ".join(order.paths) if order.action is Action.UPLOAD else order.text
    return harmless(texts.get(order.kind or Kind.CLICK, usual), _LONGEST)


def _said(ref: str, seen: Seen, language: Language) -> str:
    element = seen.element(ref)
    return element.said_in(language) if element else ref


def _value(value: str | bool) -> str:
    return f"“{value}”" if isinstance(value, str) else ("✓" if value else "✗")
