"""Which models rest after a failure, and for how long. Pure: the time is handed in.

The reference's rule: 1, 5, 25, 60 minutes for failures in a row; without credit 5 hours, doubled
up to 24; failures more than 24 hours old count no more. What a server asks with Retry-After
counts where it is longer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from moltbot_desktop.core.errors import (
    MoltbotError,
    RemoteAnswerBroken,
    RemoteKeyRefused,
    RemoteModelUnknown,
    RemoteOverloaded,
    RemoteRateLimited,
    RemoteTimedOut,
    RemoteUnpaid,
    RemoteUnreachable,
    SecretsUnavailable,
)

STEPS_SECONDS = (60.0, 300.0, 1_500.0, 3_600.0)
UNPAID_SECONDS = (18_000.0, 36_000.0, 72_000.0, 86_400.0)
LONGEST_SECONDS = 24 * 3_600.0

_MOVES_ON = (
    *(RemoteRateLimited, RemoteKeyRefused, RemoteUnpaid, RemoteOverloaded, RemoteTimedOut),
    *(RemoteUnreachable, RemoteModelUnknown, RemoteAnswerBroken, SecretsUnavailable),
)


def moves_on(error: MoltbotError) -> bool:
    """Whether another model may do better. A request that is wrong or too long fails everywhere,
    and a file of ours that cannot be loaded is told, not worked around."""
    return isinstance(error, _MOVES_ON)


@dataclass(frozen=True)
class Rest:
    """One model's state.

    Attributes:
        failures: how many in a row, those in `unpaid` aside.
        unpaid: how many in a row for want of credit.
        last: time of the last one.
        until: the time until which the model rests.
    """

    failures: int = 0
    unpaid: int = 0
    last: float = 0.0
    until: float = 0.0


@dataclass(frozen=True)
class Cooldowns:
    """The rests of all models, by name; every `now` is in seconds of one monotonic clock."""

    rests: Mapping[str, Rest] = field(default_factory=lambda: MappingProxyType({}))

    def after_failure(self, name: str, error: MoltbotError, now: float) -> Cooldowns:
        """With `name` resting because of `error`, which `moves_on`."""
        old = self.rests.get(name, Rest())
        if now - old.last > LONGEST_SECONDS:
            old = Rest()
        if isinstance(error, RemoteUnpaid):
            seconds = UNPAID_SECONDS[min(old.unpaid, len(UNPAID_SECONDS) - 1)]
            new = replace(old, unpaid=old.unpaid + 1)
        else:
            seconds = STEPS_SECONDS[min(old.failures, len(STEPS_SECONDS) - 1)]
            new = replace(old, failures=old.failures + 1)
        if isinstance(error, RemoteRateLimited) and error.retry_after is not None:
            seconds = min(LONGEST_SECONDS, max(seconds, error.retry_after))
        return self._with(name, replace(new, last=now, until=now + seconds))

    def after_success(self, name: str) -> Cooldowns:
        """With nothing held against `name`."""
        kept = {other: rest for other, rest in self.rests.items() if other != name}
        return Cooldowns(MappingProxyType(kept))

    def rests_at(self, name: str, now: float) -> bool:
        return self.rests.get(name, Rest()).until > now

    def order(self, names: Iterable[str], now: float) -> list[str]:
        """Whom to ask, in order: those that do not rest; when all do, the one that is ready
        soonest, because being asked in vain is better than never answering again."""
        names = list(names)
        ready = [name for name in names if not self.rests_at(name, now)]
        return ready or sorted(names, key=lambda name: self.rests[name].until)[:1]

    def _with(self, name: str, rest: Rest) -> Cooldowns:
        return Cooldowns(MappingProxyType({**self.rests, name: rest}))
