"""Path texts that try to leave the workspace: ways to write "up", ways to part names, where to go,
what to hang on. Pure.

    texts(World(outside=Path("/x/outside"), workspace=Path("/x/ws")), 5_000, seed=7)

The world they are made for: beside the workspace lies `outside`; in the workspace are links to it
(`out`, `deep/out2`, `secret-link`, `dangling`, `loop`), to the root by way of /proc (`procroot`),
and plain files (`b.txt`, `notes/a.md`).
"""

from __future__ import annotations

import itertools
import random
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

UP = (
    "..", "../", "./..", ".. ", " ..", "..\t", "...", "....", "..;", "..%00", "%2e%2e", "%2E%2E",
    "%252e%252e", "..%c0%af", "%c0%ae%c0%ae", "%uff0e%uff0e", "．．", "‥", "․․", "。。", "..\u200b",
    "\u200b..", ".\u200d.", "..\u0338", "\u202e..", "..\x00", "..\x1b", "..::$DATA", "..:", ". .",
    "notes/../..", "notes/.../..", "out", "out/..", "deep/out2", "deep/out2/..", "loop/../..",
    "procroot", "procroot/..", "in/../..", "b.txt/..", "b.txt/../..", "missing/../..", "./.", "~",
)  # fmt: skip
PARTING = (
    *(
        "/",
        "//",
        "/./",
        "\\",
        "\\\\",
        "\\/",
        "%2f",
        "%5c",
        "%252f",
        "∕",
        "⁄",
        "／",
        "＼",
        "⧸",
        "\u2044",
    ),
    *("/\u200b", "/ ", " /", "\n/", "/\x00", ":/", "|", ";/"),
)
GOAL = (
    "outside/secret.txt", "outside", "outside/", "outside/sub/x.txt", "outside/table.csv",
    "outside/new.txt", "secret.txt", "home/.ssh/id_rsa", "state/moltbot.json",
    "OUTSIDE/SECRET.TXT",
    "outside/sécret.txt", "etc/passwd", "ws/../outside/secret.txt", "outside/./secret.txt",
    "outside/secret.txt.", "outside/secret.txt ", "outside/secret.txt:x",
    "outside/secret.txt\x00.md",
    "outside/secret.txt%00.md", "outside/secret.txt?.md", "outside/secret.txt#.md",
)  # fmt: skip
LINKS = (
    "out", "out/", "out/secret.txt", "out/sub/x.txt", "out/new.txt", "out/table.csv",
    "deep/out2/outside/secret.txt", "secret-link", "secret-link/", "dangling",
    "dangling/x", "loop",
    "loop/x", "loop/../secret-link", "loop/../out/secret.txt", "in/../out/secret.txt", "procroot",
    "OUT/secret.txt", "oUt/secret.txt", "out\u200b/secret.txt", "ｏut/secret.txt",
    "./out/secret.txt",
    "out//secret.txt", "out/./secret.txt", "out/../outside/secret.txt", "out/sub/../secret.txt",
    "notes/../out/secret.txt", "chain/secret.txt", "chain", "hard.txt", "proccwd/out/secret.txt",
)  # fmt: skip
DEVICES = (
    "CON", "con.txt", "NUL", "nul.tar.gz", "AUX", "PRN.md", "COM1", "COM¹", "LPT9.x", "CONIN$",
    "CLOCK$", "a/NUL/b", "b.txt:stream", "b.txt::$DATA", "notes::$INDEX_ALLOCATION", "b.txt.",
    "b.txt ", "b.txt...", "notes./a.md", "PROGRA~1/x", "\\\\?\\C:\\x", "\\\\.\\pipe\\x",
    "\\\\server\\share\\x", "//server/share/x", "//localhost/c$/x", "C:\\x", "C:x", "c:/x", "Z:",
    "/dev/stdin", "/dev/fd/0", "/dev/tty", "/dev/shm/x", "/proc/self/environ", "/proc/self/mem",
    "/proc/self/fd/3", "/proc/1/root/etc/passwd", "/proc/self/cwd/x", "/proc/self/cmdline",
    "/etc/passwd", "/etc/shadow", "/root/.bashrc", "~root/.bashrc", "~/.ssh/id_rsa", "~/x", "~",
    "~nobody/x", "~+/x", "~-/x", "$HOME/.ssh/id_rsa", "${HOME}/x", "%USERPROFILE%\\x", "`id`",
    "a" * 256, "a" * 5_000, "汉" * 90, "/".join(["d"] * 2_500), "\udc80", "a\x00b", "\x00",
    "", " ",
    "\n", ".", "./", "..", "/", "//", "\\", "-", "--", "-rf", "*", "?", "b.txt\x00",
    "\ufeffb.txt",
    "result:1", "result:../../x", "https://e.example/x", "file:b.txt", "data:,x",
    "jar:file:///x!/y",
    ".moltbot/undo/x", ".git/hooks/x", "notes/../.git/config",
)  # fmt: skip


@dataclass(frozen=True)
class World:
    outside: Path
    workspace: Path

    def absolute(self) -> Iterator[str]:
        """Whole paths to what lies outside, in many spellings."""
        for goal in ("secret.txt", "sub/x.txt", "table.csv", "new.txt", ""):
            path = str(self.outside / goal)
            yield from (
                path,
                f"/{path}",
                f"//{path}",
                f"/.{path}",
                path.upper(),
                f"{path}/",
                f"{path}/.",
            )
            yield from (
                f"file:{path}",
                f"file://{path}",
                f"file://localhost{path}",
                f"FILE://{path}",
            )
            yield from (f"file://{quote(path)}", f"file:///{path}", f"file:\\\\{path}")
            yield from (f"/proc/self/root{path}", f"/proc/1/root{path}", f"procroot{path}")
            yield from (f"/proc/self/cwd/../../..{path}", f"/dev/fd/../..{path}", f"~/..{path}")
            yield from (
                path.replace("/", "\\"),
                f"C:{path}",
                f"\\\\?\\{path}",
                f"\\\\localhost{path}",
            )
            yield from (quote(path, safe=""), path.replace("/", "／"), f"{path}\x00", f"{path}:x")
            yield from (
                f"{self.workspace}/../outside/{goal}",
                f"{self.workspace}-x/../outside/{goal}",
            )
            yield from (f"{self.workspace}/out/{goal}", f" {path}", f"{path} ", f"\u200b{path}")
            yield unicodedata.normalize("NFD", str(self.outside / "sécret.txt"))
            yield unicodedata.normalize("NFC", str(self.outside / "sécret.txt"))


def texts(world: World, count: int, seed: int) -> list[str]:
    """All that are written out, and made-up ones up to `count`; each once."""
    found = dict.fromkeys([*world.absolute(), *LINKS, *DEVICES])
    found |= dict.fromkeys(f"../{goal}" for goal in GOAL)
    every = list(itertools.product(UP, PARTING, GOAL, range(1, 4)))
    chance = random.Random(seed)
    chance.shuffle(every)
    for up, parting, goal, times in every:
        if len(found) >= count:
            break
        begin = chance.choice(("", "", "./", "/", "notes/", "~/", "deep/"))
        ways = (goal, goal.replace("/", parting), goal.upper(), unicodedata.normalize("NFD", goal))
        text = begin + (up + parting) * times + chance.choice(ways)
        found[chance.choice((text, text, quote(text), text.replace("t", "ｔ", 1)))] = None
    return list(found)
