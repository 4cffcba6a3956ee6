"""What comes of an order to the browser."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from moltbot_desktop.core.json import JsonObject


@dataclass(frozen=True)
class Done:
    """`data` for the model; `key` and `values`, a sentence of `texts.PHRASES`, for the person.

    Attributes:
        of_page: something of a page is in it: a stranger's words.
        told: text with the addresses that stood on the page.
    """

    data: JsonObject
    key: str
    values: Mapping[str, object]
    of_page: bool = True
    told: str = ""
