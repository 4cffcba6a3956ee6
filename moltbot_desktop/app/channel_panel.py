"""What stands on the pages of channels: how accounts stand, who asks to be let in, the guide.

    panels = ChannelPanels(setup, ask, paths, clock, language)
    panels.overview(), panels.channel("telegram")
    panels.act("channel:telegram", "test:default")          # a sentence

The state comes from the assistant that runs, over the local socket, as the shell gets it; without
one the pages say so and show all the rest. Who asks and who was let in stands in the book of
pairings, which all of them have open.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from moltbot_desktop.app.channel_setup import ChannelSetup
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import GatewayError
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.gateway.mentions import shown_name
from moltbot_desktop.gateway.pairing_book import PairingBook
from moltbot_desktop.sdk.channel_setup import ChannelStanding, KnownChannel
from moltbot_desktop.sdk.channels import DEFAULT_ACCOUNT
from moltbot_desktop.sdk.pairing import Contact, PairingRequest
from moltbot_desktop.sdk.panels import Panel, PanelAction, PanelPart, PanelRow, Tone
from moltbot_desktop.storage.bounded import MOST_STATE, read_plain

CHANNEL = "channel:"
_MOST_NAMED = 5
Ask = Callable[[str, JsonObject], JsonValue]
"""Asks the running assistant; raises GatewayError where there is none."""

_PIP = re.compile(r"pip install (?:'[^'\n]+'|[\w.-]+)")
_GOOD, _BAD = frozenset({"online"}), frozenset({"failed", "backoff", "degraded"})
_TIMES = (("stateSince", "state_since"), ("lastInboundAt", "heard"), ("lastOutboundAt", "wrote"))
_COUNTS = (("waiting", "waiting"), ("putAside", "put_aside"))
_PHRASES = Phrases(
    english={
        "channels": "Channels",
        "channels_empty": "No plugin here brings a channel.",
        "accounts": "How it stands",
        "accounts_empty": "Nothing is set up yet. Fill in the fields below and save; the guide says"
        " where each comes from.",
        "asking": "Who asks to be let in",
        "asking_empty": "Nobody. A stranger who writes to the assistant in private gets a code and"
        " stands here for an hour; compare the code before you let them in.",
        "contacts": "Who was let in",
        "contacts_empty": "Nobody yet, beside the ids in the settings.",
        "guide": "How to set it up",
        "on": "Switched on.",
        "off": "Off. It came with the program.",
        "outside": "Off. It comes from outside: look at its page first.",
        "not_set_up": "Switched on, and not set up yet.",
        "switch_on": "Switch on",
        "switch": "Plugin",
        "switch_off": "Switch off",
        "switched_out": "Switched off. Its settings and keys are kept.",
        "open": "Open",
        "test": "Test connection",
        "log_out": "Log out",
        "log_out_asks": "Forget the keys of this account and switch it off?",
        "copy": "Copy the line",
        "approve": "Let in",
        "refuse": "Refuse",
        "remove": "Remove",
        "remove_asks": "{who} may not write to the assistant any more?",
        "asks": "{code} · {who} on {where}",
        "until": "Asked at {asked}; the code holds until {until}.",
        "may": "{who} on {where}",
        "since": "Let in {time}.",
        "not_running": "The assistant does not run right now.",
        "stopped": "not running",
        "starting": "connecting…",
        "online": "connected",
        "degraded": "connected, but not all works",
        "backoff": "not connected; it is tried again",
        "failed": "does not work before its settings are changed",
        "switched_off": "switched off",
        "state_since": "since {time}",
        "heard": "last message in: {time}",
        "wrote": "last message out: {time}",
        "waiting": "waiting to be sent: {count}",
        "put_aside": "put aside: {count}",
        "not_used": "Kept, and not used yet: {names}.",
        "works": "It works, as {name}.",
        "works_somehow": "It works.",
        "cannot": "It cannot be tried right now; how it stands is said above.",
        "switched": "Switched on. Fill in what its page asks.",
        "approved": "{who} may write to the assistant now.",
        "refused": "{who} is not let in.",
        "removed": "{who} may not write any more.",
        "logged_out": "The keys are forgotten, and the account is switched off.",
    },
    chinese={
        "channels": "渠道",
        "channels_empty": "这里没有插件提供渠道。",
        "accounts": "当前状态",
        "accounts_empty": "还没有设置。请填写下面的栏位并保存；指南说明每一项从哪里来。",
        "asking": "谁在请求获准",
        "asking_empty": "没有人。陌生人私下给助手写消息时会得到一个配对码，并在这里停留一小时；"
        "批准之前请先核对配对码。",
        "contacts": "谁已获准",
        "contacts_empty": "除了设置里写的 id，还没有别人。",
        "guide": "怎样设置",
        "on": "已启用。",
        "off": "未启用。它是程序自带的。",
        "outside": "未启用。它来自外部：请先看看它的页面。",
        "not_set_up": "已启用，还没有设置。",
        "switch_on": "启用",
        "switch": "插件",
        "switch_off": "停用",
        "switched_out": "已停用，设置和密钥都会保留。",
        "open": "查看",
        "test": "测试连接",
        "log_out": "退出登录",
        "log_out_asks": "忘记这个账号的密钥并关闭它吗？",
        "copy": "复制这一行",
        "approve": "批准",
        "refuse": "拒绝",
        "remove": "移除",
        "remove_asks": "不再允许 {who} 给助手写消息吗？",
        "asks": "{code} · {who}，{where}",
        "until": "{asked} 请求；配对码在 {until} 前有效。",
        "may": "{who}，{where}",
        "since": "{time} 获准。",
        "not_running": "助手现在没有运行。",
        "stopped": "未运行",
        "starting": "正在连接……",
        "online": "已连接",
        "degraded": "已连接，但有功能不正常",
        "backoff": "未连接，稍后会再试",
        "failed": "修改设置之前无法使用",
        "switched_off": "已关闭",
        "state_since": "自 {time} 起",
        "heard": "上次收到消息：{time}",
        "wrote": "上次发出消息：{time}",
        "waiting": "等待发送：{count}",
        "put_aside": "搁置：{count}",
        "not_used": "已保留，暂不使用：{names}。",
        "works": "正常，身份是 {name}。",
        "works_somehow": "正常。",
        "cannot": "现在无法测试；上面写着它的状态。",
        "switched": "已启用。请填写它的页面上要求的内容。",
        "approved": "{who} 现在可以给助手写消息。",
        "refused": "没有让 {who} 进来。",
        "removed": "{who} 不能再写消息。",
        "logged_out": "密钥已忘记，账号已关闭。",
    },
)


@dataclass(frozen=True)
class ChannelPanels:
    """Blocks: reads files, asks the assistant. Not for the main thread."""

    setup: ChannelSetup
    ask: Ask
    paths: Paths
    clock: Clock
    language: Language

    def overview(self) -> Panel:
        """Of the page of all channels."""
        accounts = self._accounts()
        rows = tuple(self._channel_row(one, accounts) for one in self.setup.known())
        whole = PanelPart(self._say("channels"), rows, self._say("channels_empty"))
        asking, let_in = self._people("")
        # Below all channels nobody would see who waits.
        return (asking, whole, let_in) if asking.rows else (whole, asking, let_in)

    def channel(self, channel: str) -> Panel:
        """Of one channel's own page."""
        known = next((one for one in self.setup.known() if one.id == channel), None)
        guide = self._guide(channel)
        switch = []
        if known is not None and known.whole_plugin:
            switch = [PanelPart(self._say("switch"), (self._switch(known),))]
            if known.standing is not ChannelStanding.ON:
                return (*switch, *self._told(guide, unfolded=True))
        accounts = self._accounts()
        found = _worst_first((accounts or {}).get(channel, ()))
        rows = tuple(self._account_row(one, found) for one in found)
        empty = self._say("not_running" if accounts is None else "accounts_empty")
        stands = PanelPart(self._say("accounts"), rows, empty)
        told = self._told(guide, unfolded=not rows)
        return (*switch, stands, *told, *self._people(channel))

    def _told(self, guide: str, *, unfolded: bool) -> Panel:
        part = PanelPart(self._say("guide"), guide=guide, unfolded=unfolded)
        return (part,) if guide else ()

    def act(self, page: str, action: str) -> str:
        """Carry out what a button says; a sentence.

        Raises:
            MoltbotError: it could not be done.
        """
        verb, _, about = action.partition(":")
        channel = page.removeprefix(CHANNEL)
        match verb:
            case "on":
                self.setup.switch_on(about)
                return self._say("switched")
            case "off":
                self.setup.switch_off(about)
                return self._say("switched_out")
            case "test":
                return self._tested(channel, about)
            case "logout":
                self.setup.log_out(channel, about)
                return self._say("logged_out")
        with self._book() as book:
            match verb:
                case "approve":
                    return self._say("approved", who=shown_name(book.approve(about).sender))
                case "refuse":
                    return self._say("refused", who=shown_name(book.refuse(about).sender))
                case "remove":
                    gone = [one for one in book.contacts() if _mark(one) == about]
                    for one in gone:
                        book.remove(one.channel, one.sender.id, one.account)
                    return self._say("removed", who=", ".join(shown_name(i.sender) for i in gone))
        return ""

    # ------------------------------------------------------------------ channels

    def _switch(self, one: KnownChannel) -> PanelRow:
        """Of a channel's own page: whether its plugin is on, and the button for it."""

        def button(key: str, identity: str) -> PanelAction:
            label = self._say(key)
            return PanelAction(f"{identity}:{one.id}", label, f"{label}, {one.label}")

        match one.standing:
            case ChannelStanding.BROKEN:
                return PanelRow(one.reason, "", Tone.BAD, self._copied(one.reason))
            case ChannelStanding.ON:
                return PanelRow(self._say("on"), "", actions=(button("switch_off", "off"),))
        return PanelRow(self._say("off"), "", actions=(button("switch_on", "on"),))

    def _channel_row(
        self, one: KnownChannel, accounts: Mapping[str, tuple[JsonObject, ...]] | None
    ) -> PanelRow:
        def button(key: str, identity: str, page: str = "") -> PanelAction:
            label = self._say(key)
            return PanelAction(f"{identity}:{one.id}", label, f"{label}, {one.label}", page=page)

        own = (button("open", "page", f"{CHANNEL}{one.id}"),)
        if one.standing is ChannelStanding.OFF:
            more = own if one.whole_plugin else ()
            switch = button("switch_on", "on")
            return PanelRow(one.label, self._say("off"), actions=(switch, *more))
        plugin = own if one.whole_plugin else (button("open", "plugin", f"plugin:{one.plugin}"),)
        if one.standing is ChannelStanding.OUTSIDE:
            return PanelRow(one.label, self._say("outside"), actions=plugin)
        if one.standing is ChannelStanding.BROKEN:
            return PanelRow(one.label, one.reason, Tone.BAD, (*self._copied(one.reason), *plugin))
        if not one.accounts:
            return PanelRow(one.label, self._say("not_set_up"), actions=own)
        rows = (accounts or {}).get(one.id, ())
        if accounts is None or not rows:
            return PanelRow(one.label, self._say("on" if accounts else "not_running"), actions=own)
        first = _worst_first(rows)[:_MOST_NAMED]
        said = self._between.join(self._with_name(row, rows, self._state(row)) for row in first)
        said += f"{self._between}…" if len(rows) > _MOST_NAMED else ""
        return PanelRow(one.label, said, _worst(map(_tone, rows)), own)

    def _account_row(self, row: JsonObject, rows: Sequence[JsonObject]) -> PanelRow:
        account = str(row.get("accountId"))
        said = [str(row["lastError"])] if row.get("lastError") else []
        about = [self._say(key, time=_time(row[name])) for name, key in _TIMES if row.get(name)]
        about += [self._say(key, count=row[name]) for name, key in _COUNTS if row.get(name)]
        unused = row.get("notUsed")
        if isinstance(unused, list) and unused:
            said.append(self._say("not_used", names=", ".join(map(str, unused))))
        detail = "\n".join(filter(None, (" · ".join(about), *said)))
        test, out = self._say("test"), self._say("log_out")
        actions = (
            *self._copied(" ".join(said)),
            PanelAction(f"test:{account}", test, self._with_name(row, rows, test)),
            PanelAction(
                f"logout:{account}",
                out,
                self._with_name(row, rows, out),
                self._say("log_out_asks"),
            ),
        )
        text = self._with_name(row, rows, self._state(row))
        return PanelRow(text, detail, _tone(row), actions)

    def _with_name(self, row: JsonObject, rows: Sequence[JsonObject], text: str) -> str:
        """`text` with the account that it is about, where that needs to be said."""
        account = row.get("accountId")
        if account == DEFAULT_ACCOUNT and len(rows) == 1:
            return text[:1].upper() + text[1:]
        return f"{account}：{text}" if self._chinese else f"{account}: {text}"

    @property
    def _chinese(self) -> bool:
        return self.language is Language.CHINESE

    @property
    def _between(self) -> str:
        return "；" if self._chinese else "; "

    def _state(self, row: JsonObject) -> str:
        state = "switched_off" if row.get("enabled") is False else str(row.get("state"))
        return self._say(state)

    def _copied(self, text: str) -> tuple[PanelAction, ...]:
        """For a library that is missing: the line that installs it."""
        found = _PIP.search(text)
        return (
            (PanelAction(f"copy:{found[0]}", self._say("copy"), copies=found[0]),) if found else ()
        )

    def _tested(self, channel: str, account: str) -> str:
        told = self.ask("channels.status", {"probe": True, "channel": channel})
        rows = _accounts_in(told).get(channel, ())
        row = next((one for one in rows if one.get("accountId") == account), {})
        probe = row.get("probe")
        if not isinstance(probe, Mapping):
            return self._say("cannot")
        if probe.get("ok") is not True:
            return self._with_name(row, rows, str(probe.get("error")))
        name = probe.get("as")
        return self._say("works" if name else "works_somehow", name=name)

    def _accounts(self) -> Mapping[str, tuple[JsonObject, ...]] | None:
        """By channel; None while no assistant runs."""
        try:
            return _accounts_in(self.ask("channels.status", {}))
        except GatewayError:
            return None

    def _guide(self, channel: str) -> str:
        """Markdown of this program's documents, in the person's language where there is one."""
        names = [f"{channel}.zh.md"] if self.language is Language.CHINESE else []
        for name in (*names, f"{channel}.md"):
            path = GUIDES / name
            if path.is_file():
                return read_plain(path, MOST_STATE).decode("utf-8", "replace")
        return ""

    # ------------------------------------------------------------------ people

    def _people(self, channel: str) -> Iterator[PanelPart]:
        """`channel`: only there; "" for all."""
        with self._book() as book:
            requests, contacts = book.requests(), book.contacts()
        names = {one.id: one.label for one in self.setup.known()} if requests or contacts else {}
        asking = tuple(
            self._request(one, _where(one, names))
            for one in requests
            if channel in ("", one.channel)
        )
        let_in = tuple(
            self._contact(one, _where(one, names))
            for one in contacts
            if channel in ("", one.channel)
        )
        yield PanelPart(self._say("asking"), asking, self._say("asking_empty"))
        yield PanelPart(self._say("contacts"), let_in, self._say("contacts_empty"))

    def _request(self, one: PairingRequest, where: str) -> PanelRow:
        who = shown_name(one.sender)
        buttons = tuple(
            PanelAction(f"{verb}:{one.code}", self._say(verb), f"{self._say(verb)}, {who}")
            for verb in ("approve", "refuse")
        )
        times = {
            "asked": f"{one.asked.astimezone():%H:%M}",
            "until": f"{one.until.astimezone():%H:%M}",
        }
        text = self._say("asks", code=one.code, who=who, where=where)
        return PanelRow(text, self._say("until", **times), actions=buttons)

    def _contact(self, one: Contact, where: str) -> PanelRow:
        who, remove = shown_name(one.sender), self._say("remove")
        asks = self._say("remove_asks", who=who)
        button = PanelAction(f"remove:{_mark(one)}", remove, f"{remove}, {who}", asks)
        text = self._say("may", who=who, where=where)
        since = self._say("since", time=one.since.astimezone().isoformat(" ", "minutes")[:16])
        return PanelRow(text, since, actions=(button,))

    def _book(self) -> contextlib.closing[PairingBook]:
        return contextlib.closing(PairingBook(self.paths.pairings_database, self.clock))

    def _say(self, phrase: str, **slots: object) -> str:
        return _PHRASES.say(phrase, self.language, **slots)


