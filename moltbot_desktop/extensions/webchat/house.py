"""What an account works with: folders, language, clock; and where it tells others that it listens.

    house = House(runtime.state / "default", runtime.language, runtime.clock)
    house.tell_address("http://127.0.0.1:18795")
    house.link()                     # "http://127.0.0.1:18795/#…", good once for two minutes

A link can be made by another process of the same person, since what it needs lies in the folder.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.extensions.webchat.browsers import BrowserBook, invite

HOST = "127.0.0.1"
_ADDRESS = "listening"
_PLAIN = re.compile(r"[a-z0-9-]{1,40}")
_OURS = re.compile(r"http://127\.0\.0\.1:[0-9]{1,5}")


@dataclass(frozen=True)
class House:
    """Attributes:
    folder: of the account; made when something is written.
    """

    folder: Path
    language: Language
    clock: Clock

    @property
    def browsers(self) -> BrowserBook:
        return BrowserBook(self.folder)

    @property
    def files(self) -> Path:
        return self.folder / "files"

    def tell_address(self, address: str) -> None:
        """Say where the page is; "" for nowhere any more.

        Raises:
            OSError: it cannot be said.
        """
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if address:
            (self.folder / _ADDRESS).write_text(address, encoding="ascii")
        else:
            with contextlib.suppress(FileNotFoundError):
                (self.folder / _ADDRESS).unlink()

    def address(self) -> str:
        """Where the page is, "" for nowhere."""
        try:
            with (self.folder / _ADDRESS).open(encoding="ascii") as file:
                found = file.read(100).strip()
        except (OSError, ValueError):
            return ""
        return found if _OURS.fullmatch(found) else ""

    def link(self) -> str:
        """The address with a fresh code behind ``#``, where no server and no log sees it; "" while
        the page is nowhere.

        Raises:
            OSError: the code cannot be kept.
        """
        address = self.address()
        if not address:
            return ""
        return f"{address}/#{invite(self.folder, self.clock.now().timestamp())}"


def folder_name(account: str) -> str:
    """A folder's name for an account, whatever it is called."""
    if _PLAIN.fullmatch(account):
        return account
    return hashlib.sha256(account.encode("utf-8", "replace")).hexdigest()[:16]
