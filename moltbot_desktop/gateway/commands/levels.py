"""What people type for a level, and the level it is.

    level("think", "ultrathink")      # "high"
    level("think", "banana")          # ""

The words are the reference's, and Chinese ones beside them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_OFF = "off false no 0 none disable disabled 关 关闭"
_ON = "on true yes 1 enable enabled 开 打开"


def _words(**levels: str) -> Mapping[str, str]:
    found = {word: level for level, words in levels.items() for word in words.split()}
    return MappingProxyType(found)


_THINK = _words(
    off=_OFF,
    minimal="minimal min think 最少",
    low=f"low thinkhard think-hard think_hard 低 {_ON}",
    medium="medium med mid thinkharder think-harder harder 中",
    high="high max highest ultra ultrathink thinkhardest 高",
    xhigh="xhigh x-high x_high 最高",
)
_VERBOSE = _words(off=_OFF, on=f"minimal {_ON}", full="full all everything 全部")
_REASONING = _words(
    off=f"hide hidden {_OFF}", on=f"show visible {_ON}", stream="stream streaming live draft"
)
_ELEVATED = _words(
    off=_OFF, on=_ON, ask="ask prompt approve approval", full="full auto auto-approve autoapprove"
)
_USAGE = _words(
    off=_OFF, tokens=f"tokens token tok minimal min {_ON}", full="full session 全部", cost="cost"
)

LEVELS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "think": _THINK,
        "verbose": _VERBOSE,
        "reasoning": _REASONING,
        "elevated": _ELEVATED,
        "usage": _USAGE,
    }
)
"""Name of a directive -> words -> the level they mean."""


def level(name: str, word: str) -> str:
    """The level that `word` means after /`name`; "" for none."""
    return LEVELS[name].get(word.strip().casefold(), "")


def choices(name: str) -> tuple[str, ...]:
    """The levels of /`name`, lowest first."""
    return tuple(dict.fromkeys(LEVELS[name].values()))
