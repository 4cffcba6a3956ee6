"""Archives that nobody should unpack, byte by byte. Pure.

    for hostile in archives(whole=True):
        hostile.name, hostile.data

A writer of its own, since the library's refuses to write what is wrong: names as raw bytes, sizes
that lie, names that differ between an entry and the directory, entries that share their bytes.
"""

from __future__ import annotations

import bz2
import io
import lzma
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

CANARY = b"CANARY-7f3a"
SKILL = b"---\nname: guest\ndescription: Helps.\n---\nDo it.\n"
MANIFEST = b'{"id": "guest", "configSchema": {"type": "object"}}'
PLUGIN = b"def register(api): pass\n"
_LINK, _FILE = stat.S_IFLNK | 0o777, stat.S_IFREG | 0o644

NAMES: tuple[bytes, ...] = (
    b"../x", b"../../x", b"../outside/new.txt", b"a/../../x", b"./../x", b"a/b/../../../x", b"..",
    b"..\\x", b"..\\..\\outside\\new.txt", b"a\\..\\..\\x", b"a/..\\../x", b"\\x",
    b"\\\\host\\c$\\x", b"/x", b"//x", b"/etc/cron.d/x", b"/tmp/x", b"C:\\x", b"C:/x", b"c:x",
    b"\\\\?\\C:\\x", b"a:b", b"~/x", b"~root/x", b"$HOME/x", b"%TEMP%\\x", b"file:///x", b"a//b",
    b"/", b"", b".", b"./", b" ", b"x\x00y", b"../x\x00.md", b"a\nb", b"a\rb", b"\x1b[2Jx",
    b"a\x7fb", b"a.", b"a ", b"a./b", b" a", b"CON", b"nul.md", b"a/AUX/b", b"COM1.txt",
    b"com\xc2\xb9.txt", b"LPT9", b"CONIN$", b"clock$", "．．/x".encode(), "‥/x".encode(),
    "a／..／..／x".encode(), "a∕b".encode(), "..\u200b/x".encode(),
    "a\u202etxt.exe".encode(), "\ufeffx".encode(), "skill\u2028x".encode(),
    "说明.md".encode("gbk"), "..\\说明".encode("gbk"), b"\x81\x5c..\x5cx", b"\xff\xfe",
    b"\x2e\x2e\xafx", b"a" * 300, b"a" * 60_000, b"d/" * 3_000 + b"x", b"d/" * 40 + b"x", b"<a>",
    b'a"b', b"a|b", b"a*b", b"SKILL.md/x", b"plugin.py/x", b"skill.md", b"SKILL.MD", b"PLUGIN.PY",
    b".git/hooks/post-checkout", b".bashrc", b".ssh/authorized_keys", b"../.before/guest/x",
    b"../../moltbot.json", b"guest/../../x",
)  # fmt: skip


@dataclass(frozen=True)
class Entry:
    """One file of an archive, and what is untrue about it.

    Attributes:
        size: as the directory says it, when that is a lie.
        written: the name before the data, when it is another than in the directory.
        shared: the number of the entry whose data these are.
    """

    name: bytes
    data: bytes = b"x"
    mode: int = _FILE
    method: int = zipfile.ZIP_STORED
    flags: int = 0
    size: int | None = None
    written: bytes | None = None
    shared: int | None = None


@dataclass(frozen=True)
class Hostile:
    name: str
    data: bytes


def zipped(entries: Sequence[Entry], *, count: int | None = None) -> bytes:
    """`count`: how many entries the end says there are."""
    out, directory, offsets = io.BytesIO(), io.BytesIO(), list[int]()
    for one in entries:
        packed = _packed(one)
        checked = zlib.crc32(one.data)
        size = len(one.data) if one.size is None else one.size
        head = (20, one.flags, one.method, 0, 0x5A21, checked, len(packed), size)
        if one.shared is None:
            offsets.append(out.tell())
            name = one.written if one.written is not None else one.name
            out.write(struct.pack("<4s5H3I2H", b"PK\3\4", *head, len(name), 0) + name + packed)
        else:
            offsets.append(offsets[one.shared])
        rest = (len(one.name), 0, 0, 0, 0, one.mode << 16, offsets[-1])
        directory.write(struct.pack("<4s6H3I5H2I", b"PK\1\2", 0x031E, *head, *rest) + one.name)
    begin, listed = out.tell(), directory.getvalue()
    total = min(len(entries) if count is None else count, 0xFFFF)
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, total, total, len(listed), begin, 0)
    return out.getvalue() + listed + end


