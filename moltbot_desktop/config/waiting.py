"""Settings that are checked and kept, and that nothing reads yet.

They are the reference's; what they are about is not in this version. The person is told so by
`config validate`, and an editor by the schema: a setting that is silently without effect would be
worse than one that is refused. `tests/arch/test_settings_are_read.py` holds this list to the truth.
"""

from __future__ import annotations

from collections.abc import Iterable


def _below(group: str, names: str) -> Iterable[str]:
    return (f"{group}.{name}" for name in names.split())


WAITING = frozenset(
    {
        *_below(
            "agents.defaults",
            "skipBootstrap timeFormat elevatedDefault",
        ),
        # A summary is made in one go where the model can read it all, else in parts.
        "agents.defaults.compaction.mode",
        # Results are shortened by room and by turns, never by the clock or by characters.
        *_below(
            "agents.defaults.contextPruning",
            "ttl softTrimRatio hardClearRatio minPrunableToolChars softTrim",
        ),
        *_below("agents.list", "tools.elevated tools.exec"),
        *_below("commands", "native nativeSkills restart"),
        # Only the owner at this computer can say /elevated, so that no list of others is needed.
        "tools.elevated.allowFrom",
        *_below("tools.exec", "host node"),
    }
)
"""Places in the file, without numbers of lists and free names; what is below one waits too."""


def is_waiting(place: str) -> bool:
    return any(place == one or place.startswith(f"{one}.") for one in WAITING)
