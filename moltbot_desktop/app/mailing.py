"""The mail book opened, and the postman sent on his rounds.

    mail = await open_mail(stack, paths.mail_database, clock, new_id, tell, language)
    if mail.in_charge:
        postman = start_postman(stack, mail.desk, clock, channels.outgoing, tell, language)

The book has a thread of its own: every call on it is short, and none may wait behind a tool.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.gateway.client import Notice
from moltbot_desktop.gateway.mail import MailBook
from moltbot_desktop.gateway.mail_desk import MailDesk
from moltbot_desktop.gateway.mail_texts import lost_notice, set_aside_notice
from moltbot_desktop.gateway.postman import GetOutgoing, LostMessage, Postman

T = TypeVar("T")


@dataclass(frozen=True)
class Mail:
    """The open mail book. `in_charge`: no other process handles what lies in it; else this one
    runs no channels, and what it posts is sent by that other one."""

    desk: MailDesk
    in_charge: bool


async def open_mail(
    stack: AsyncExitStack,
    path: Path,
    clock: Clock,
    new_id: Callable[[], str],
    tell: Callable[[Notice], None],
    language: Language,
) -> Mail:
    """Open the book in `path`; `stack` closes it.

    Raises:
        StorageError: it cannot be used.
    """
    thread = ThreadPoolExecutor(1, thread_name_prefix="mail")
    stack.callback(thread.shutdown)

    async def in_thread(call: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(thread, call)

    book = await in_thread(lambda: MailBook(path, clock, new_id))
    stack.callback(book.close)
    if book.set_aside is not None:
        tell(set_aside_notice(book.set_aside, language))
    desk = MailDesk(book, in_thread)
    stack.push_async_callback(desk.close)
    return Mail(desk, book.take_charge())


def start_postman(
    stack: AsyncExitStack,
    desk: MailDesk,
    clock: Clock,
    outgoing: GetOutgoing,
    tell: Callable[[Notice], None],
    language: Language,
    tidied: Callable[[], Awaitable[None]] | None = None,
) -> Postman:
    """Begin to send what waits; `stack` ends it, within two seconds. `tidied`: as for Postman."""

    def lost(message: LostMessage) -> None:
        tell(lost_notice(message, language))

    postman = Postman(desk, clock, outgoing, lost, random.random, tidied)
    task = asyncio.get_running_loop().create_task(postman.run(), name="postman")

    async def ended() -> None:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task

    stack.push_async_callback(ended)
    return postman
