"""What the channels of the program are made of, and what they tell the person."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.app.channel_kinds import PluginChannels
from moltbot_desktop.app.channel_states import ChannelStates
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.core.traffic import Way
from moltbot_desktop.gateway.client import ClientEvent
from moltbot_desktop.gateway.commands.ports import CommandPorts
from moltbot_desktop.gateway.inbox_desk import InThread
from moltbot_desktop.gateway.reply_gate import ReplyGate
from moltbot_desktop.gateway.session_desks import SessionDesks
from moltbot_desktop.gateway.standby import Standby
from moltbot_desktop.sdk.channel_abilities import Capabilities
from moltbot_desktop.sdk.models import ModelInfo
from moltbot_desktop.sdk.tools import Effect
from moltbot_desktop.sessions.store import SessionStore

PHRASES = Phrases(
    english={
        "no_paths": "channels.pipe.accounts.{name} needs `in` and `out`, two paths.",
        "no_paths_hint": "It is left out until then.",
        "flood": "{name} writes very much by {channel}; not all of it is read.",
        "flood_hint": "Put the id into allowFrom to read all, or raise"
        " messages.inbound.maxPerMinute.",
        "pairings_lost": "The list of those who may write to me on channels was damaged; a new one"
        " was begun, and they have to ask again. The old one is kept as {path}.",
        "other_process": "Another Moltbot Desktop runs the channels; this one leaves them to it.",
    },
    chinese={
        "no_paths": "channels.pipe.accounts.{name} 需要 `in` 和 `out` 两个路径。",
        "no_paths_hint": "补上之前不会启用。",
        "flood": "{name} 通过 {channel} 发得太多，没有全部读取。",
        "flood_hint": "把对方的 id 写进 allowFrom，或调大 messages.inbound.maxPerMinute。",
        "pairings_lost": "允许通过渠道给我写消息的名单已损坏，已重新建立，对方需要重新申请。"
        "旧文件保存在 {path}。",
        "other_process": "另一个 Moltbot Desktop 正在运行各个渠道，这里不再运行。",
    },
)


@dataclass(frozen=True)
class ChannelNeeds:
    """What the channels are made of.

    Attributes:
        settings: as they are now.
        on_change: calls after each change of them; its answer ends that.
        kinds: the channels that plugins bring.
        secret: what ``keyring:NAME`` in the settings stands for; blocks, raises MoltbotError.
        effects: what each tool does to the world, by name.
        tell: anything that happens, for the windows.
        gate: judges answers on their way out.
        states: is told which of them run.
        sealed: whether nothing may leave this computer.
        way: out of it, for a channel.
        standby: whether messages are kept for later.
        workspace: of the agent that a conversation belongs to.
    """

    paths: Paths
    settings: Callable[[], Config]
    on_change: Callable[[Callable[[], None]], Callable[[], None]]
    kinds: PluginChannels
    secret: Callable[[str], str]
    clock: Clock
    store: SessionStore
    desks: SessionDesks
    ports: CommandPorts
    effects: Mapping[str, Effect]
    model_info: Callable[[], ModelInfo | None]
    one_request: Callable[[], bool]
    tell: Callable[[ClientEvent], None]
    gate: ReplyGate
    states: ChannelStates
    workspace: Callable[[SessionKey], Path]
    sealed: Callable[[], bool]
    way: Callable[[str], Way]
    in_thread: InThread
    new_id: Callable[[], str]
    language: Language
    standby: Standby

    @property
    def config(self) -> Config:
        return self.settings()

    def channel(self, name: str) -> JsonObject:
        """The settings of a channel as they are written."""
        channels = self.config.raw.get("channels")
        found = channels.get(name) if isinstance(channels, Mapping) else None
        return found if isinstance(found, Mapping) else {}

    def capabilities(self, channel: str) -> Capabilities | None:
        """What a plugin's channel can do; None of a pipe, and of one that is gone."""
        kind = self.kinds.known.get(channel)
        return None if kind is None else kind.channel.capabilities
