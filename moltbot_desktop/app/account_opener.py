"""One account of a channel opened: a pipe of ours, or a channel that a plugin brought.

    opener = AccountOpener(AccountNeeds(...))
    wanted = opener.hosted(kind, account)       # for `channel_accounts.ChannelAccounts`
    running = await wanted.start()

Each reads on from where everything was kept. A plugin's account finds its keys and has its settings
checked on its own thread: a key ring may wait for the person.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from moltbot_desktop.app.channel_accounts import RunningAccount, WantedAccount
from moltbot_desktop.app.channel_kinds import ChannelKind, WrittenAccount
from moltbot_desktop.channels.hosted import HostedChannel
from moltbot_desktop.channels.pipe import PipeAccount, PipeChannel
from moltbot_desktop.channels.pipe_lines import CHANNEL as PIPE
from moltbot_desktop.channels.supervised import HostDesk
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.core.traffic import Way
from moltbot_desktop.plugins.opening import with_secrets
from moltbot_desktop.sdk.channel_abilities import Capabilities
from moltbot_desktop.sdk.channels import Envelope, Sender
from moltbot_desktop.sdk.plugin_values import ListedCommand


@dataclass(frozen=True)
class AccountNeeds:
    """What accounts are made of.

    Attributes:
        receive: keeps messages; on the agent's event loop.
        cursor: of the last message of (channel, account) that was kept.
        tell: a problem, for the person; for any thread.
        online: messages may be sent again; on the agent's event loop.
        sealed: whether nothing may leave this computer.
        way: out of this computer, for a channel.
        secret: what ``keyring:NAME`` stands for; blocks, raises MoltbotError.
        commands: what somebody who was let in may write; on the agent's event loop.
        let_in: pairs somebody on (channel, account); on the agent's event loop; None for nobody.
    """

    receive: Callable[[Sequence[Envelope]], Awaitable[None]]
    cursor: Callable[[str, str], Awaitable[str]]
    tell: Callable[[str], None]
    online: Callable[[], None]
    clock: Clock
    secret: Callable[[str], str]
    sealed: Callable[[], bool]
    way: Callable[[str], Way]
    commands: Callable[[], Sequence[ListedCommand]]
    language: Language
    let_in: Callable[[str, str, Sender], Awaitable[None]] | None = None


@dataclass(frozen=True)
class AccountOpener:
    """Belongs to the agent's event loop."""

    needs: AccountNeeds

    def pipe(self, account: PipeAccount) -> WantedAccount:
        needs = self.needs

        async def start() -> RunningAccount:
            cursor = await needs.cursor(PIPE, account.name)
            channel = PipeChannel(account, needs.receive, needs.clock, needs.tell, cursor)
            channel.start()
            return channel

        return WantedAccount(account, start)

    def hosted(self, kind: ChannelKind, account: WrittenAccount) -> WantedAccount:
        needs, channel = self.needs, kind.channel
        loop = asyncio.get_running_loop()

        def in_markup(text: str, can: Capabilities) -> str:
            from moltbot_desktop.sdk.markup import rendered  # noqa: PLC0415

            return rendered(text, can.markup)

        def settings() -> JsonObject:
            return with_secrets(kind.settings(account.settings, needs.language), needs.secret)

        def wake() -> None:
            with contextlib.suppress(RuntimeError):  # the program is at its end
                loop.call_soon_threadsafe(needs.online)

        way = needs.way(channel.id)

        def passed(host: str, requests: int, sent: int, received: int) -> None:
            way.count(host, requests=requests, sent=sent, received=received)

        async def let_in(sender: Sender) -> None:
            if needs.let_in is not None:
                await needs.let_in(channel.id, account.name, sender)

        async def start() -> RunningAccount:
            hosted = HostedChannel(
                channel,
                account.name,
                settings,
                HostDesk(
                    needs.receive,
                    lambda: needs.cursor(channel.id, account.name),
                    needs.tell,
                    wake,
                    needs.clock,
                    random.random,
                    in_markup,
                    needs.language,
                    needs.sealed,
                    passed,
                    needs.commands,
                    let_in,
                ),
            )
            hosted.start()
            return hosted

        return WantedAccount((kind, account), start)
