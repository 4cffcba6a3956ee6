"""Hostile archives, wherever the program unpacks something: skills, plugins, documents, pages.

Nothing may come into being outside the folder of what is installed, inside it only plain files of
a bounded size, and no archive may take long.
"""

from __future__ import annotations

import os
import shutil
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.plugins.install import PluginHome
from moltbot_desktop.skills.install import SkillHome
from moltbot_desktop.skills.package import MOST_BYTES
from moltbot_desktop.tools.documents.kinds import DocumentKind
from moltbot_desktop.tools.documents.reading import DocumentReader
from tests.bench.safety_archive_bytes import Entry, Hostile, archives, zipped
from tests.bench.safety_figures import Amount, Row
from tests.fakes.tool_context import FakeCancel

_SLOWEST_MS = 5_000
_SLOWEST_DOCUMENT_MS = 60_000


@dataclass
class Unpacked:
    """What became of the archives; `slowest` as (milliseconds, name), `largest` in bytes."""

    tried: int = 0
    installed: int = 0
    escapes: list[str] = field(default_factory=list)
    untyped: list[str] = field(default_factory=list)
    slowest: tuple[float, str] = (0.0, "")
    largest: int = 0

    def timed(self, name: str, work: Callable[[], object]) -> bool:
        """Whether it went through; errors of no kind are kept."""
        self.tried += 1
        began = time.perf_counter()
        try:
            work()
        except MoltbotError:
            return False
        except Exception as error:
            self.untyped.append(f"{name}: {error!r}"[:300])
            return False
        finally:
            self.slowest = max(self.slowest, ((time.perf_counter() - began) * 1_000, name))
        return True


def install_all(base: Path, given: Iterable[Hostile]) -> Unpacked:
    """Each archive as a skill and as a plugin, in `base`, an empty folder."""
    done = Unpacked()
    (base / "outside").mkdir()
    (base / "outside" / "secret.txt").write_text("mine", "utf-8")
    for hostile in given:
        source = base / "given.zip"
        source.write_bytes(hostile.data)
        before = everything(base)
        for kind, work in (("skill", _as_skill), ("plugin", _as_plugin)):
            home = base / kind
            done.installed += done.timed(
                f"{hostile.name} as a {kind}", lambda w=work, h=home, s=source: w(h, s)
            )
            done.escapes += [f"{hostile.name}: {one}" for one in odd(home, done)]
            shutil.rmtree(home, ignore_errors=True)
        if everything(base) != before:
            done.escapes.append(f"{hostile.name}: something outside was changed")
    return done


def _as_skill(home: Path, source: Path) -> None:
    place = SkillHome(home, Language.ENGLISH)
    place.put_in(place.offer(str(source)))


def _as_plugin(home: Path, source: Path) -> None:
    place = PluginHome(home, Language.ENGLISH)
    place.put_in(place.offered(str(source)))


def everything(base: Path) -> list[tuple[str, int, int]]:
    return sorted(
        (str(path), path.lstat().st_size, path.lstat().st_mtime_ns)
        for path in base.rglob("*")
        if path.is_file() or path.is_symlink()
    )


def odd(home: Path, done: Unpacked) -> Iterator[str]:
    """What an installed thing must not hold."""
    size = 0
    for folder, folders, names in os.walk(home):
        for name in (*folders, *names):
            path = Path(folder, name)
            status = path.lstat()
            size += status.st_size if stat.S_ISREG(status.st_mode) else 0
            if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
                yield f"{path} is no plain file"
            if status.st_mode & (0o7077 if path.parent == home else 0o7000):
                yield f"{path} has the mode {status.st_mode:o}"
    done.largest = max(done.largest, size)
    if size > MOST_BYTES:
        yield f"{size:,} bytes"


def documents(*, whole: bool) -> Iterator[tuple[str, bytes, DocumentKind]]:
    """Office files that unpack to more than they should."""
    size = 400_000_000 if whole else 2_000_000
    deflated = 8
    for member, kind in (
        (b"word/document.xml", DocumentKind.WORD),
        (b"xl/workbook.xml", DocumentKind.SHEET),
    ):
        types = Entry(b"[Content_Types].xml", b"<Types/>")
        yield f"bomb {kind}", zipped([types, Entry(member, bytes(size), method=deflated)]), kind
        lie = Entry(member, bytes(size), method=deflated, size=100)
        yield f"lying bomb {kind}", zipped([types, lie]), kind
        laughs = b'<!DOCTYPE a [<!ENTITY x "ha">' + b"".join(
            b'<!ENTITY x%d "%s">' % (one, (b"&x%d;" % (one - 1) if one else b"&x;") * 10)
            for one in range(9)
        )
        laughs += b"]><a>&x8;</a>"
        yield f"laughs {kind}", zipped([types, Entry(member, laughs)]), kind
        outside = b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'
        yield f"entity {kind}", zipped([types, Entry(member, outside)]), kind


def read_documents(given: Iterable[tuple[str, bytes, DocumentKind]]) -> Unpacked:
    done, reader = Unpacked(), DocumentReader()
    for name, data, kind in given:
        told: list[str] = []
        done.timed(
            name, lambda d=data, k=kind, t=told: t.append(reader.text_of(d, k, FakeCancel()))
        )
        done.largest = max(done.largest, *map(len, told), 0)
        if any("root:" in one for one in told):
            done.escapes.append(f"{name}: a file of this computer")
    return done


def unpacking(amount: Amount, folder: Path) -> Iterable[Row]:
    done = install_all(folder, archives(whole=amount.whole))
    for one in (*done.escapes[:20], *done.untyped[:20]):
        print(one)
    slowest = f"the slowest: {done.slowest[1]}"
    note = f"{done.tried:,} installations, {done.installed:,} of them let through"
    yield Row("archives, escapes and what is no plain file", len(done.escapes), 0, "escapes", note)
    yield Row("archives, errors of no kind", len(done.untyped), 0, "errors", note)
    yield Row("archives, slowest", round(done.slowest[0]), _SLOWEST_MS, "ms", slowest)
    yield Row("archives, largest unpacked", done.largest, MOST_BYTES, "bytes", note)
    read = read_documents(documents(whole=amount.whole))
    for one in (*read.escapes, *read.untyped):
        print(one)
    wrong = len(read.escapes) + len(read.untyped)
    yield Row("documents that are bombs, harm", wrong, 0, "cases", f"{read.tried} documents")
    slowest = f"the slowest: {read.slowest[1]}"
    longest = round(read.slowest[0])
    yield Row("documents that are bombs, slowest", longest, _SLOWEST_DOCUMENT_MS, "ms", slowest)
