"""The channels of moltbot.json put together: mail book, desk, postman and the channels themselves.

    channels = Channels(needs, hooks, happenings)
    channels.on_open(listener)
    await channels.begin(stack)
    await channels.post(run_id, target, "It is done.")      # refuses while no channel runs

Nothing of it is made before the first account is wanted: at the start, or when the settings or a
plugin bring one later. From then on the accounts follow the settings and the plugins
(`channel_accounts`); when the last of them goes, the book of what waits stays open until the end.
Of several processes one runs the channels: the one that was first at the mail book.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace

from moltbot_desktop.app.account_opener import AccountNeeds, AccountOpener
from moltbot_desktop.app.channel_accounts import ChannelAccounts, is_online
from moltbot_desktop.app.channel_needs import PHRASES, ChannelNeeds
from moltbot_desktop.app.channel_receiving import (
    answered_commands,
    opened_pairings,
    receiving_parts,
)
from moltbot_desktop.app.channel_replies import ChannelReplies, OwnPost, outgoing_files
from moltbot_desktop.app.channel_wanted import anything_wanted, pipe_accounts, wanted_accounts
from moltbot_desktop.app.mailing import open_mail, start_postman
from moltbot_desktop.channels.hosted import HostedChannel
from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.results import RunOutcome
from moltbot_desktop.gateway.accepted import AcceptedRun
from moltbot_desktop.gateway.answer_files import AnswerFiles
from moltbot_desktop.gateway.channel_desk import ChannelDesk
from moltbot_desktop.gateway.client import Notice
from moltbot_desktop.gateway.commands.registry import Who
from moltbot_desktop.gateway.drafts import Drafts
from moltbot_desktop.gateway.happenings import Happenings
from moltbot_desktop.gateway.hooked_outgoing import hooked, hooked_edit
from moltbot_desktop.gateway.incoming_files import IncomingFiles
from moltbot_desktop.gateway.mail_desk import MailDesk
from moltbot_desktop.gateway.mail_items import target_text
from moltbot_desktop.gateway.outgoing_files import OutgoingFiles
from moltbot_desktop.gateway.pairing_desk import PairingDesk
from moltbot_desktop.gateway.postman import Postman
from moltbot_desktop.gateway.signs import SignDesk, sign_rules
from moltbot_desktop.gateway.tool_outbox import Keep, OwnMessages
from moltbot_desktop.gateway.unattended import Post
from moltbot_desktop.gateway.usage_line import UsageTeller
from moltbot_desktop.plugins.hooks import HookBus
from moltbot_desktop.sdk.channel_abilities import ChannelActions
from moltbot_desktop.sdk.channels import DeliveryTarget, Outgoing
from moltbot_desktop.sdk.hooks import MessageSending
from moltbot_desktop.sdk.plugin_values import ListedCommand

Opened = Callable[[OwnMessages, Keep], None]
"""Hears that channels are open: what can be done with messages that are there, and how copies of
files are made."""


@dataclass(frozen=True)
class _Open:
    """What is there from the first account on."""

    mail: MailDesk
    accounts: ChannelAccounts
    postman: Postman


class Channels:
    """Lives on the agent's event loop."""

    def __init__(self, needs: ChannelNeeds, hooks: HookBus, happenings: Happenings) -> None:
        """`hooks`, `happenings`: what comes and goes is told to extensions."""
        self._needs = needs
        self._hooks = hooks
        self._happenings = happenings
        self._house = AsyncExitStack()
        self._open: _Open | None = None
        self._desk: ChannelDesk | None = None
        self._usage = UsageTeller(needs.store.settings, needs.tell)
        self._listeners: list[Opened] = []
        self._told = ""
        self._changing = asyncio.Lock()
        self._following: set[asyncio.Task[None]] = set()
        self._closing = False
        self.post: Post = OwnPost(needs, lambda: self._open.mail if self._open else None)

    def on_open(self, listener: Opened) -> None:
        """Call `listener` once, when channels are open; before `begin`."""
        self._listeners.append(listener)

    async def begin(self, stack: AsyncExitStack) -> None:
        """Open what is wanted now, and again after each change of the settings or the plugins;
        `stack` ends it.

        Raises:
            StorageError: the mail book cannot be used.
        """
        pipe_accounts(self._needs, self._needs.tell)  # what they lack is told once
        self._needs.desks.on_end(self._ended)
        stack.push_async_callback(self._close)
        await self._follow()
        stack.callback(self._begin_closing)
        stack.callback(self._needs.kinds.on_change(self._changed))
        stack.callback(self._needs.on_change(self._changed))
        self._needs.standby.on_change(self._stands_by)

    def _stands_by(self) -> None:
        """The owner has paused everything, or lets it go on."""
        if self._desk is not None and not self._closing and not self._needs.standby.on:
            self._desk.go_on()

    def _ended(self, message: AcceptedRun, outcome: RunOutcome) -> None:
        if self._desk is not None:
            self._desk.ended(message, self._usage.told(message, outcome))

    # ------------------------------------------------------------------ following

    def _changed(self) -> None:
        task = asyncio.get_running_loop().create_task(self._follow_change(), name="channels")
        self._following.add(task)
        task.add_done_callback(self._following.discard)

    async def _follow_change(self) -> None:
        """Whatever cannot be opened now is tried again at the next change."""
        try:
            await self._follow()
        except MoltbotError as error:
            self._tell_once(Notice(error.message, error.hint, serious=True))

    async def _follow(self) -> None:
        async with self._changing:
            if self._closing:
                return
            if self._open is None and anything_wanted(self._needs):
                self._open = await self._opened()
            if self._open is not None and not self._closing:
                await self._open.accounts.follow()
                self._open.postman.wake()

    async def _opened(self) -> _Open | None:
        """The house from its mail book up; None where another process has the channels."""
        async with AsyncExitStack() as stack:
            needs = self._needs
            mail = await open_mail(
                *(stack, needs.paths.mail_database, needs.clock, needs.new_id),
                *(needs.tell, needs.language),
            )
            if not mail.in_charge:
                self._tell_once(Notice(PHRASES.say("other_process", needs.language)))
                return None
            opened = await self._furnished(stack, mail.desk)
            self._house = stack.pop_all()
            return opened
        raise AssertionError  # the stack above swallows nothing

    async def _furnished(self, stack: AsyncExitStack, mail: MailDesk) -> _Open:
        needs, replies = self._needs, ChannelReplies(self._needs)
        commands = answered_commands(stack, needs, self._happenings)
        out, actions = outgoing_files(needs), self._actions
        drafts, signs = Drafts(self._for_drafts, _freedom(mail), mail), SignDesk(actions)
        stack.callback(drafts.close)
        stack.callback(signs.close)
        door = PairingDesk(
            *(opened_pairings(stack, needs), mail, replies.aside),
            *(needs.tell, needs.in_thread, needs.language),
        )
        desk = ChannelDesk(
            replace(
                receiving_parts(needs, mail, commands, door),
                drafts=drafts,
                files=self._incoming_files(),
                answer_files=AnswerFiles(out, needs.workspace, needs.gate),
                signs=lambda envelope, route: signs.of(
                    envelope, sign_rules(needs.config, envelope, route.agent)
                ),
            )
        )
        desk.on_received(self._happenings.received)
        stack.push_async_callback(desk.close)
        postman = self._postman(stack, mail, out)
        self._tell_open(mail, out)
        self._desk = desk
        if not self._closing:
            await desk.recover()
        opener = self._opener(desk, mail, postman, door)
        accounts = ChannelAccounts(needs.states.running, lambda: wanted_accounts(needs, opener))
        stack.push_async_callback(accounts.close)
        _keep_at(stack, door.run(), "pairing")
        return _Open(mail, accounts, postman)

    def _tell_open(self, mail: MailDesk, out: OutgoingFiles) -> None:
        own = OwnMessages(
            *(self._actions, mail.own, mail.heard),
            lambda found: hooked_edit(found, self._hooks),
        )
        self._needs.states.opened(mail.waiting, own, out.keep)
        for listener in self._listeners:
            listener(own, out.keep)

    def _tell_once(self, notice: Notice) -> None:
        """Not at each change again."""
        if notice.text != self._told:
            self._told = notice.text
            self._needs.tell(notice)

    # ------------------------------------------------------------------ the parts

    def _actions(self, channel: str, account: str) -> ChannelActions | None:
        found = self._needs.states.running.get((channel, account))
        return found if isinstance(found, HostedChannel) and is_online(found) else None

    def _for_drafts(self, channel: str, account: str) -> ChannelActions | None:
        # What an extension may still change or stop is not shown before it was asked.
        listening = self._hooks.listens(MessageSending)
        return None if listening else self._actions(channel, account)

    def _outgoing(self, channel: str, account: str) -> Outgoing | None:
        found = self._needs.states.running.get((channel, account))
        return found if found is not None and is_online(found) else None

    def _incoming_files(self) -> IncomingFiles:
        needs = self._needs
        return IncomingFiles(
            self._actions,
            needs.workspace,
            lambda: int(needs.config.agent.media_max_mb * 1_000_000),
            needs.new_id,
            needs.in_thread,
            needs.clock,
        )

    def _postman(self, stack: AsyncExitStack, mail: MailDesk, out: OutgoingFiles) -> Postman:
        needs = self._needs

        async def tidied() -> None:
            await out.tidy(await mail.attached())

        return start_postman(
            *(stack, mail, needs.clock, hooked(self._outgoing, self._hooks)),
            *(needs.tell, needs.language, tidied),
        )

    def _opener(
        self, desk: ChannelDesk, mail: MailDesk, postman: Postman, door: PairingDesk
    ) -> AccountOpener:
        needs = self._needs
        return AccountOpener(
            AccountNeeds(
                desk.receive,
                mail.cursor,
                _problem_teller(needs),
                postman.wake,
                needs.clock,
                secret=needs.secret,
                sealed=needs.sealed,
                way=needs.way,
                commands=lambda: _listed(needs),
                language=needs.language,
                let_in=door.let_in,
            )
        )

    # ------------------------------------------------------------------ the end

    def _begin_closing(self) -> None:
        """Nothing is handled any more, before conversations are stopped."""
        self._closing = True
        if self._desk is not None:
            self._desk.begin_closing()

    async def _close(self) -> None:
        self._closing = True
        if self._following:
            await asyncio.wait(self._following)
        await self._house.aclose()


def _freedom(mail: MailDesk) -> Callable[[DeliveryTarget], Coroutine[None, None, bool]]:
    async def is_free(target: DeliveryTarget) -> bool:
        waiting = target_text(target)
        return all(head.target != waiting for head in await mail.heads())

    return is_free


def _listed(needs: ChannelNeeds) -> list[ListedCommand]:
    """The commands of somebody who was let in, for the menus of platforms."""
    chinese = needs.language is Language.CHINESE
    return [
        ListedCommand(one.name, one.chinese if chinese else one.english)
        for one in needs.ports.listed(Who.CONTACT)
    ]


def _keep_at(stack: AsyncExitStack, work: Coroutine[None, None, None], name: str) -> None:
    """Do `work` beside all else; `stack` ends it."""
    task = asyncio.get_running_loop().create_task(work, name=name)

    async def ended() -> None:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task

    stack.push_async_callback(ended)


def _problem_teller(needs: ChannelNeeds) -> Callable[[str], None]:
    """For the channel's own threads."""
    loop = asyncio.get_running_loop()

    def tell(problem: str) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(needs.tell, Notice(problem, serious=True))

    return tell
