"""Text of others in a terminal: shown, never obeyed.

    shown("hi \\x1b]0;owned\\x07")      # "hi ]0;owned"

A contact's message, a page or a model's answer may hold escape sequences, which would rename the
window, erase what stands above, or turn the order of letters round.
"""

from __future__ import annotations

import re

_OBEYED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def shown(text: str) -> str:
    """`text` without what a terminal obeys; tabs and line ends stay."""
    return _OBEYED.sub("", text)