GUIDES = Path(__file__).resolve().parents[1] / "docs" / "channels"
"""``<id>.md``, and ``<id>.zh.md`` in Chinese."""


def _mark(one: Contact) -> str:
    """Tells contacts apart; none of the three holds a NUL."""
    return "\0".join((one.channel, one.account, one.sender.id))


def _where(one: Contact | PairingRequest, names: Mapping[str, str]) -> str:
    """The channel by its name, and the account where it is another than the usual one."""
    name = names.get(one.channel, one.channel)
    return name if one.account == DEFAULT_ACCOUNT else f"{name} {one.account}"


def _accounts_in(told: JsonValue) -> Mapping[str, tuple[JsonObject, ...]]:
    rows = told.get("channelAccounts") if isinstance(told, Mapping) else None
    return {
        channel: tuple(one for one in found if isinstance(one, Mapping))
        for channel, found in (rows.items() if isinstance(rows, Mapping) else ())
        if isinstance(found, list)
    }


def _tone(row: JsonObject) -> Tone:
    state = row.get("state")
    if row.get("enabled") is False or state not in (*_GOOD, *_BAD):
        return Tone.BAD if row.get("lastError") else Tone.PLAIN
    return Tone.GOOD if state in _GOOD else Tone.BAD


def _worst_first(rows: Iterable[JsonObject]) -> list[JsonObject]:
    """Of many accounts only the beginning is seen at once."""
    return sorted(rows, key=lambda one: _tone(one) is not Tone.BAD)


def _worst(tones: Iterable[Tone]) -> Tone:
    found = {*tones}
    return next((one for one in (Tone.BAD, Tone.GOOD) if one in found), Tone.PLAIN)


def _time(value: JsonValue) -> str:
    """Day and time of this computer."""
    milliseconds = value if isinstance(value, int) else 0
    return datetime.fromtimestamp(milliseconds / 1000).astimezone().isoformat(" ", "minutes")[:16]
