"""One account of Signal: `RunningChannel` and all that stands beside it.

    PluginChannel("signal", lambda account: SignalChannel(account, language), CAPABILITIES)

signal-cli acknowledges a message to Signal when it has it, not when we do; it keeps the last 1,000
events in its memory, and tells again what came behind the last one that was kept here.
"""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import AsyncIterator

from moltbot_desktop.core.errors import (
    ChannelError,
    ChannelNotFound,
    ChannelRefused,
    MoltbotError,
)
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.extensions.signal.client import SignalClient, opened
from moltbot_desktop.extensions.signal.daemon import running
from moltbot_desktop.extensions.signal.events import (
    Said,
    envelope_of,
    message_id,
    read_event,
)
from moltbot_desktop.extensions.signal.refusals import undelivered
from moltbot_desktop.extensions.signal.settings import settings_from
from moltbot_desktop.extensions.signal.words import say
from moltbot_desktop.extensions.signal.writing import data_uri, message_of, place, words
from moltbot_desktop.sdk.channels import Attachment, DeliveryTarget, OutboundMessage, RemoteFile
from moltbot_desktop.sdk.foreign_json import read_object, size
from moltbot_desktop.sdk.lately import Lately
from moltbot_desktop.sdk.plugins import ChannelAccount

HOST = "signal.org"
"""Where signal-cli brings what it is given."""
MOST_OUT = 25_000_000
_MOST_KNOWN = 500
_LONGEST_QUOTE = 200
_MOST_UNREAD = 50
_LONGEST_NAME = 120


async def probe(settings: JsonObject, language: Language) -> str:
    """Our number or id.

    Raises:
        ChannelError: as in `SignalClient.call`.
    """
    known = settings_from(settings)
    async with opened(known, language) as client, running(known, client, language):
        me = await client.whoami()
        return me.number or me.uuid


