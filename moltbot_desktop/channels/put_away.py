"""A file of a platform written to this computer, and no more of it than is allowed.

await put_away(connection.fetch(file), folder / "photo.png", 20_000_000, too_large)
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from moltbot_desktop.core.errors import ChannelError, ChannelRefused


async def put_away(
    source: AsyncIterator[bytes], into: Path, most: int, too_large: Callable[[], ChannelRefused]
) -> None:
    """Write what `source` gives to the new file `into`, readable by its owner alone. It blocks
    while it writes: for a thread of its own.

    Raises:
        ChannelRefused: there is more of it than `most` bytes.
        ChannelError: it cannot be written, or `into` is there already.
    """
    try:
        descriptor = os.open(into, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise _unwritten(error) from error
    done = False
    try:
        with os.fdopen(descriptor, "wb") as file:
            written = 0
            async for piece in source:
                written += len(piece)
                if written > most:
                    raise too_large()
                file.write(piece)
        done = True
    except OSError as error:
        raise _unwritten(error) from error
    finally:
        if not done:
            _remove(into)


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


def _unwritten(error: OSError) -> ChannelError:
    return ChannelError(
        f"A file that was sent cannot be kept: {error.strerror or error}.",
        hint="Make room on the disk and have it sent again.",
    )
