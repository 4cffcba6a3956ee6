"""What stands on the pages of channels: real manifests, a real book of pairings, a real program."""

from __future__ import annotations

import asyncio
import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from moltbot_desktop.app.channel_panel import GUIDES, ChannelPanels
from moltbot_desktop.app.channel_setup import ChannelSetup
from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.running_command import asking
from moltbot_desktop.core.errors import NobodyListens, UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.gateway.pairing_book import PairingBook
from moltbot_desktop.sdk.channels import OutboundMessage, Peer, PeerKind, Sender
from moltbot_desktop.sdk.panels import Panel, PanelAction, PanelRow, Tone
from moltbot_desktop.security.secrets import SECRET_NAMES_FILE, SecretStore
from tests.contract.test_channel_contract import Pigeons
from tests.fakes.channel_contract import program
from tests.fakes.key_ring import MemoryKeyRing
from tests.fakes.mail import envelope
from tests.fakes.pigeon_platform import add_plugin

ROWS: list[JsonValue] = [
    {
        "accountId": "main",
        "enabled": True,
        "state": "online",
        "stateSince": 1_767_614_400_000,
        "waiting": 2,
        "probe": {"ok": True, "as": "the loft"},
    },
    {
        "accountId": "old",
        "enabled": True,
        "state": "failed",
        "lastError": "pigeon needs the library coo. Install it: pip install 'moltbot-desktop[coo]'",
        "probe": {"ok": False, "error": "The token is wrong."},
    },
]
GOOD: JsonObject = {"enabled": True, "state": "online"}
SETTINGS: JsonObject = {
    "plugins": {"entries": {"pigeon": {"enabled": True}}},
    "channels": {"pigeon": {"accounts": {"main": {"port": 1}, "old": {"port": 2}}}},
}


class Pages:
    """The pages over a home of their own; `running` is what an assistant says."""

    def __init__(self, folder: Path, checkout: Path, language: Language) -> None:
        self.home = folder / "home"
        self.home.mkdir(exist_ok=True)
        (self.home / "moltbot.json").write_text(json.dumps(SETTINGS))
        add_plugin(self.home)
        self.paths = Paths(self.home, folder, checkout)
        self.running: JsonValue = None
        self.asked: list[JsonObject] = []
        store = SecretStore(self.home / SECRET_NAMES_FILE, MemoryKeyRing)
        setup = ChannelSetup(self.paths, {}, language, store)
        self.panels = ChannelPanels(setup, self.ask, self.paths, SystemClock(), language)

    def ask(self, method: str, params: JsonObject) -> JsonValue:
        assert method == "channels.status"
        self.asked.append(params)
        if self.running is None:
            raise NobodyListens("Nobody is running.")
        return self.running

    def knock(self, sender: str) -> str:
        who = Sender(sender, "Eve")
        knocks = replace(
            envelope("1", "x"), channel="pigeon", sender=who, peer=Peer(PeerKind.DM, sender)
        )
        with closing(PairingBook(self.paths.pairings_database, SystemClock())) as book:
            asked = book.ask(knocks, OutboundMessage(knocks.reply_target, "welcome"))
            assert asked is not None
            return asked[0].code


@pytest.fixture(params=list(Language))
def pages(tmp_path: Path, checkout: Path, request: pytest.FixtureRequest) -> Pages:
    return Pages(tmp_path, checkout, request.param)


def rows(panel: Panel) -> list[PanelRow]:
    return [row for part in panel for row in part.rows]


def actions(panel: Panel) -> dict[str, PanelAction]:
    return {action.id: action for row in rows(panel) for action in row.actions}


def row(panel: Panel, begins: str) -> PanelRow:
    return next(one for one in rows(panel) if one.text.startswith(begins))


def test_without_an_assistant_the_pages_say_so_and_show_the_rest(pages: Pages) -> None:
    panel = pages.panels.channel("pigeon")
    assert not rows(panel) and all(part.empty for part in panel)
    overview = pages.panels.overview()
    assert "page:pigeon" in actions(overview)
    assert actions(overview)["page:pigeon"].page == "channel:pigeon"


def test_who_asks_to_be_let_in_stands_above_all_channels(pages: Pages) -> None:
    above = pages.panels.overview()[0]
    assert "page:pigeon" in [action.id for row in above.rows for action in row.actions]
    code = pages.knock("eve")
    assert code in pages.panels.overview()[0].rows[0].text


def test_each_account_says_how_it_stands_and_what_to_do(pages: Pages) -> None:
    pages.running = {"channelAccounts": {"pigeon": ROWS}}
    panel = pages.panels.channel("pigeon")
    main, old = row(panel, "main"), row(panel, "old")
    assert main.tone is Tone.GOOD and "2026-01-05" in main.detail and "2" in main.detail
    assert old.tone is Tone.BAD and "the library coo" in old.detail
    assert [one.copies for one in old.actions if one.copies] == [
        "pip install 'moltbot-desktop[coo]'"
    ]
    overview = row(pages.panels.overview(), "Pigeon")
    assert overview.tone is Tone.BAD and overview.detail.startswith("old")


def test_one_account_alone_needs_no_name(pages: Pages) -> None:
    """Nobody called it default; several are told apart by their names."""
    alone: JsonObject = {**GOOD, "accountId": "default"}
    pages.running = {"channelAccounts": {"pigeon": [alone]}}
    said = {Language.ENGLISH: "Connected", Language.CHINESE: "已连接"}[pages.panels.language]
    [only] = pages.panels.channel("pigeon")[0].rows
    assert only.text == said
    assert all("default" not in action.name for action in only.actions)
    assert row(pages.panels.overview(), "Pigeon").detail == said
    pages.running = {"channelAccounts": {"pigeon": [alone, {**GOOD, "accountId": "loft"}]}}
    assert [one.text[:7] for one in pages.panels.channel("pigeon")[0].rows] == [
        "default",
        "loft" + ("：已连" if said == "已连接" else ": c"),
    ]


