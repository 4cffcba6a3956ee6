"""The computer's certificates, read while other threads go on.

    read_beside_others()        # once, before the first connection

`SSLContext.set_default_verify_paths` reads some 150 certificates, 25 ms here, and no other thread
runs meanwhile: ten accounts that connect held the window for 70 ms. Reading the same file by its
name lets the others run. Contexts are made inside libraries (slixmpp makes two for each attempt,
aiohttp two while it is imported), where none can be handed in: so it is mended where all of them
come by, in `ssl` itself.
"""

from __future__ import annotations

import contextlib
import ssl


def read_beside_others() -> None:
    """From now on, in each context of this process. Windows and macOS have stores of their own,
    which are read as ever."""
    ssl.SSLContext.set_default_verify_paths = _read  # type: ignore[assignment]


def _read(context: ssl.SSLContext) -> None:
    """What OpenSSL takes by default: a file, and a folder that is looked into when it is needed.

    A file that cannot be read is passed over there, and so it is here.
    """
    there = ssl.get_default_verify_paths()  # without what does not exist
    for place in ({"cafile": there.cafile}, {"capath": there.capath}):
        if any(place.values()):
            with contextlib.suppress(OSError):  # ssl.SSLError is one
                context.load_verify_locations(**place)
