"""How the channels of moltbot.json stand: `gateway.rpc.channel_methods.ChannelState` for each.

states = ChannelStates(lambda: live.config.raw, language)
states.running["pipe", "build"] = channel
states()                                   # one row for each account that is written down
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from moltbot_desktop.channels.pipe import PipeChannel
from moltbot_desktop.channels.pipe_lines import CHANNEL as PIPE
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.gateway.rpc.channel_methods import ChannelState
from moltbot_desktop.sdk.channels import DEFAULT_ACCOUNT

_NO_CHANNELS = ("defaults",)
_PHRASES = Phrases(
    english={
        "unknown": "This version has no such channel.",
        "incomplete": "It needs `in` and `out`, two paths.",
        "elsewhere": "It is not open here: it was added after the start, or another process has"
        " the channels.",
    },
    chinese={
        "unknown": "本版本没有这个渠道。",
        "incomplete": "需要 `in` 和 `out` 两个路径。",
        "elsewhere": "这里没有打开它：可能是启动之后才添加的，或者由另一个进程运行。",
    },
)


@dataclass(frozen=True)
class ChannelStates:
    """Lives on the agent's event loop.

    Attributes:
        settings: the file as it is written now.
        running: channel and account -> what reads and writes it.
        put_aside: channel and account -> messages that are kept and not tried again.
    """

    settings: Callable[[], JsonObject]
    language: Language
    running: dict[tuple[str, str], PipeChannel] = field(default_factory=dict)
    put_aside: dict[tuple[str, str], int] = field(default_factory=dict)

    def __call__(self) -> tuple[ChannelState, ...]:
        channels = _group(self.settings().get("channels"))
        return tuple(
            self._state(channel, account, _group(settings), _group(own))
            for channel, settings in channels.items()
            if channel not in _NO_CHANNELS
            for account, own in _accounts(channel, _group(settings))
        )

    def _state(
        self, channel: str, account: str, settings: JsonObject, own: JsonObject
    ) -> ChannelState:
        enabled = settings.get("enabled") is not False and own.get("enabled") is not False
        configured = channel == PIPE and all(_filled(own.get(end)) for end in ("in", "out"))
        running = self.running.get((channel, account))
        if running is not None:
            problem = running.problem
        elif not enabled:
            problem = ""
        else:
            reason = "elsewhere" if configured else "incomplete" if channel == PIPE else "unknown"
            problem = _PHRASES.say(reason, self.language)
        aside = self.put_aside.get((channel, account), 0)
        here = running is not None
        return ChannelState(channel, account, enabled, configured, here, problem, aside)


def _accounts(channel: str, settings: JsonObject) -> Iterator[tuple[str, JsonValue]]:
    accounts = settings.get("accounts")
    if isinstance(accounts, Mapping) and accounts:
        yield from accounts.items()
    elif channel != PIPE:  # a pipe has no default account
        yield DEFAULT_ACCOUNT, settings


def _group(value: JsonValue) -> JsonObject:
    return value if isinstance(value, Mapping) else {}


def _filled(value: JsonValue) -> bool:
    return isinstance(value, str) and bool(value.strip())
