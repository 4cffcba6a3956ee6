"""A mailbox as a channel: `RunningChannel` and `Fetching`.

    channel = EmailChannel(account, clock, language, folder_of_the_plugin)
    await channel.run()

What came is read once, in order. Only e-mails of people are handed over, and only where the owner's
own server vouches for who wrote them (`proof`): everybody can write any name into one. A
conversation is what answers one first e-mail. The mailbox is the memory of what is answered: its
headers are looked up there when an answer goes, after a restart too.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections import OrderedDict
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import (
    ChannelError,
    ChannelNotFound,
    ChannelRefused,
    ChannelTooLong,
)
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.extensions.email.bodies import MOST_BYTES, newest, quoted_in, words_of
from moltbot_desktop.extensions.email.decoding import Decoder
from moltbot_desktop.extensions.email.door import Door
from moltbot_desktop.extensions.email.headers import Head, plain_address, read_head
from moltbot_desktop.extensions.email.letters import Earlier, Words, is_ours, message_id, written
from moltbot_desktop.extensions.email.mailbox import MOST_AT_ONCE, Letter, Mailbox, opened
from moltbot_desktop.extensions.email.parts import as_file, read_ref, sorted_out
from moltbot_desktop.extensions.email.place import Place, farthest
from moltbot_desktop.extensions.email.post import Post
from moltbot_desktop.extensions.email.settings import Reading, settings_from
from moltbot_desktop.extensions.email.trouble import checked, failure
from moltbot_desktop.extensions.email.wire import Part
from moltbot_desktop.sdk.channels import (
    DeliveryTarget,
    Envelope,
    OutboundMessage,
    Peer,
    PeerKind,
    RemoteFile,
    Sender,
    quoted,
)
from moltbot_desktop.sdk.plugins import ChannelAccount

PIECE_BYTES = 256 * 1024
MOST_EARLIER = 500
MOST_FILE_BYTES = 15_000_000
_LONGEST_PLACE = 2_000


class EmailChannel:
    """Belongs to the account's event loop."""

    def __init__(
        self, account: ChannelAccount, clock: Clock, language: Language, state: Path
    ) -> None:
        self._account = account
        self._clock = clock
        self._language = language
        self._settings = settings_from(account.settings)
        name = hashlib.sha256(f"{account.name}\n{self._settings.address}".encode()).hexdigest()
        self._kept = state / f"{name[:24]}.json"
        self._mailbox: Mailbox | None = None
        self._post: Post | None = None
        self._validity = 0
        self._earlier: OrderedDict[tuple[str, str], Earlier] = OrderedDict()
        """By whose it is, and its id or that of its conversation: ids are anybody's to write."""
        self._door = Door(self._settings, clock, language, account.problem)

    # ------------------------------------------------------------ what comes

    async def run(self) -> None:
        """See `RunningChannel.run`."""
        _, smtp = checked(self._settings, self._language)
        async with opened(self._settings, self._language, self._account.name) as mailbox:
            self._mailbox = mailbox
            self._post = Post(self._settings, self._language, self._account.name)
            try:
                await self._follow(mailbox, smtp.host)
            finally:
                self._mailbox = None
                await self._post.close()

    async def _follow(self, mailbox: Mailbox, host: str) -> None:
        state = await mailbox.open()
        self._validity = state.validity
        today = self._clock.now().date()
        first = Place(self._settings.folder, state.validity, state.following - 1, today)
        known = (Place.parsed(self._account.cursor), self._kept_place())
        place = farthest(known, self._settings.folder, state.validity) or first
        self._keep_place(place)
        self._account.reaches(host)
        self._account.online()
        while True:
            place = await self._read(mailbox, place)
            await mailbox.wait()
            self._account.heard()

    async def _read(self, mailbox: Mailbox, place: Place) -> Place:
        """Hand over what came behind `place`; where that ends."""
        uids = list(await mailbox.behind(place, self._validity))
        before = place
        while uids:
            here, uids = uids[:MOST_AT_ONCE], uids[MOST_AT_ONCE:]
            letters = await mailbox.letters(here)
            heads = [read_head(one.header) for one in letters]
            counting = [self._door.lets_in(head) for head in heads]
            taken = [
                await self._taken(mailbox, letter, head)
                for letter, head, counts in zip(letters, heads, counting, strict=True)
                if counts
            ]
            if envelopes := [one for one in taken if one is not None]:
                await self._account.receive(envelopes)
            await mailbox.mark(self._read_now(letters, counting))
            day = letters[-1].came.date() if letters else place.day
            place = Place(self._settings.folder, self._validity, here[-1], day)
        if place != before:
            self._keep_place(place)
        return place

    def _read_now(self, letters: Sequence[Letter], counting: Sequence[bool]) -> list[int]:
        """UIDs of what is marked as read."""
        match self._settings.reading:
            case Reading.ALL:
                return [one.uid for one in letters]
            case Reading.HANDLED:
                pairs = zip(letters, counting, strict=True)
                return [one.uid for one, counts in pairs if counts]
            case Reading.NONE:
                return []

    async def _taken(self, mailbox: Mailbox, letter: Letter, head: Head) -> Envelope | None:
        """One as it is handed over; None where there is nothing in it to be read."""
        place = Place(self._settings.folder, self._validity, letter.uid, letter.came.date())
        envelope = await self._envelope(mailbox, letter, head, place)
        self._remember(head.sender, head.message_id, Earlier.of(head))
        return envelope if envelope.text or envelope.files else None

    async def _envelope(
        self, mailbox: Mailbox, letter: Letter, head: Head, place: Place
    ) -> Envelope:
        texts, files = sorted_out(letter.structure) if letter.structure else ((), ())
        words = [await self._words(mailbox, letter.uid, one) for one in texts]
        whole = "\n\n".join(filter(None, words))
        said = newest(whole)
        # What we wrote is in the conversation; of the rest nobody knows who wrote it.
        below = "" if is_ours(head.in_reply_to, self._settings.domain) else quoted_in(whole)
        opens = not head.answers and bool(head.subject) and not said.startswith("/")
        if opens and head.subject not in said:
            said = f"{head.subject}\n\n{said}".strip()
        return Envelope(
            "email",
            head.message_id,
            Sender(head.sender, head.name, head.sender),
            said,
            letter.came,
            peer=Peer(PeerKind.DM, head.sender),
            thread_id=head.thread,
            reply_to=head.in_reply_to,
            mentioned=True,
            cursor=place.text,
            files=tuple(as_file(self._validity, letter.uid, one) for one in files),
            quoted=quoted(below, Sender("")),
        )

    async def _words(self, mailbox: Mailbox, uid: int, part: Part) -> str:
        data = await mailbox.piece(uid, part.number, 0, MOST_BYTES)
        return words_of(data, part.kind, part.params.get("charset", ""), part.encoding)

    async def fetch(self, file: RemoteFile) -> AsyncIterator[bytes]:
        """See `Fetching.fetch`."""
        place, mailbox = read_ref(file.ref), self._mailbox
        if mailbox is None:
            raise self._error(ChannelError, "ended", reason="")
        if place is None or place.validity != self._validity:
            raise self._error(ChannelNotFound, "gone", name=file.name)
        decoder, begin = Decoder(place.encoding), 0
        while True:
            data = await mailbox.piece(place.uid, place.number, begin, PIECE_BYTES)
            if not data and not begin:
                raise self._error(ChannelNotFound, "gone", name=file.name)
            yield decoder.decoded(data, last=len(data) < PIECE_BYTES)
            begin += len(data)
            if len(data) < PIECE_BYTES:
                return

    # ------------------------------------------------------------ what goes

    async def send(self, message: OutboundMessage, idempotency_key: str) -> str:
        """See `Outgoing.send`. Its Message-ID is made of the key: who gets it twice can tell."""
        to = self._recipient(message.target)
        if self._post is None or self._mailbox is None:
            raise self._error(ChannelError, "ended", reason="")
        earlier = await self._answered(to, message)
        words = Words(message.text.strip(), message.markdown.strip())
        now, settings, language = self._clock.now(), self._settings, self._language
        files = message.attachments
        try:
            await self._post.send(
                to,
                lambda: written(
                    *(settings, to, words, earlier, idempotency_key, now, language),
                    files=files,
                    most_bytes=MOST_FILE_BYTES,
                ),
                idempotency_key,
            )
        except ChannelTooLong as error:
            if files:
                raise ChannelRefused(error.message, hint=error.hint) from error
            raise
        return message_id(idempotency_key, settings.domain)

    def _recipient(self, target: DeliveryTarget) -> str:
        """Raises ChannelNotFound for what is no address."""
        peer = target.peer
        to = plain_address(peer.id) if peer is not None and peer.kind is PeerKind.DM else ""
        if not to:
            shown = peer.id[:80] if peer is not None else ""
            raise self._error(ChannelNotFound, "no_recipient", to=shown)
        return to

    async def _answered(self, to: str, message: OutboundMessage) -> Earlier | None:
        """The e-mail that is answered; None for a first one. One that nobody finds any more is
        answered by its id alone."""
        thread = message.target.thread_id
        name = message.reply_to or thread
        if not name:
            return None
        for one in dict.fromkeys((name, thread)):
            known = self._earlier.get((to, one)) or await self._looked_up(to, one)
            if known is not None:
                return known
        return Earlier("", name, (thread,) if thread and thread != name else ())

    async def _looked_up(self, to: str, name: str) -> Earlier | None:
        header = await self._mailbox.headers_of(name) if self._mailbox and name else b""
        head = read_head(header) if header else None
        if head is None or head.message_id != name or head.sender != to:
            return None
        earlier = Earlier.of(head)
        self._remember(to, name, earlier)
        return earlier

    def _remember(self, sender: str, name: str, earlier: Earlier) -> None:
        self._earlier[sender, name] = earlier
        # What answers the conversation as a whole answers what came last in it.
        self._earlier[sender, earlier.chain[0] if earlier.chain else name] = earlier
        while len(self._earlier) > MOST_EARLIER:
            self._earlier.popitem(last=False)

    # ------------------------------------------------------------ what is kept, what is told

    def _kept_place(self) -> Place | None:
        try:
            with self._kept.open("rb") as file:
                return Place.parsed(file.read(_LONGEST_PLACE).decode("utf-8", "replace"))
        except OSError:
            return None

    def _keep_place(self, place: Place) -> None:
        """What is behind it was looked at, also where nothing of it was handed over. When it
        cannot be kept, the place of the last message counts."""
        fresh = self._kept.with_suffix(".new")
        with contextlib.suppress(OSError):
            fresh.write_text(place.text, encoding="utf-8")
            fresh.replace(self._kept)

    def _error(self, kind: type[ChannelError], phrase: str, **slots: object) -> ChannelError:
        host = self._settings.imap.host if self._settings.imap else ""
        return failure(kind, phrase, self._language, **{"host": host, **slots})


async def probe(raw: JsonObject, language: Language) -> str:
    """Who we are there; both servers are logged in to, nothing is read or sent.

    Raises:
        ChannelError: we are not let in.
    """
    settings = settings_from(raw)
    async with opened(settings, language, "probe") as mailbox:
        await mailbox.open()
        post = Post(settings, language, "probe")
        try:
            await post.probe()
        finally:
            await post.close()
    return settings.address
