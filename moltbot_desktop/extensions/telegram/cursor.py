"""Where to go on asking for updates. Pure.

    cursor = Cursor(bot=123, next=1001, day=20_514)
    str(cursor)                     # "123:1001:20514", kept with the messages
    Cursor.read(text, bot=123, day=20_515).next         # 1001

A number belongs to one bot. And after a week without a message Telegram goes on with any number,
which may be smaller: one that old is forgotten, and Telegram then tells by itself what it has not
been rid of. https://core.telegram.org/bots/api#update
"""

from __future__ import annotations

from dataclasses import dataclass

_DAYS = 6
_DAY_SECONDS = 86_400


def day_of(timestamp: float) -> int:
    """Days since 1970."""
    return int(timestamp // _DAY_SECONDS)


@dataclass(frozen=True)
class Cursor:
    """`next` is the smallest update that is still wanted, 0 for whatever there is; `day` is when
    it was learned."""

    bot: int
    next: int = 0
    day: int = 0

    def __str__(self) -> str:
        return f"{self.bot}:{self.next}:{self.day}"

    @staticmethod
    def read(kept: str, *, bot: int, day: int) -> Cursor:
        """What was kept; the beginning where it is of another bot, old or none at all."""
        parts = kept.split(":")
        if len(parts) == 3 and all(one.isascii() and one.isdigit() for one in parts):
            found = Cursor(*map(int, parts))
            if found.bot == bot:
                return found.fresh(day)
        return Cursor(bot)

    def fresh(self, day: int) -> Cursor:
        """Itself, or the beginning when it is too old."""
        return self if 0 <= day - self.day < _DAYS else Cursor(self.bot)
