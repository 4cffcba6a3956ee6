"""Which e-mails are handed over: those that a person has written, and it is certain who.

    door = Door(settings, clock, language, account.problem)
    door.lets_in(head)                      # what speaks against it the owner is told, once

Mailing lists, programs and reports of delivery are passed over without a word. Who is let in here
is a sender; who of these may write is the program's to say.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.extensions.email.headers import Head, Silence
from moltbot_desktop.extensions.email.proof import Proof, proven, read_results
from moltbot_desktop.extensions.email.settings import EmailSettings
from moltbot_desktop.extensions.email.words import PHRASES

HOUR_SECONDS = 3_600.0
MOST_SENDERS = 1_000


class Door:
    """Of one connection; belongs to the account's event loop."""

    def __init__(
        self,
        settings: EmailSettings,
        clock: Clock,
        language: Language,
        problem: Callable[[str], None],
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._language = language
        self._problem = problem
        self._heard_of: OrderedDict[str, deque[float]] = OrderedDict()
        self._told: set[str] = set()
        self._standing = ""

    def lets_in(self, head: Head) -> bool:
        """Whether somebody has written it to us; what speaks against it the owner is told."""
        if head.silence is not None and head.silence is not Silence.BROKEN:
            return False
        if head.sender == self._settings.address:
            return False
        if not head.sender or head.silence is not None:
            self._tell("no_sender", address=head.written or "?")
            return False
        proof = proven(head.domain, head.results, self._settings.vouchers)
        if proof is Proof.REFUTED and not self._settings.unproven:
            self._tell("refuted", address=head.sender)
            return False
        if proof is Proof.ABSENT and not self._settings.unproven:
            voucher = next((read_results(one)[0] for one in head.results), "")
            phrase = "unvouched_name" if voucher else "unvouched"
            self._tell(phrase, stays=True, address=head.sender, voucher=voucher[:100])
            return False
        return self._has_room(head.sender)

    def _has_room(self, sender: str) -> bool:
        """Two programs that answer each other would go on for ever."""
        most = self._settings.per_hour
        if not most:
            return True
        now = self._clock.monotonic()
        times = self._heard_of.setdefault(sender, deque(maxlen=most))
        self._heard_of.move_to_end(sender)
        while len(self._heard_of) > MOST_SENDERS:
            self._heard_of.popitem(last=False)
        if len(times) == most and now - times[0] < HOUR_SECONDS:
            self._tell("flood", address=sender, count=most)
            return False
        times.append(now)
        return True

    def _tell(self, phrase: str, *, stays: bool = False, **slots: object) -> None:
        """Once for each connection: whoever writes in others' names shall fill no screen."""
        if phrase in self._told:
            return
        self._told.add(phrase)
        said = PHRASES.say(phrase, self._language, **slots)
        before, self._standing = self._standing, f"{self._standing} {said}".strip()
        self._problem(self._standing)
        if not before and not stays:
            self._standing = ""
            self._problem("")
