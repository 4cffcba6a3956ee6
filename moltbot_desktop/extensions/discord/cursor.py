"""How far the messages of one bot were read. Pure.

    cursor = Cursor.read(account.cursor).after(1_312_000_000_000_000_000, direct=77)
    str(cursor)                         # '1312000000000000000 77', kept with the message
    cursor.since(time())                # look for messages behind this id

Discord has no place to read on from: who was away longer than a session lives asks each room for
what is behind an id. Ids hold the time at which they were given, so one number stands for all
rooms. Private rooms are told nowhere but in their messages, and are therefore remembered.
https://discord.com/developers/docs/reference#snowflakes
"""

from __future__ import annotations

from dataclasses import dataclass

_EPOCH_MS = 1_420_070_400_000
_TIME_SHIFT = 22
_SLACK_SECONDS = 60.0
"""Rooms are told independently of each other: an older message may come after a younger one."""
_LOOK_BACK_SECONDS = 86_400.0
"""What is older is not answered any more."""
_MOST_TALKS = 50


def snowflake_at(timestamp: float) -> int:
    """The smallest id of that second; 0 before there was Discord."""
    return max(0, int(timestamp * 1000) - _EPOCH_MS) << _TIME_SHIFT


@dataclass(frozen=True)
class Cursor:
    """`last` is the youngest message that was kept, 0 for none; `talks` the private rooms of the
    last messages, the latest at the end."""

    last: int = 0
    talks: tuple[int, ...] = ()

    def __str__(self) -> str:
        return " ".join(map(str, (self.last, *self.talks)))

    @staticmethod
    def read(kept: str) -> Cursor:
        """What was kept; the beginning where it cannot be read."""
        parts = kept.split()
        if not parts or not all(one.isascii() and one.isdigit() and len(one) < 21 for one in parts):
            return Cursor()
        last, *talks = map(int, parts)
        return Cursor(last, tuple(talks[-_MOST_TALKS:]))

    def after(self, message: int, *, direct: int = 0) -> Cursor:
        """With one more message, of the private room `direct` unless that is 0."""
        talks = self.talks
        if direct and talks[-1:] != (direct,):
            talks = (*(one for one in talks if one != direct), direct)[-_MOST_TALKS:]
        return Cursor(max(self.last, message), talks)

    def since(self, now: float) -> int:
        """Behind which id there may be messages that nobody has seen, at `now` (seconds since
        1970); 0 where none was ever kept."""
        if not self.last:
            return 0
        slack = int(_SLACK_SECONDS * 1000) << _TIME_SHIFT
        return max(self.last - slack, snowflake_at(now - _LOOK_BACK_SECONDS), 1)
