"""A signal-cli of our own: started where none answers, and ended with the connection.

    async with running(settings, client, language): ...

It is started with words, never by a shell, and listens on this computer alone. One that a crash of
ours left behind answers at the same place, and is used again.
https://github.com/AsamK/signal-cli/blob/master/man/signal-cli.1.adoc (daemon)
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from ipaddress import ip_address
from urllib.parse import urlsplit

from moltbot_desktop.core.errors import ChannelError, ChannelRefused
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.extensions.signal.client import SignalClient
from moltbot_desktop.extensions.signal.refusals import shown
from moltbot_desktop.extensions.signal.settings import Settings
from moltbot_desktop.extensions.signal.words import say

_ASK_SECONDS = 0.2
_END_SECONDS = 1.0
"""Until it is killed: the connection has two seconds to end."""
_MOST_SAID = 4_000


def command(settings: Settings, file: str) -> Sequence[str]:
    """What is run."""
    switches = {
        "--ignore-attachments": settings.ignore_files,
        "--ignore-stories": settings.ignore_stories,
        "--no-receive-stdout": True,
    }
    return (
        *(file, "-a", settings.account, "daemon", "--http", settings.place),
        *("--receive-mode", settings.receive_mode),
        *(name for name, wanted in switches.items() if wanted),
    )


def is_here(root: str) -> bool:
    """Whether an address is of this computer alone."""
    host = urlsplit(root).hostname or ""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


@asynccontextmanager
async def running(
    settings: Settings, client: SignalClient, language: Language
) -> AsyncIterator[None]:
    """A signal-cli that answers, until the end of the block.

    Raises:
        ChannelRefused: there is no file of that name.
        ChannelError: it ended, or does not answer in time.
    """
    if not settings.starts or not is_here(settings.root) or await client.answers():
        yield
        return
    file = shutil.which(settings.command)
    if file is None:
        missing = say("missing", language, command=shown(settings.command))
        raise ChannelRefused(missing, hint=say("missing_hint", language))
    process = await asyncio.create_subprocess_exec(
        *command(settings, file),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    said: list[str] = []
    listening = asyncio.create_task(_listen(process, said))
    try:
        await _until_it_answers(settings, client, process, listening, said, language)
        yield
    finally:
        await _ended(process)
        listening.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await listening


async def _until_it_answers(
    settings: Settings,
    client: SignalClient,
    process: asyncio.subprocess.Process,
    listening: asyncio.Task[None],
    said: Sequence[str],
    language: Language,
) -> None:
    hint = say("not_begun_hint", language)
    try:
        async with asyncio.timeout(settings.start_seconds):
            while not await client.answers():
                if process.returncode is not None:
                    await listening
                    reason = shown(said[-1] if said else "") or str(process.returncode)
                    raise ChannelError(say("not_begun", language, reason=reason), hint=hint)
                await asyncio.sleep(_ASK_SECONDS)
    except TimeoutError:
        raise ChannelError(say("slow", language), hint=hint) from None


async def _listen(process: asyncio.subprocess.Process, said: list[str]) -> None:
    """Keep the last line of what it complains of; an unread pipe would stop it."""
    assert process.stderr is not None
    while chunk := await process.stderr.read(_MOST_SAID):
        lines = [one for one in chunk.decode("utf-8", "replace").splitlines() if one.strip()]
        said[:] = lines[-1:] or said


async def _ended(process: asyncio.subprocess.Process) -> None:
    if process.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    try:
        async with asyncio.timeout(_END_SECONDS):
            await process.wait()
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