def _packed(entry: Entry) -> bytes:
    match entry.method:
        case zipfile.ZIP_DEFLATED:
            packing = zlib.compressobj(9, wbits=-15)
            return packing.compress(entry.data) + packing.flush()
        case zipfile.ZIP_BZIP2:
            return bz2.compress(entry.data)
        case zipfile.ZIP_LZMA:
            filters = [{"id": lzma.FILTER_LZMA1}]
            packed = lzma.compress(entry.data, lzma.FORMAT_RAW, filters=filters)
            return b"\x09\x04\x05\x00\x5d\x00\x00\x80\x00" + packed
    return entry.data


def good(*more: Entry) -> list[Entry]:
    """A skill and a plugin in one, and `more`."""
    own = (Entry(b"SKILL.md", SKILL), Entry(b"moltbot.plugin.json", MANIFEST))
    return [*own, Entry(b"plugin.py", PLUGIN), *more]


def archives(*, whole: bool) -> Iterator[Hostile]:
    """`whole`: bombs in their full size too."""
    yield from names()
    yield from kinds()
    yield from lies()
    yield from broken()
    yield from bombs(40_000_000 if whole else 24_000_000, 300_000 if whole else 4_000)


def names() -> Iterator[Hostile]:
    """Hostile names of files, of their entries alone, and of what links lead to."""
    for name in NAMES:
        for flags in (0, 0x800):  # whose names are UTF-8
            yield Hostile(f"name {name[:40]!r}", zipped(good(Entry(name, CANARY, flags=flags))))
        below = [Entry(b"guest/" + one.name, one.data) for one in good()]
        yield Hostile(f"below {name[:40]!r}", zipped([*below, Entry(b"guest/" + name, CANARY)]))
        other = Entry(b"notes.md", CANARY, written=name)
        yield Hostile(f"written {name[:40]!r}", zipped(good(other)))
        link = Entry(b"link", name, mode=_LINK)
        yield Hostile(f"link to {name[:40]!r}", zipped(good(link, Entry(b"link/x", CANARY))))


def kinds() -> Iterator[Hostile]:
    """Devices, pipes, odd modes, and things that call themselves something hostile."""
    for kind in (stat.S_IFCHR, stat.S_IFBLK, stat.S_IFIFO, stat.S_IFSOCK, stat.S_IFLNK, 0o170000):
        yield Hostile(
            f"kind {kind:o}", zipped(good(Entry(b"thing", b"/dev/zero", mode=kind | 0o666)))
        )
    for bits in (0o4755, 0o2755, 0o1777, 0o7777, 0):
        yield Hostile(
            f"mode {bits:o}", zipped(good(Entry(b"tool", b"x", mode=stat.S_IFREG | bits)))
        )
    yield Hostile("folder with data", zipped(good(Entry(b"folder/", b"x" * 9))))
    yield Hostile("linked SKILL.md", zipped([Entry(b"SKILL.md", b"/etc/passwd", mode=_LINK)]))
    for identity in ("../x", "/x", "..", ".", "", "a/b", "a\\b", "CON", "a\x00b", "~", "x" * 300):
        text = SKILL.replace(b"guest", identity.encode())
        manifest = MANIFEST.replace(b"guest", identity.encode("unicode_escape"))
        entries = (Entry(b"SKILL.md", text), Entry(b"moltbot.plugin.json", manifest))
        yield Hostile(f"called {identity[:20]!r}", zipped([*entries, Entry(b"plugin.py", PLUGIN)]))


