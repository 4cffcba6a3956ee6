"""The last messages that a channel has seen with its own eyes.

    lately = Lately()
    lately.saw("17:ada", "tea at five?", Sender("ada", "Ada"))
    lately.wrote("18:molt", "Gladly.")
    lately.answered("18:molt")                   # Quoted("Gladly.", …, ours=True)

On some platforms only the program of whoever quotes a message says what stood in it and who wrote
it. What was seen here is what really stood there; of the rest nobody knows.
"""

from __future__ import annotations

from collections import OrderedDict

from moltbot_desktop.sdk.channels import Quoted, Sender

MOST = 500
_LONGEST = 1_000
_US = Sender("")


class Lately:
    """Belongs to one account, and forgets with the end of the program."""

    def __init__(self) -> None:
        self._seen: OrderedDict[str, Quoted] = OrderedDict()

    def saw(self, message_id: str, text: str, sender: Sender) -> None:
        """Somebody wrote that."""
        self._keep(message_id, Quoted(text[:_LONGEST], sender))

    def wrote(self, message_id: str, text: str) -> None:
        """We wrote that, or it says that now."""
        self._keep(message_id, Quoted(text[:_LONGEST], _US, ours=True))

    def answered(self, message_id: str) -> Quoted | None:
        """None for what was not seen, or had no words."""
        found = self._seen.get(message_id)
        return found if found is not None and found.text.strip() else None

    def _keep(self, message_id: str, quoted: Quoted) -> None:
        if not message_id:
            return
        self._seen[message_id] = quoted
        self._seen.move_to_end(message_id)
        while len(self._seen) > MOST:
            self._seen.popitem(last=False)
