"""Who may ask the page's server anything: decided before anything of a request is looked at.

    refusal(Knock("GET", "/", host="127.0.0.1:18795"), 18795)     # None: it is heard

Any page of the web can have a browser send requests to 127.0.0.1, and can make a name of its own
lead there (DNS rebinding). So `Host` has to be one of ours, and what does something (``POST``, a
WebSocket) has to come from our own page: browsers say so by `Origin`, and no script can change it.
The page itself may be opened from anywhere, by a link too; it holds nothing of anybody.
`Sec-Fetch-Site` is heeded where a browser sends it.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from enum import IntEnum

_NAMES = ("127.0.0.1", "localhost")
_OWN_SITE = ("", "same-origin", "none")
MOST_WRONG = 10
WITHIN_SECONDS = 60.0


class Refusal(IntEnum):
    """Statuses of HTTP."""

    OTHER_ORIGIN = 403
    OTHER_HOST = 421


@dataclass(frozen=True)
class Knock:
    """What a request says of itself; "" for what it does not say.

    Attributes:
        site, mode: `Sec-Fetch-Site` and `Sec-Fetch-Mode`.
        upgrade: it asks for a WebSocket.
    """

    method: str
    path: str
    host: str
    origin: str = ""
    site: str = ""
    mode: str = ""
    upgrade: bool = False


def refusal(knock: Knock, port: int) -> Refusal | None:
    """Why a request is not heard; None for one that is."""
    own = {f"{name}:{port}" for name in _NAMES}
    host = knock.host.lower()
    if host not in own:
        return Refusal.OTHER_HOST
    origin = knock.origin.lower()
    if origin and origin != f"http://{host}":
        return Refusal.OTHER_ORIGIN
    does_something = knock.method not in ("GET", "HEAD") or knock.upgrade
    if does_something and not origin:
        return Refusal.OTHER_ORIGIN
    opens_the_page = knock.path == "/" and knock.mode == "navigate" and not does_something
    if knock.site not in _OWN_SITE and not opens_the_page:
        return Refusal.OTHER_ORIGIN
    return None


@dataclass
class Guesses:
    """Wrong codes and proofs: after ten within a minute none is looked at until the oldest of them
    is a minute old. Times are seconds of a clock that is never set back."""

    _wrong: deque[float] = field(default_factory=lambda: deque(maxlen=MOST_WRONG))

    def wrong(self, now: float) -> None:
        self._wrong.append(now)

    def rest(self, now: float) -> float:
        """Seconds until one is looked at again; 0.0 when one is now."""
        if len(self._wrong) < MOST_WRONG:
            return 0.0
        return max(0.0, self._wrong[0] + WITHIN_SECONDS - now)
