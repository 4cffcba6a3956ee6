"""What passes over the connections of one account, for the book of what left this computer.

    passing = Passing("telegram", note)
    passing.reaches("api.telegram.org")        # the channel says where it connects to
    passing.add(sent=120)
    passing.flush()                            # note("api.telegram.org", 1, 120, 0)

Counted are the words and files that are handed over, not what the platform's protocol adds. They
are gathered for some seconds, for writing the book costs more than sending a message. Belongs to
the account's thread. What goes to this computer itself leaves nothing.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.sdk.channels import OutboundMessage

Note = Callable[[str, int, int, int], None]
"""Host, requests, bytes sent, bytes received."""


def no_note(_host: str, _requests: int, _sent: int, _received: int) -> None:
    """For whoever keeps no book."""


@dataclass
class Passing:
    """`host` is the channel's id until it says where it connects to."""

    host: str
    note: Note
    requests: int = 0
    sent: int = 0
    received: int = 0

    def reaches(self, host: str) -> None:
        """From now on it goes to `host`, a name or an address without a port."""
        self.flush()
        self.host = host.strip().lower() or self.host

    def add(self, *, sent: int = 0, received: int = 0) -> None:
        self.requests += 1
        self.sent += sent
        self.received += received

    def flush(self) -> None:
        if self.requests and not _is_here(self.host):
            self.note(self.host, self.requests, self.sent, self.received)
        self.requests = self.sent = self.received = 0


def size_of(message: OutboundMessage) -> int:
    """In bytes, with its files; one that is gone is the channel's to tell."""
    return text_size(message.text) + sum(file_size(one.path) for one in message.attachments)


def text_size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def file_size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
