"""The words by which a model says that there is nothing to say.

    is_silent("NO_REPLY")                                  # True: nothing is shown
    acknowledged("HEARTBEAT_OK", heartbeat=True).silent    # True: the look-around found nothing
    nothing_to_look_at("# Tasks\\n- [ ]")                   # True: HEARTBEAT.md asks for nothing

The rules are the reference's, letter by letter, blanks and word borders as JavaScript knows them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

SILENT_TOKEN = "NO_REPLY"
HEARTBEAT_TOKEN = "HEARTBEAT_OK"
ACKNOWLEDGEMENT_CHARACTERS = 300
"""What stands beside HEARTBEAT_OK and is no longer than this is politeness."""

_BLANKS = (
    "\t\n\v\f\r \xa0\u1680"
    + "".join(map(chr, range(0x2000, 0x200B)))
    + "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
_SILENT_START = re.compile(rf"{SILENT_TOKEN}(?:\W|\Z)", re.ASCII)
_SILENT_END = re.compile(rf"\b{SILENT_TOKEN}\W*\Z", re.ASCII)
_TAG = re.compile("<[^>]*>")
_HARD_BLANK = re.compile("&nbsp;", re.IGNORECASE)
_RUN_OF_BLANKS = re.compile(f"[{_BLANKS}]+")
_HEADING = re.compile(f"#+(?:[{_BLANKS}].*)?", re.DOTALL)
_EMPTY_ITEM = re.compile(rf"[-*+][{_BLANKS}]*(?:\[[{_BLANKS}Xx]?\][{_BLANKS}]*)?")


def is_silent(text: str) -> bool:
    """Whether an answer begins or ends with NO_REPLY, which no other word may touch."""
    text = text.strip(_BLANKS)
    # The end is looked for at the last token only, however long the text.
    last = text.rfind(SILENT_TOKEN)
    ends = last >= 0 and _SILENT_END.match(text, last) is not None
    return ends or _SILENT_START.match(text) is not None


@dataclass(frozen=True)
class Acknowledged:
    """An answer after HEARTBEAT_OK was taken off.

    Attributes:
        silent: nothing is to be shown.
        text: what is left.
        found: the token was there.
    """

    silent: bool
    text: str
    found: bool


def acknowledged(
    text: str, *, heartbeat: bool, most_characters: int = ACKNOWLEDGEMENT_CHARACTERS
) -> Acknowledged:
    """`text` without the token at its edges, through light markup.

    Args:
        heartbeat: it answers a heartbeat; then a short rest is dropped too.
        most_characters: how long a rest is short.
    """
    trimmed = text.strip(_BLANKS)
    if not trimmed:
        return Acknowledged(True, "", False)
    plain = _without_markup(trimmed)
    if HEARTBEAT_TOKEN not in trimmed and HEARTBEAT_TOKEN not in plain:
        return Acknowledged(False, trimmed, False)
    rest, found = _without_token(trimmed)
    if not (found and rest):
        rest, found = _without_token(plain)
    if not found:
        return Acknowledged(False, trimmed, False)
    if not rest or (heartbeat and _units(rest) <= max(0, most_characters)):
        return Acknowledged(True, "", True)
    return Acknowledged(False, rest, True)


def nothing_to_look_at(text: str) -> bool:
    """Whether a HEARTBEAT.md holds only headings, blank lines and empty items, so that there is
    no need to ask the model. A file that is missing says nothing of the kind."""
    lines = (line.strip(_BLANKS) for line in text.split("\n"))
    return all(
        not line or _HEADING.fullmatch(line) or _EMPTY_ITEM.fullmatch(line) for line in lines
    )


def _without_markup(text: str) -> str:
    # Without a ">" behind them no "<" opens a tag, and looking for one from each would be slow.
    cut = text.rfind(">") + 1
    plain = _TAG.sub(" ", text[:cut]) + text[cut:]
    return _HARD_BLANK.sub(" ", plain).strip("*`~_")


def _without_token(text: str) -> tuple[str, bool]:
    """`text` without tokens at its edges, and whether there were any; blanks become single."""
    text, found = text.strip(_BLANKS), False
    while True:
        if text.startswith(HEARTBEAT_TOKEN):
            text = text[len(HEARTBEAT_TOKEN) :].strip(_BLANKS)
        elif text.endswith(HEARTBEAT_TOKEN):
            text = text[: -len(HEARTBEAT_TOKEN)].strip(_BLANKS)
        else:
            break
        found = True
    return (_RUN_OF_BLANKS.sub(" ", text) if found else text), found


def _units(text: str) -> int:
    """The length as the reference counts it, in UTF-16."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
