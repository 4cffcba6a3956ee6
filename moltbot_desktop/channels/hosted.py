"""A channel that a plugin brought, with all that can be asked of it: `ChannelActions`.

    hosted = HostedChannel(kind, "default", settings, desk)      # desk: a `HostDesk`
    hosted.start()                      # from the agent's event loop
    await hosted.send(message, key)     # the same loop; handed over to the account's
    await hosted.stop()                 # within two seconds, whatever the plugin does

What a channel said it can do (`Capabilities`) it is asked for, in its own markup; the rest is left
away, or refused with a sentence. So no caller has to know the platform.
"""

from __future__ import annotations

import contextlib
import logging
from dataclasses import replace
from pathlib import Path

from moltbot_desktop.channels.hosted_words import refused
from moltbot_desktop.channels.passing import file_size, size_of
from moltbot_desktop.channels.put_away import put_away
from moltbot_desktop.channels.supervised import SupervisedAccount
from moltbot_desktop.core.errors import ChannelAuthFailed, ChannelRefused, ChannelTooLong
from moltbot_desktop.sdk.channel_abilities import (
    Deleting,
    Editing,
    Fetching,
    Reacting,
    Typing,
)
from moltbot_desktop.sdk.channels import DeliveryTarget, OutboundMessage, RemoteFile
from moltbot_desktop.sdk.plugin_values import RunningChannel

_log = logging.getLogger(__name__)


class HostedChannel(SupervisedAccount):
    """Everything here belongs to the agent's event loop."""

    async def send(self, message: OutboundMessage, idempotency_key: str) -> str:
        """See `Outgoing.send`. What `message.replaces` is changed where that still goes."""
        self._check_files(message)
        if message.replaces and self.capabilities.edit is not None:
            try:
                await self.edit(message.replaces, message)
                return message.replaces
            except (ChannelAuthFailed, ChannelTooLong):
                raise
            except ChannelRefused as error:  # it is gone: the words are still to be said
                _log.info("%s: a message is not changed but sent: %s", self._kind.id, error)
        shown = self._shown(message)
        size = size_of(shown)

        async def sent(connection: RunningChannel) -> str:
            try:
                return await connection.send(shown, idempotency_key)
            finally:  # by now it is known where it went
                self._passing.add(sent=size)

        return await self.asked(sent)

    async def edit(self, message_id: str, message: OutboundMessage) -> None:
        """See `Editing.edit`."""
        shown = self._shown(message)
        size = size_of(shown)

        async def edited(connection: RunningChannel) -> None:
            editing = self._editing(connection)
            try:
                await editing.edit(message_id, shown)
            finally:
                self._passing.add(sent=size)

        await self.asked(edited)

    async def delete(self, target: DeliveryTarget, message_id: str) -> None:
        """See `Deleting.delete`."""
        await self.asked(lambda one: self._deleting(one).delete(target, message_id))

    async def react(
        self, target: DeliveryTarget, message_id: str, emoji: str, *, remove: bool = False
    ) -> None:
        """See `Reacting.react`."""
        await self.asked(
            lambda one: self._reacting(one).react(target, message_id, emoji, remove=remove)
        )

    async def show_typing(self, target: DeliveryTarget) -> None:
        """See `Typing.show_typing`."""
        await self.asked(lambda one: self._typing(one).show_typing(target))

    async def fetch(self, file: RemoteFile, into: Path, most: int) -> None:
        """See `ChannelActions.fetch`."""
        most = min(most, self.capabilities.media_in)

        def too_large() -> ChannelRefused:
            return self._refused("too_large", name=file.name[:80], most=most)

        async def fetched(connection: RunningChannel) -> None:
            source = self._fetching(connection).fetch(file)
            await put_away(source, into, most, too_large)
            self._passing.add(received=file_size(into))

        if file.size > most > 0:
            raise too_large()
        await self.asked(fetched)

    def _shown(self, message: OutboundMessage) -> OutboundMessage:
        """`message` without what the channel does not know, in its markup."""
        can = self.capabilities
        target = message.target if can.threads else replace(message.target, thread_id="")
        text = self._desk.rendered(message.text, can)
        return replace(
            message,
            target=target,
            text=text,
            markdown=message.text,
            reply_to=message.reply_to if can.reply else "",
            replaces="",
        )

    def _check_files(self, message: OutboundMessage) -> None:
        most = self.capabilities.media_out
        if message.attachments and most <= 0:
            raise self._refused("no_files")
        for one in message.attachments:
            with contextlib.suppress(OSError):  # a file that is gone is the channel's to tell
                if one.path.stat().st_size > most:
                    raise self._refused("too_large", name=one.name[:80], most=most)

    def _editing(self, connection: RunningChannel) -> Editing:
        if self.capabilities.edit is not None and isinstance(connection, Editing):
            return connection
        raise self._refused("no_edit")

    def _deleting(self, connection: RunningChannel) -> Deleting:
        if self.capabilities.delete and isinstance(connection, Deleting):
            return connection
        raise self._refused("no_delete")

    def _reacting(self, connection: RunningChannel) -> Reacting:
        if self.capabilities.react and isinstance(connection, Reacting):
            return connection
        raise self._refused("no_react")

    def _typing(self, connection: RunningChannel) -> Typing:
        if self.capabilities.typing_seconds > 0 and isinstance(connection, Typing):
            return connection
        raise self._refused("no_typing")

    def _fetching(self, connection: RunningChannel) -> Fetching:
        if self.capabilities.media_in > 0 and isinstance(connection, Fetching):
            return connection
        raise self._refused("no_fetch")

    def _refused(self, phrase: str, **slots: object) -> ChannelRefused:
        return refused(phrase, self._desk.language, channel=self._kind.id, **slots)
