"""Where answers go without a call that is counted: the sessions that messages have opened.

    sessions.keep(peer, session)
    sessions.of(peer, now)          # its address, "" where there is none any more

Kept in memory alone: whoever has an address may write there until it is over, an hour and a half
after the message. https://open.dingtalk.com/document/development/receive-message
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import datetime

from moltbot_desktop.extensions.dingtalk.events import Session
from moltbot_desktop.sdk.channels import Peer

_MOST = 2_000
_EARLY_MS = 60_000
"""One that is over in a minute is not begun with."""


@dataclass
class Sessions:
    """The newest of each place; belongs to the account's loop."""

    _known: OrderedDict[Peer, Session] = field(default_factory=OrderedDict, repr=False)

    def keep(self, peer: Peer, session: Session) -> None:
        self._known[peer] = session
        self._known.move_to_end(peer)
        while len(self._known) > _MOST:
            self._known.popitem(last=False)

    def of(self, peer: Peer, now: datetime) -> str:
        found = self._known.get(peer)
        if found is None:
            return ""
        if found.until - _EARLY_MS <= now.timestamp() * 1000:
            del self._known[peer]
            return ""
        return found.address

    def forget(self, peer: Peer) -> None:
        self._known.pop(peer, None)
