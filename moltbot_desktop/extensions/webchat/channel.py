"""The channel: what browsers write goes to the assistant, what it answers onto their pages.

    { "plugins": { "entries": { "webchat": { "enabled": true } } },
      "channels": { "webchat": {} } }

Each browser that was let in is a person of its own: paired, not the owner. What needs the owner's
yes is asked at the window, never here; a page in a browser is a program among many others there,
and one that could ask and say yes to itself would make both worthless.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from moltbot_desktop.core.errors import (
    ChannelError,
    ChannelNotFound,
    ChannelRefused,
    MoltbotError,
)
from moltbot_desktop.extensions.webchat.browsers import Browser, taken
from moltbot_desktop.extensions.webchat.doorway import Doorway
from moltbot_desktop.extensions.webchat.frames import Attach, Prove, Say
from moltbot_desktop.extensions.webchat.house import House
from moltbot_desktop.extensions.webchat.live import Visits
from moltbot_desktop.extensions.webchat.pages import Page, Pages
from moltbot_desktop.extensions.webchat.record import Entry, SharedFile, Who
from moltbot_desktop.extensions.webchat.server import PageServer, ServerDesk
from moltbot_desktop.extensions.webchat.serving import Served
from moltbot_desktop.extensions.webchat.settings import settings_from
from moltbot_desktop.extensions.webchat.uploads import Uploads
from moltbot_desktop.extensions.webchat.words import PHRASES
from moltbot_desktop.sdk.channels import (
    DeliveryTarget,
    Envelope,
    OutboundMessage,
    Peer,
    PeerKind,
    RemoteFile,
    Sender,
)
from moltbot_desktop.sdk.plugins import ChannelAccount

CHANNEL = "webchat"
_STOP = "/stop"
_PIECE = 1 << 18


class WebChat:
    """One account; everything here runs on its own loop."""

    def __init__(
        self,
        account: ChannelAccount,
        house: House,
        page: Mapping[str, Served],
        doorway: Doorway | None = None,
    ) -> None:
        self._account = account
        self._house = house
        self._pages = Pages(house.folder)
        self._files = Uploads(house.files)
        self._keeping = asyncio.Lock()
        desk = ServerDesk(
            self._let_in,
            house.browsers.find,
            self._visits,
            self._files,
            page,
            house.clock,
            house.language,
        )
        self._server = PageServer(settings_from(account.settings).port, desk, doorway)

    async def run(self) -> None:
        """See `RunningChannel.run`. Raises ChannelRefused: the port cannot be had."""
        await self._server.start()
        try:
            try:
                self._house.tell_address(self._server.address)
            except OSError as error:
                raise self._error("not_kept", reason=error.strerror or error) from error
            self._account.online()
            await asyncio.Event().wait()  # until cancelled
        finally:
            with contextlib.suppress(OSError):
                self._house.tell_address("")
            self._pages.close()
            await self._server.stop()

    # ------------------------------------------------------------ who comes

    async def _let_in(self, code: str, name: str) -> Browser | None:
        if not taken(self._house.folder, code, self._house.clock.now().timestamp()):
            return None
        try:
            browser = self._house.browsers.add(name)
        except OSError as error:
            raise self._error("not_kept", reason=error.strerror or error) from error
        try:
            await self._account.let_in(Sender(browser.id, name))
        except MoltbotError:
            with contextlib.suppress(OSError):
                self._house.browsers.remove(browser.id)
            raise
        return browser

    def _visits(
        self, proven: Callable[[Prove, str], Browser | None], stays: Callable[[], None]
    ) -> Visits:
        return Visits(
            proven,
            stays,
            self._pages.of,
            self._said,
            self._stopped,
            self._attach,
            self._account.heard,
        )

    # ------------------------------------------------------------ what is said

    async def _said(self, browser: Browser, frame: Say) -> None:
        page = self._pages.of(browser.id)
        async with self._keeping:  # in the order in which it was said
            there = page.record.get(frame.id)
            if there is not None and there.who is not Who.YOU:
                raise ChannelNotFound(self._say("gone"))
            files = there.files if there is not None else self._uploaded(browser, frame)
            envelope = replace(
                self._envelope(browser, frame.id, frame.text),
                files=tuple(RemoteFile(one.id, one.name, one.type, one.size) for one in files),
            )
            if there is None:  # the question stands on the page before its answer can
                at = self._house.clock.now().isoformat()
                page.put(Entry(frame.id, Who.YOU, frame.text, at, files=files))
            # Again for one that stands there: the program may have died before it was kept, and
            # knows one that it has.
            try:
                await self._account.receive([envelope])
            except MoltbotError:
                page.remove(frame.id)  # the page says it again
                raise

    def _uploaded(self, browser: Browser, frame: Say) -> tuple[SharedFile, ...]:
        found = [self._files.uploaded(browser.id, name) for name in frame.files]
        if None in found:
            raise ChannelNotFound(self._say("upload"))
        return tuple(one for one in found if one is not None)

    async def _stopped(self, browser: Browser) -> None:
        await self._account.receive(
            [self._envelope(browser, f"stop-{secrets.token_hex(8)}", _STOP)]
        )

    def _envelope(self, browser: Browser, name: str, text: str) -> Envelope:
        return Envelope(
            CHANNEL,
            name,
            Sender(browser.id, browser.name),
            text,
            self._house.clock.now(),
            peer=Peer(PeerKind.DM, browser.id),
        )

    def _attach(self, browser: Browser, frame: Attach) -> SharedFile | None:
        return self._files.expect(browser.id, frame.name, frame.type, frame.size)

    async def fetch(self, file: RemoteFile) -> AsyncIterator[bytes]:
        """See `Fetching.fetch`."""
        path = self._files.path(file.ref)
        if path is None:
            raise ChannelNotFound(self._say("gone"))
        try:
            for piece in _pieces(path):
                yield piece
        except OSError as error:
            raise self._error("file", reason=error.strerror or error) from error

    # ------------------------------------------------------------ what is answered

    async def send(self, message: OutboundMessage, idempotency_key: str) -> str:
        """See `Outgoing.send`."""
        page = self._page_of(message.target)
        if sent := page.record.sent_as(idempotency_key):
            return sent
        name, now = f"a-{secrets.token_hex(8)}", self._house.clock.now()
        files = tuple(self._shared(one.path, one.name, one.media_type)
                      for one in message.attachments)  # fmt: skip
        page.put(
            Entry(
                name,
                Who.ASSISTANT,
                message.text,
                now.isoformat(),
                files=files,
                key=idempotency_key,
            )
        )
        return name

    async def edit(self, message_id: str, message: OutboundMessage) -> None:
        """See `Editing.edit`."""
        page, entry = self._ours(message.target, message_id)
        if entry.text != message.text:
            page.put(replace(entry, text=message.text))

    async def delete(self, target: DeliveryTarget, message_id: str) -> None:
        """See `Deleting.delete`."""
        page = self._page_of(target)
        if page.record.get(message_id) is not None:
            self._ours(target, message_id)
            page.remove(message_id)

    async def react(
        self, target: DeliveryTarget, message_id: str, emoji: str, *, remove: bool = False
    ) -> None:
        """See `Reacting.react`."""
        page = self._page_of(target)
        entry = page.record.get(message_id)
        if entry is None:
            raise ChannelNotFound(self._say("gone"))
        left = tuple(one for one in entry.reactions if one != emoji)
        marks = left if remove else (*left, emoji)
        if marks != entry.reactions:
            page.put(replace(entry, reactions=marks))

    async def show_typing(self, target: DeliveryTarget) -> None:
        """See `Typing.show_typing`."""
        self._page_of(target).show_writing()

    def _page_of(self, target: DeliveryTarget) -> Page:
        name = target.peer.id if target.peer is not None else ""
        if self._house.browsers.find(name) is None:
            raise ChannelRefused(self._say("no_target", target=name[:40]))
        return self._pages.of(name)

    def _ours(self, target: DeliveryTarget, name: str) -> tuple[Page, Entry]:
        page = self._page_of(target)
        entry = page.record.get(name)
        if entry is None or entry.who is not Who.ASSISTANT:
            raise ChannelNotFound(self._say("gone"))
        return page, entry

    def _shared(self, path: Path, name: str, kind: str) -> SharedFile:
        try:
            return self._files.put(path, name, kind)
        except OSError as error:
            raise self._error("file", reason=error.strerror or error) from error

    def _say(self, key: str, **slots: object) -> str:
        return PHRASES.say(key, self._house.language, **slots)

    def _error(self, key: str, **slots: object) -> ChannelError:
        return ChannelError(self._say(key, **slots))


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as source:
        while piece := source.read(_PIECE):
            yield piece
