"""Where to read on in a folder: its state (UIDVALIDITY), the last UID, and the day of that; pure.

    place = Place.parsed(account.cursor)
    place.text                                # to be kept with the message

A server may number a folder anew; the numbers of before then mean nothing, and it is read on from
the day before the last message, whose ids say which of them were kept (RFC 9051, 2.3.1.1).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

_LARGEST = 2**32
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


@dataclass(frozen=True)
class Place:
    """`day`: on which the last one came to the server; `uid` 0 for before the first."""

    folder: str
    validity: int
    uid: int
    day: date

    @classmethod
    def parsed(cls, text: str) -> Place | None:
        """None for what is none of ours."""
        try:
            found = json.loads(text)
            folder, validity, uid = found["folder"], found["validity"], found["uid"]
            day = date.fromisoformat(found["day"])
        except (ValueError, TypeError, KeyError):
            return None
        if not isinstance(folder, str) or type(validity) is not int or type(uid) is not int:
            return None
        if not (0 <= validity <= _LARGEST and 0 <= uid <= _LARGEST):
            return None
        return cls(folder, validity, uid, day)

    @property
    def text(self) -> str:
        value = {"folder": self.folder, "validity": self.validity, "uid": self.uid}
        return json.dumps({**value, "day": self.day.isoformat()}, ensure_ascii=False)

    @property
    def search_day(self) -> str:
        """As IMAP writes it, in English whatever this computer speaks."""
        return f"{self.day.day}-{_MONTHS[self.day.month - 1]}-{self.day.year:04}"


def farthest(places: Iterable[Place | None], folder: str, validity: int) -> Place | None:
    """Of what several have kept the place to read on from; None when none is of this folder."""
    fitting = [one for one in places if one is not None and one.folder == folder]
    same = [one for one in fitting if one.validity == validity]
    if same:
        return max(same, key=lambda one: one.uid)
    return max(fitting, key=lambda one: one.day, default=None)