class SignalChannel:
    """Lives on the account's loop."""

    def __init__(self, account: ChannelAccount, language: Language) -> None:
        self._account = account
        self._language = language
        self._settings = settings_from(account.settings)
        self._client: SignalClient | None = None
        self._lately = Lately()
        self._unread: OrderedDict[str, list[int]] = OrderedDict()

    async def run(self) -> None:
        """See `RunningChannel.run`."""
        settings, language = self._settings, self._language
        async with opened(settings, language) as client, running(settings, client, language):
            self._account.reaches(HOST)
            me = await client.whoami()
            self._client = client
            stream = client.events(self._account.cursor, self._account.online, self._account.heard)
            async with contextlib.aclosing(stream):
                async for event in stream:
                    said = read_event(event.data, me)
                    if said is not None:
                        await self._keep(said, event.id)
            raise ChannelError(say("ended", language))

    async def send(self, message: OutboundMessage, idempotency_key: str) -> str:
        """See `Outgoing.send`. Signal knows no keys: a crash may show a message twice."""
        said = words(message.markdown or message.text)
        files = [self._file(one) for one in message.attachments]
        quoted = self._quote(message.reply_to) if message.reply_to else {}
        attached: JsonObject = {"attachment": files} if files else {}
        params = {**self._place(message.target), **said, **quoted, **attached}
        await self._read(message.target)
        sent = str(await self._sent("send", params))
        self._lately.wrote(sent, message.text)
        return sent

    async def edit(self, message_id: str, message: OutboundMessage) -> None:
        """See `Editing.edit`."""
        at, _ = self._message(message_id, ours=True)
        params = {**self._place(message.target), **words(message.markdown or message.text)}
        await self._sent("send", {**params, "editTimestamp": at})
        self._lately.wrote(message_id, message.text)

    async def delete(self, target: DeliveryTarget, message_id: str) -> None:
        """See `Deleting.delete`."""
        at, _ = self._message(message_id, ours=True)
        await self._sent("remoteDelete", {**self._place(target), "targetTimestamp": at})

    async def react(
        self, target: DeliveryTarget, message_id: str, emoji: str, *, remove: bool = False
    ) -> None:
        """See `Reacting.react`."""
        at, author = self._message(message_id)
        whose: JsonObject = {"targetAuthor": author, "targetTimestamp": at}
        params = {**self._place(target), "emoji": emoji, **whose, "remove": remove}
        await self._sent("sendReaction", params)

    async def show_typing(self, target: DeliveryTarget) -> None:
        """See `Typing.show_typing`."""
        await self._read(target)
        await self._connected().call("sendTyping", self._place(target))

    def fetch(self, file: RemoteFile) -> AsyncIterator[bytes]:
        """See `Fetching.fetch`."""
        if file.size > self._settings.most:
            raise ChannelRefused(say("large", self._language))
        return self._connected().file(read_object(file.ref) or {})

    # ------------------------------------------------------------ what comes

    async def _keep(self, said: Said, cursor: str) -> None:
        """Hand a message over.

        Raises:
            ChannelError: it was not kept; another connection asks for it again.
        """
        try:
            answered = self._lately.answered(said.reply_to)
            await self._account.receive([envelope_of(said, cursor, answered)])
        except ChannelError:
            raise  # we are at our end
        except MoltbotError:  # the program has told why
            raise ChannelError(say("not_kept", self._language)) from None
        self._lately.saw(message_id(said.at, said.author), said.text, said.sender)
        if self._settings.receipts:
            unread = self._unread.setdefault(said.group or said.sender.id, [])
            if not said.group:
                unread.append(said.at)
                del unread[:-_MOST_UNREAD]
            while len(self._unread) > _MOST_KNOWN:
                self._unread.popitem(last=False)

    async def _read(self, target: DeliveryTarget) -> None:
        """Tell that we have read: to those whom we answer, and nobody else learns of us."""
        times = self._unread.pop(target.peer.id, []) if target.peer is not None else []
        where = self._place(target).get("recipient")
        if times and where:
            params: JsonObject = {"recipient": where, "targetTimestamp": times, "type": "read"}
            with contextlib.suppress(ChannelError):  # a courtesy
                await self._connected().call("sendReceipt", params)

    # ------------------------------------------------------------ what goes

    async def _sent(self, method: str, params: JsonObject) -> int:
        """Its time, which is its id.

        Raises:
            ChannelRefused: nobody got it.
        """
        where = str(params.get("groupId") or params.get("recipient"))
        answer = await self._connected().call(method, params, where)
        if reason := undelivered(answer):
            if reason == "NETWORK_FAILURE":
                raise ChannelError(say("nobody", self._language, reason=reason))
            raise ChannelRefused(say("nobody", self._language, reason=reason[:80]))
        return size(answer.get("timestamp"))

    def _quote(self, message: str) -> JsonObject:
        at, author = self._message(message)
        known = self._lately.answered(message)
        words_of_it = known.text[:_LONGEST_QUOTE] if known is not None else ""
        return {"quoteTimestamp": at, "quoteAuthor": author, "quoteMessage": words_of_it}

    def _file(self, file: Attachment) -> str:
        name = file.name[-_LONGEST_NAME:]
        try:
            with file.path.open("rb") as content:
                data = content.read(MOST_OUT + 1)
        except OSError as error:
            raise ChannelRefused(say("unread", self._language, name=name)) from error
        if not data or len(data) > MOST_OUT:
            raise ChannelRefused(say("unread", self._language, name=name))
        return data_uri(name, file.media_type, data)

    def _place(self, target: DeliveryTarget) -> JsonObject:
        found = place(target)
        if found is None:
            where = target.peer.id[:40] if target.peer is not None else ""
            raise ChannelRefused(say("nowhere", self._language, place=where))
        return found

    def _message(self, message_id: str, *, ours: bool = False) -> tuple[int, str]:
        """Time and author of a message.

        Raises:
            ChannelNotFound: it is none, or is not ours to change.
        """
        account = self._settings.account
        found = message_of(message_id, account)
        if found is None or (ours and found[1] != account):
            said = say("no_message", self._language, message=message_id[:60])
            raise ChannelNotFound(said)
        return found

    def _connected(self) -> SignalClient:
        if self._client is None:
            raise ChannelError(say("ended", self._language))
        return self._client
