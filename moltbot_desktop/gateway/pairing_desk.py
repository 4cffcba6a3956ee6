"""A stranger writes: they are answered with a code, once, and the owner hears of them.

    desk = PairingDesk(book, mail, aside, tell, in_thread, language)
    await desk.knocked(envelope, rules)       # of a message that is not read
    task = loop.create_task(desk.run())       # whoever was let in, wherever, is told so

Nothing of what a stranger writes is kept: they ask by writing at all, and write again once they are
let in. The code is on its way when `knocked` returns, so the message may be acknowledged; one whose
code could not be written down is answered at the next message.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.core.i18n import Language, Phrases, language_of
from moltbot_desktop.core.ids import RunId
from moltbot_desktop.gateway.access import AccessRules
from moltbot_desktop.gateway.client import ClientEvent, Notice, NoticeKind
from moltbot_desktop.gateway.inbox_desk import InThread
from moltbot_desktop.gateway.mail_desk import MailDesk
from moltbot_desktop.gateway.mentions import shown_name
from moltbot_desktop.gateway.pairing import Knock, begins_pairing
from moltbot_desktop.gateway.pairing_book import PairingBook
from moltbot_desktop.sdk.channels import Envelope, OutboundMessage, Sender

LOOK_SECONDS = 2.0
"""Between two looks whether somebody was let in, maybe by another process."""

PHRASES = Phrases(
    english={
        "code": "This is a private assistant, and it does not know you yet. Your code is {code}."
        " Tell it to the owner, who can let you in with it within an hour.",
        "welcome": "You have been let in. Write to me now.",
        "wants": "{name} would like to write to me by {channel}, with the code {code}.",
        "came": "{name} may write to me by {channel} now.",
        "came_hint": "If that was not you: moltbot-desktop channels pairing remove {channel} {id}",
        "wants_hint": "Compare the code with the one they tell you; then let them in at"
        " “Channels”, or with: moltbot-desktop channels pairing approve {code}",
    },
    chinese={
        "code": "这是一个私人助手，还不认识你。你的配对码是 {code}。"
        "请把它告诉主人，主人在一小时内可以凭它让你进来。",
        "welcome": "你已获准使用，现在可以给我写消息了。",
        "wants": "{name} 想通过 {channel} 给我写消息，配对码是 {code}。",
        "came": "{name} 现在可以通过 {channel} 给我写消息了。",
        "came_hint": "如果不是你本人：moltbot-desktop channels pairing remove {channel} {id}",
        "wants_hint": "请先和对方核对配对码，再到“渠道”里批准，"
        "或运行：moltbot-desktop channels pairing approve {code}",
    },
)
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class PairingDesk:
    """Lives on the agent's event loop.

    Attributes:
        messages: words as messages for where an envelope came from.
        tell: the windows and the tray.
        in_thread: carries a blocking call out beside the loop.
        language: the owner's.
    """

    book: PairingBook
    mail: MailDesk
    messages: Callable[[str, Envelope], Sequence[OutboundMessage]]
    tell: Callable[[ClientEvent], None]
    in_thread: InThread
    language: Language

    async def knocked(self, envelope: Envelope, rules: AccessRules) -> None:
        """A message that was not admitted has come."""
        if not begins_pairing(envelope, rules):
            return
        try:
            known = self.book.waits(envelope)
            if known is Knock.FULL or (known is Knock.KNOWN and self.book.is_answered(envelope)):
                return
            await self._answer(envelope)
        except StorageError as error:  # costs nobody else's message
            _log.warning("a stranger on %s gets no code: %s", envelope.channel, error)

    async def let_in(self, channel: str, account: str, sender: Sender) -> None:
        """Somebody has shown what the owner made for them at this computer, who is told of it.

        Raises:
            StorageError: it cannot be kept.
        """
        await self.in_thread(lambda: self.book.let_in(channel, account, sender))
        slots = {"name": shown_name(sender), "channel": channel}
        hint = PHRASES.say("came_hint", self.language, channel=channel, id=sender.id)
        self.tell(Notice(PHRASES.say("came", self.language, **slots), hint))

    async def _answer(self, envelope: Envelope) -> None:
        words = language_of(envelope.text)
        [welcome, *_] = self.messages(PHRASES.say("welcome", words), envelope)
        welcome = replace(welcome, reply_to="")
        asked = await self.in_thread(lambda: self.book.ask(envelope, welcome))
        if asked is None:
            return
        request, fresh = asked
        code = request.code
        parts = self.messages(PHRASES.say("code", words, code=code), envelope)
        await self.mail.finish(RunId(f"pairing:{code}"), parts, handled=())
        await self.in_thread(lambda: self.book.answered(code))
        if fresh:
            slots = {"name": shown_name(envelope.sender), "channel": envelope.channel}
            self.tell(
                Notice(
                    PHRASES.say("wants", self.language, code=code, **slots),
                    PHRASES.say("wants_hint", self.language, code=code),
                    kind=NoticeKind.ALERT,
                )
            )

    async def run(self) -> None:
        """Tell those who were let in, until cancelled."""
        while True:
            try:
                for one in self.book.welcomes():
                    run_id = RunId(f"welcome:{one.mark}")
                    await self.mail.finish(run_id, (one.message,), handled=())
                    await self.in_thread(partial(self.book.welcomed, one.mark))
            except StorageError as error:
                _log.warning("somebody who was let in is not told: %s", error)
            await asyncio.sleep(LOOK_SECONDS)
