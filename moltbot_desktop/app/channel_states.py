"""How the channels of moltbot.json stand: `gateway.rpc.channel_methods.ChannelState` for each.

states = ChannelStates(lambda: live.config.raw, language, lambda: plugins.channels.known)
states.running["pipe", "build"] = channel
states()                                   # one row for each account that is written down
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from moltbot_desktop.app.channel_accounts import Place, RunningAccount, is_online
from moltbot_desktop.app.channel_kinds import (
    NO_CHANNELS,
    ChannelKind,
    WrittenAccount,
    accounts_in,
)
from moltbot_desktop.channels.hosted import HostedChannel
from moltbot_desktop.channels.pipe_lines import CHANNEL as PIPE
from moltbot_desktop.core.errors import ChannelRefused
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.gateway.access import wrong_policies
from moltbot_desktop.gateway.rpc.channel_methods import ChannelState, Waiting
from moltbot_desktop.gateway.tool_outbox import Keep, OwnMessages
from moltbot_desktop.sdk.channels import ChannelLife

_PHRASES = Phrases(
    english={
        "unknown": "This version has no such channel.",
        "policy": "What stands in {name} is none of {among}, so nobody is let in there.",
        "incomplete": "It needs `in` and `out`, two paths.",
        "elsewhere": "It is not open here: it is just being opened, or another Moltbot Desktop runs"
        " the channels.",
    },
    chinese={
        "unknown": "本版本没有这个渠道。",
        "policy": "{name} 的值不是 {among} 之一，所以那里不让任何人进来。",
        "incomplete": "需要 `in` 和 `out` 两个路径。",
        "elsewhere": "这里没有打开它：可能正在打开，也可能由另一个 Moltbot Desktop 运行。",
    },
)


async def _nothing_waits() -> Mapping[Place, int]:
    return {}


@dataclass
class ChannelStates:
    """Lives on the agent's event loop.

    Attributes:
        settings: the file as it is written now.
        kinds: the channels of plugins, by id.
        running: what reads and writes each account.
        waiting: how many messages wait to be sent; nobody's while no channel is open.
        messages: what can be done with those that were sent; None while no channel is open.
        keep: makes copies of files that are to be sent; None as well.
        put_aside: channel and account -> messages that are kept and not tried again.
    """

    settings: Callable[[], JsonObject]
    language: Language
    kinds: Callable[[], Mapping[str, ChannelKind]]
    running: dict[Place, RunningAccount] = field(default_factory=dict)
    put_aside: dict[Place, int] = field(default_factory=dict)
    waiting: Waiting = _nothing_waits
    messages: OwnMessages | None = None
    keep: Keep | None = None

    def opened(self, waiting: Waiting, messages: OwnMessages, keep: Keep) -> None:
        """Channels are open from now on."""
        self.waiting, self.messages, self.keep = waiting, messages, keep

    def __call__(self) -> tuple[ChannelState, ...]:
        return tuple(
            self._state(channel, account)
            for channel, section in _group(self.settings().get("channels")).items()
            if channel not in NO_CHANNELS
            for account in accounts_in(channel, section)
        )

    def _state(self, channel: str, account: WrittenAccount) -> ChannelState:
        place = channel, account.name
        running = self.running.get(place)
        wrong = self._wrong(channel, account)
        if running is not None:
            problem = running.problem
        elif not account.enabled:
            problem = ""
        else:
            problem = wrong or _PHRASES.say("elsewhere", self.language)
        if account.enabled and not problem:
            problem = self._policy(account)
        return ChannelState(
            channel,
            account.name,
            account.enabled,
            configured=not wrong,
            running=running is not None and is_online(running),
            problem=problem,
            put_aside=self.put_aside.get(place, 0),
            not_used=self._not_used(channel, account),
            life=running.life if running is not None else ChannelLife.STOPPED,
            traffic=running.traffic if isinstance(running, HostedChannel) else None,
        )

    def _not_used(self, channel: str, account: WrittenAccount) -> tuple[str, ...]:
        kind = self.kinds().get(channel)
        return kind.waiting(account.settings) if kind is not None and account.enabled else ()

    def _policy(self, account: WrittenAccount) -> str:
        """That nobody is let in because of a slip of the pen, "" for none."""
        for name, among in wrong_policies(account.settings).items():
            slots = {"name": name, "among": ", ".join(among)}
            return _PHRASES.say("policy", self.language, **slots)
        return ""

    def _wrong(self, channel: str, account: WrittenAccount) -> str:
        """What keeps an account from being opened at all, "" for nothing."""
        if channel == PIPE:
            complete = all(_filled(account.settings.get(end)) for end in ("in", "out"))
            return "" if complete else _PHRASES.say("incomplete", self.language)
        kind = self.kinds().get(channel)
        if kind is None:
            return _PHRASES.say("unknown", self.language)
        try:
            kind.settings(account.settings, self.language)
        except ChannelRefused as error:
            return error.message
        return ""


def _group(value: JsonValue) -> JsonObject:
    return value if isinstance(value, Mapping) else {}


def _filled(value: JsonValue) -> bool:
    return isinstance(value, str) and bool(value.strip())