def lies() -> Iterator[Hostile]:
    """The same name twice, sizes and counts that are not true, methods nobody knows."""
    for twice in ((b"a.md", b"a.md"), (b"a.md", b"A.MD"), (b"a/b", b"A/c"), (b"a", b"a/b"),
                  ("é".encode(), "e\u0301".encode()), ("ﬁ".encode(), b"fi"), (b"a.md", b"./a.md"),
                  (b"SKILL.md", b"SKILL.md"), ("ß".encode(), b"ss"), (b"K", b"k")):  # fmt: skip
        pair = [Entry(one, CANARY, flags=0x800) for one in twice]
        yield Hostile(f"twice {twice!r}", zipped(good(*pair)))
    for flags in (0x1, 0x41, 0x2001, 0x8, 0x20):
        yield Hostile(f"flags {flags:x}", zipped(good(Entry(b"a.md", CANARY, flags=flags))))
    for size in (0, 1, 10, 2**31, 2**32 - 1):
        for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            lie = Entry(b"a.md", b"y" * 5_000, size=size, method=method)
            yield Hostile(f"size {size}", zipped(good(lie)))
    for method in (1, 6, 9, 12, 14, 93, 95, 98, 99, 65_535):
        yield Hostile(f"method {method}", zipped(good(Entry(b"a.md", b"\xff" * 99, method=method))))
    for count in (0, 1, 65_535):
        yield Hostile(f"count {count}", zipped(good(), count=count))


def broken() -> Iterator[Hostile]:
    """Cut, changed, and what is no zip at all."""
    sound = zipped(good(Entry(b"a.md", CANARY * 9, method=zipfile.ZIP_DEFLATED)))
    for cut in range(0, len(sound), 17):
        yield Hostile(f"cut at {cut}", sound[:cut])
        yield Hostile(f"without {cut}", sound[:cut] + sound[cut + 5 :])
        yield Hostile(
            f"turned at {cut}", sound[:cut] + bytes([sound[cut] ^ 0xFF]) + sound[cut + 1 :]
        )
    yield Hostile("words before", b"#!/bin/sh\nid\nexit\n" + sound)
    yield Hostile("words behind", sound + b"\nid\n")
    yield Hostile("two in one", sound + zipped(good(Entry(b"../x", CANARY))))
    for kind in ("w:", "w:gz", "w:bz2", "w:xz"):
        yield Hostile(f"tar {kind}", _tarred(kind))
    for words in (
        b"",
        b"PK",
        b"PK\3\4",
        b"PK\5\6" + bytes(18),
        b"Rar!\x1a\x07",
        b"7z\xbc\xaf\x27\x1c",
    ):
        yield Hostile(f"only {words[:8]!r}", words)


def _tarred(kind: str) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=kind) as archive:  # type: ignore[call-overload]
        for name, type_ in (
            ("../x", tarfile.REGTYPE),
            ("l", tarfile.SYMTYPE),
            ("h", tarfile.LNKTYPE),
        ):
            info = tarfile.TarInfo(name)
            info.type, info.linkname, info.size = type_, "../../outside/secret.txt", 0
            archive.addfile(info)
    return out.getvalue()


_METHODS = (zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)


def bombs(size: int, many: int, methods: Sequence[int] = _METHODS) -> Iterator[Hostile]:
    """What unpacks to `size` bytes of nothing, or has `many` entries."""
    for method in methods:
        bomb = Entry(b"zeros", bytes(size), method=method)
        yield Hostile(f"flat bomb, method {method}", zipped(good(bomb)))
        yield Hostile(f"lying bomb, method {method}", zipped(good(Entry(
            b"zeros", bytes(size), method=method, size=9))))  # fmt: skip
    part = Entry(b"zeros-0", bytes(1_000_000), method=zipfile.ZIP_DEFLATED)
    several = [Entry(b"zeros-%d" % one, part.data, method=part.method) for one in range(1, 40)]
    yield Hostile("many small bombs", zipped(good(part, *several)))
    shared = [Entry(b"z-%d" % one, part.data, method=part.method, shared=3) for one in range(900)]
    yield Hostile("shared bytes", zipped(good(part, *shared)))
    nested = zipped([Entry(b"zeros", bytes(5_000_000), method=zipfile.ZIP_DEFLATED)])
    for _ in range(6):
        nested = zipped([Entry(b"%d.zip" % one, nested) for one in range(4)])
    yield Hostile("nested bomb", zipped(good(Entry(b"a.zip", nested, method=zipfile.ZIP_DEFLATED))))
    files = [Entry(b"%d" % one, b"") for one in range(2_100)]
    yield Hostile("2,100 files", zipped(good(*files)))
    listed = [Entry(b"%d" % one, b"", shared=3) for one in range(many)]
    yield Hostile(f"{many:,} files", zipped(good(Entry(b"a", b""), *listed)))
    yield Hostile(
        f"{many:,} folders", zipped(good(*(Entry(b"%d/" % one, b"") for one in range(many))))
    )
