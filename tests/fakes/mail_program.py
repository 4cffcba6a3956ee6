"""A program that only does mail, to be killed: `python -m tests.fakes.mail_program FOLDER LAST`.

Its platform delivers messages 0, 1, 2 ... again from a little before where the program had read to.
Each is answered with two parts to one of three peers; the channel writes down key and text.
Prints the number of each message once it is acknowledged. Ends when number LAST - 1 and all
before it are answered; never, when LAST is 0.
"""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from uuid import uuid4

from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.app.mailing import open_mail, start_postman
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.gateway.mail_items import Accepted
from moltbot_desktop.sdk.channels import OutboundMessage, Peer, PeerKind
from tests.fakes.mail import envelope

AT_ONCE = 4
AGAIN = 6
PEERS = 3


class FileChannel:
    """Implements `sdk.channels.Outgoing`; one line a message, whole also when it is killed."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    async def send(self, message: OutboundMessage, idempotency_key: str) -> str:
        await asyncio.sleep(0)
        os.write(self._file, f"{idempotency_key} {message.text}\n".encode())
        return idempotency_key


async def main(folder: Path, last: int) -> None:
    channel = FileChannel(folder / "sent")
    async with AsyncExitStack() as stack:
        clock, english = SystemClock(), Language.ENGLISH
        mail = await open_mail(
            stack, folder / "mail.sqlite", clock, lambda: uuid4().hex, print, english
        )
        assert mail.in_charge
        start_postman(stack, mail.desk, clock, lambda *_: channel, print, english)

        async def answer(one: Accepted) -> None:
            number, target = one.envelope.message_id, one.envelope.reply_target
            parts = [OutboundMessage(target, f"{number}.{part}") for part in range(2)]
            await mail.desk.finish(one.run_id, parts)

        for one in await mail.desk.unfinished():
            await answer(one)
        number = max(0, int(await mail.desk.cursor("pipe", "default") or 0) - AGAIN)
        while not last or number < last:
            numbers = range(number, number + AT_ONCE)
            received = await asyncio.gather(
                *(
                    mail.desk.receive(
                        [
                            envelope(
                                str(n), peer=Peer(PeerKind.DM, str(n % PEERS)), cursor=str(n + 1)
                            )
                        ]
                    )
                    for n in numbers
                )
            )
            sys.stdout.write(" ".join(map(str, numbers)) + "\n")
            sys.stdout.flush()
            new = [one for (one,) in received if isinstance(one, Accepted)]
            await asyncio.gather(*map(answer, new))
            number += AT_ONCE
        while await mail.desk.heads():
            await asyncio.sleep(0.01)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
