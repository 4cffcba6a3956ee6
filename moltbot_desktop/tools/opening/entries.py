"""The programs of a Linux desktop, from its ``.desktop`` files.

    found = entries(folders, "zh_CN")                  # folders: of XDG_DATA_HOME, XDG_DATA_DIRS
    matching(found, "calculator")                      # those that are called so, best first
    entry_of(text, "zh_CN")                            # one file's text; None when it is no program

The Desktop Entry Specification, as far as finding and naming go; starting one is left to the
desktop's own launcher, which knows the rest of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from moltbot_desktop.storage.bounded import read_plain

_LARGEST_BYTES = 256 * 1024
_MOST_FILES = 3_000
_GROUP = "[Desktop Entry]"
_ESCAPES = {"\\s": " ", "\\n": "\n", "\\t": "\t", "\\r": "\r", "\\\\": "\\"}
_ESCAPED = re.compile(r"\\[sntr\\]")
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Entry:
    """A program.

    Attributes:
        id: ``org.gnome.Calculator.desktop``; the same in every folder.
        name: in the person's language; `names` all that it goes by, in lower case.
        command: its `Exec` line, as written.
    """

    id: str
    name: str
    names: tuple[str, ...]
    command: str
    path: Path = Path()
    hidden: bool = False


def entry_of(text: str, locale: str) -> Entry | None:
    """The program that a file's text describes; of a broken file None. Never raises."""
    values = _values(text)
    if values.get("Type") != "Application" or not values.get("Exec"):
        return None
    keys = ("Name", "GenericName")
    wanted = [f"{key}[{one}]" for key in keys for one in _locales(locale)]
    spoken = [values[one] for one in (*wanted, *keys) if values.get(one)]
    every = [value for key, value in values.items() if key.partition("[")[0] in keys]
    if not spoken or not values.get("Name"):
        return None
    program = Path(values["Exec"].split()[0].strip('"')).name if values["Exec"].split() else ""
    names = tuple(dict.fromkeys(_plain(one) for one in (*every, program) if _plain(one)))
    hidden = "true" in (values.get("Hidden"), values.get("NoDisplay"))
    return Entry("", spoken[0], names, values["Exec"], hidden=hidden)


def entries(folders: Iterable[Path], locale: str) -> dict[str, Entry]:
    """All programs below `folders`, by id; a folder goes before those that come later."""
    found: dict[str, Entry] = {}
    seen = 0
    for folder in folders:
        for path in sorted(folder.rglob("*.desktop")):
            seen += 1
            if seen > _MOST_FILES:
                return found
            id_ = "-".join(path.relative_to(folder).parts)
            entry = None if id_ in found else read_entry(path, locale)
            if entry is not None:
                own = (_plain(id_.removesuffix(".desktop").rpartition(".")[2]),)
                found[id_] = replace(entry, id=id_, names=entry.names + own)
    return found


def read_entry(path: Path, locale: str) -> Entry | None:
    """The program at `path`; None when it cannot be read or is none."""
    try:
        data = read_plain(path, _LARGEST_BYTES)
    except OSError:
        return None
    entry = entry_of(data.decode("utf-8", "replace"), locale)
    return None if entry is None else replace(entry, id=path.name, path=path)


def matching(found: Iterable[Entry], name: str) -> Sequence[Entry]:
    """The programs that `name` may mean: those called exactly so, else those that have all its
    words in one of their names."""
    asked = _plain(name)
    shown = [one for one in found if not one.hidden]
    exact = [one for one in shown if asked in one.names]
    words = set(_WORD.findall(asked))
    if exact or not words:
        return exact
    return [one for one in shown if any(words <= set(_WORD.findall(own)) for own in one.names)]


def _values(text: str) -> dict[str, str]:
    """The first value of each key of the one group that counts."""
    values: dict[str, str] = {}
    inside = False
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("["):
            if inside:
                break
            inside = line == _GROUP
        elif inside and not line.startswith("#"):
            key, equals, value = line.partition("=")
            if equals:
                values.setdefault(key.strip(), _unescaped(value.strip()))
    return values


def _unescaped(value: str) -> str:
    return _ESCAPED.sub(lambda found: _ESCAPES[found[0]], value)


def _locales(locale: str) -> tuple[str, ...]:
    """``zh_CN.UTF-8`` -> ``zh_CN``, ``zh``."""
    plain = locale.partition(".")[0].partition("@")[0]
    return tuple(dict.fromkeys(one for one in (plain, plain.partition("_")[0]) if one))


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
