"""How backups read on their page. Pure.

The command line says some of it in its own words (`sdk.backup_words`); here nobody types options.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from PySide6.QtCore import QCoreApplication

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.backup import Does, Exported, LeftOut, Part, Snapshot, Step, Why
from moltbot_desktop.sdk.backup_words import (
    does_words,
    occasion_words,
    part_words,
    size_words,
    why_words,
)
from moltbot_desktop.ui.kit.rows import Row

translate = QCoreApplication.translate

_MOST_NAMED = 12
_WHEN = "%Y-%m-%d %H:%M"
Group = tuple[str, tuple[str, ...]]
"""What became of things of one kind, and the names that the person has to know of."""


def moment(made: str) -> str:
    """An ISO 8601 moment as the clock on the wall said it; what is none, as it stands."""
    try:
        return f"{datetime.fromisoformat(made).astimezone():{_WHEN}}"
    except ValueError:
        return made


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def part_name(part: Part, language: Language) -> str:
    return capital(part_words(part, language))


def row_of(one: Snapshot, language: Language) -> Row:
    return Row(one.id, moment(one.made), capital(occasion_words(one.occasion, language)))


def files_words(count: int, size: int) -> str:
    """``12 files, 3 KB``."""
    words = translate("Backup", "{count} files, {size}")
    if count == 1:
        words = translate("Backup", "one file, {size}")
    return words.replace("{count}", str(count)).replace("{size}", size_words(size))


def step_groups(steps: Sequence[Step], language: Language) -> tuple[Group, ...]:
    """How many of each; by name what was kept beside, and what waits for the owner."""
    groups: list[Group] = []
    for part in Part:
        for does in Does:
            found = [one for one in steps if one.part is part and one.does is does]
            if not found:
                continue
            what = _counted(_what_becomes(part, does, language), len(found))
            named = found if does in (Does.BESIDE, Does.WAITS) else []
            groups.append((what, _short([_step_name(one, language) for one in named])))
    return tuple(groups)


def _what_becomes(part: Part, does: Does, language: Language) -> str:
    if part is Part.TOLD and does is Does.WAITS:  # nothing of it comes in: it is named, and why
        return translate("Backup", "Not brought in")
    return (
        translate("Backup", "{part}: {what}")
        .replace("{what}", does_words(does, language))
        .replace("{part}", part_name(part, language))
    )


def _counted(what: str, count: int) -> str:
    words = translate("Backup", "{what} ({count})")
    return words.replace("{count}", str(count)).replace("{what}", what)


def exported_groups(done: Exported, language: Language) -> tuple[Group, ...]:
    """What went in, then what did not and why."""
    went: list[Group] = [
        (_counted(part_name(part, language), count), ())
        for part, count in done.files
        if part is not Part.TOLD
    ]
    return (*went, *left_groups(done.left_out, language))


def left_groups(left: Sequence[LeftOut], language: Language) -> tuple[Group, ...]:
    if not left:
        return ()
    names = [_because(one.name, one.why, language) for one in left]
    return ((translate("Backup", "Not in it:"), _short(names)),)


def _step_name(step: Step, language: Language) -> str:
    if step.why is None:
        return _one_line(step.to or step.name)
    return _because(step.name, step.why, language)


def _because(name: str, why: Why, language: Language) -> str:
    reason = why_words(why, language)
    if why is Why.LETS_MORE:
        reason = translate(
            "Backup", "would let more happen than now; only a backup of your own may do that"
        )
    return (
        translate("Backup", "{name}: {why}")
        .replace("{why}", reason)
        .replace("{name}", _one_line(name))
    )


def _short(names: Sequence[str]) -> tuple[str, ...]:
    rest = len(names) - _MOST_NAMED
    if rest <= 0:
        return tuple(names)
    more = translate("Backup", "… and {count} more").replace("{count}", str(rest))
    return (*names[:_MOST_NAMED], more)


def _one_line(text: str) -> str:
    """Names come from archives that anybody may have made."""
    return "".join(_printable(text))


def _printable(text: str) -> Iterable[str]:
    return (one if one.isprintable() else "\N{REPLACEMENT CHARACTER}" for one in text)
