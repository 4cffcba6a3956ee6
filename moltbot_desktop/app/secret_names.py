"""What the password store calls the key that stands at a place of the settings.

secret_name(("channels", "telegram", "botToken"), standing, store.names())
# "channels.telegram.botToken"
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.forms import FieldPlace

_LONGEST_NAME = 64
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9._-]+")


def secret_name(place: FieldPlace, standing: JsonValue, names: Iterable[str]) -> str:
    """As now, where the key that stands there goes, and never like another one. Names are made of
    places, and items of a list change theirs; long ones and other letters may come to the same.

    Args:
        standing: what is written at `place`.
        names: those that are taken.
    """
    first = _NOT_IN_A_NAME.sub("-", ".".join(map(str, place)))
    if len(first) > _LONGEST_NAME:
        first = first[-_LONGEST_NAME:].lstrip(".-_")
    taken = {*names} - {str(standing).removeprefix("keyring:")}
    more = (f"{first[: _LONGEST_NAME - 4]}-{number}" for number in range(2, 1000))
    return next(name for name in (first, *more) if name not in taken)