def test_who_was_let_in_stands_with_the_channels_name(pages: Pages) -> None:
    code = pages.knock("eve")
    assert "Pigeon" in pages.panels.overview()[0].rows[0].text
    pages.panels.act("channels", f"approve:{code}")
    text = pages.panels.overview()[2].rows[0].text
    assert text.endswith("Pigeon") and "default" not in text


def test_what_does_not_work_comes_first(pages: Pages) -> None:
    """Of many accounts only the beginning is seen at once."""
    many: list[JsonValue] = [{**GOOD, "accountId": f"a{number}"} for number in range(30)]
    pages.running = {"channelAccounts": {"pigeon": [*many, *ROWS]}}
    first = rows(pages.panels.channel("pigeon"))[0]
    assert first.text.startswith("old")
    overview = row(pages.panels.overview(), "Pigeon")
    assert overview.detail.startswith("old") and overview.detail.endswith("…")


def test_a_channel_that_came_with_the_program_is_switched_on_and_off_on_its_page(
    pages: Pages,
) -> None:
    """Its page is the plugin's as well; settings and keys stay when it is off."""
    off = pages.panels.channel("irc")
    assert "on:irc" in actions(off) and any(part.guide and part.unfolded for part in off)
    assert {"on:irc", "page:irc"} <= actions(pages.panels.overview()).keys()
    assert pages.panels.act("channel:irc", "on:irc")
    on = pages.panels.channel("irc")
    assert "off:irc" in actions(on) and "on:irc" not in actions(on)
    assert pages.panels.act("channel:irc", "off:irc")
    assert "on:irc" in actions(pages.panels.channel("irc"))
    # One from outside is looked at first, on the plugin's own page.
    assert not {"on:pigeon", "off:pigeon"} & actions(pages.panels.channel("pigeon")).keys()


def test_an_account_is_tried_alone_among_channels(pages: Pages) -> None:
    pages.running = {"channelAccounts": {"pigeon": ROWS}}
    assert "the loft" in pages.panels.act("channel:pigeon", "test:main")
    assert pages.asked[-1] == {"probe": True, "channel": "pigeon"}
    assert "The token is wrong." in pages.panels.act("channel:pigeon", "test:old")
    assert pages.panels.act("channel:pigeon", "test:gone")


def test_who_asks_is_let_in_refused_and_removed_by_hand(pages: Pages) -> None:
    first, second = pages.knock("7"), pages.knock("8")
    panel = pages.panels.overview()
    assert row(panel, first).text.startswith(f"{first} · Eve (7)")
    assert {f"approve:{first}", f"refuse:{first}", f"approve:{second}"} <= actions(panel).keys()
    assert "Eve (7)" in pages.panels.act("channels", f"approve:{first}")
    assert "Eve (8)" in pages.panels.act("channels", f"refuse:{second}")
    with pytest.raises(UserInputInvalid):
        pages.panels.act("channels", f"approve:{second}")
    [remove] = [one for one in actions(pages.panels.channel("pigeon")).values() if one.asks]
    assert "Eve (7)" in remove.asks
    assert "Eve (7)" in pages.panels.act("channel:pigeon", remove.id)
    assert not [one for one in actions(pages.panels.overview()) if one.startswith("remove")]
    assert pages.panels.channel("owl")


def test_logging_out_is_asked_before(pages: Pages) -> None:
    pages.running = {"channelAccounts": {"pigeon": ROWS}}
    assert actions(pages.panels.channel("pigeon"))["logout:old"].asks
    assert pages.panels.act("channel:pigeon", "logout:old")
    written = json.loads((pages.home / "moltbot.json").read_text())
    assert written["channels"]["pigeon"]["accounts"]["old"]["enabled"] is False


def test_guides_are_there_in_both_languages() -> None:
    """Each with an English and a Chinese text, and no picture that would be loaded."""
    names = {one.name for one in GUIDES.glob("*.md")}
    english = {name for name in names if not name.endswith(".zh.md")}
    assert {name.replace(".md", ".zh.md") for name in english} == names - english
    assert not [one for one in GUIDES.glob("*.md") if "![" in one.read_text(encoding="utf-8")]


def test_a_page_follows_the_assistant_that_runs(tmp_path: Path, checkout: Path) -> None:
    platform = Pigeons()

    async def scene() -> None:
        await platform.start()
        try:
            home = tmp_path / ".moltbot"
            async with program(home, platform, {"main": platform.account()}) as running:
                await running.stands("pigeon", "main", "online")
                paths = Paths(home, tmp_path, checkout)
                store = SecretStore(home / SECRET_NAMES_FILE, MemoryKeyRing)
                panels = ChannelPanels(
                    ChannelSetup(paths, {}, Language.ENGLISH, store),
                    asking(paths, Language.ENGLISH),
                    paths,
                    SystemClock(),
                    Language.ENGLISH,
                )
                panel = await asyncio.to_thread(panels.channel, "pigeon")
                assert row(panel, "main: connected").tone is Tone.GOOD
                told = await asyncio.to_thread(panels.act, "channel:pigeon", "test:main")
                assert "It works" in told
        finally:
            await platform.stop()

    asyncio.run(scene())
