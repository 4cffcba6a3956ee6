r"""Command lines on Windows: literal words, the few programs that only look, and paths.

    read_command(r'findstr /n "two words" notes\a.txt')   # Literal(…)
    read_command("echo %PATH%")                            # NotLiteral(Obstacle.EXPANSION, 5)
    level_of(("findstr", "/n", "two words", r"notes\a.txt"))   # Level.LOOKS

Nobody knows for which shell a model writes there: cmd, PowerShell, or the bash it knows best. So a
line is literal only where all three would hand over the same words. Programs start without a shell;
what is none goes to PowerShell, after a card.

Three things are Windows' own. A path to another computer (`\\host\share`) sends the person's name
and a proof of their password there as soon as somebody looks whether it exists, so such words are
found before anything is looked up. Signs are turned into others on their way into older programs
("best fit"): U+FF02 becomes a real quote and ends a word, so what is no letter is not literal.
And every program has its own way with `/`, so the list of those that only look is short.
Source: https://learn.microsoft.com/windows-server/administration/windows-commands/.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from moltbot_desktop.security.commands import lexer
from moltbot_desktop.security.commands.lexer import Argv, Literal, NotLiteral, Obstacle, Signs
from moltbot_desktop.security.commands.rules import Level
from moltbot_desktop.security.commands.rules import level_of as level_elsewhere

_EVERYWHERE = {"$": Obstacle.EXPANSION, "`": Obstacle.SUBSTITUTION, "%": Obstacle.EXPANSION}
_BARE = {
    **_EVERYWHERE,
    "*": Obstacle.PATTERN,
    "?": Obstacle.PATTERN,
    "[": Obstacle.PATTERN,
    "]": Obstacle.PATTERN,
    "{": Obstacle.PATTERN,
    "}": Obstacle.PATTERN,
    "<": Obstacle.REDIRECTION,
    ">": Obstacle.REDIRECTION,
    "(": Obstacle.GROUP,
    ")": Obstacle.GROUP,
    "^": Obstacle.ESCAPE,
    "!": Obstacle.HISTORY,
    "~": Obstacle.HOME,
    "@": Obstacle.EXPANSION,
}
_BUILTINS = frozenset(
    "assoc call cd chdir cls color copy date del dir echo endlocal erase exit for ftype goto if md "
    "mkdir mklink move path pause popd prompt pushd rd rem ren rename rmdir set setlocal shift "
    "start time title type ver verify vol".split()
)
"""What only cmd can do, most of it PowerShell too."""
_FAR = re.compile(r"[\\/]{2}|\\\?\?\\|(?i:file|smb|webdavs?|search-ms):")
"""How a path begins that leads to another computer or to a device, whichever slash it has."""
_DRIVE = re.compile(r"[A-Za-z]:")
_ODD = re.compile(r'[<>"|?*\x00-\x1f]')
_SHORT = re.compile(r"[^\\/]*~\d[^\\/]*")
_DEVICE = re.compile(r"(?i)(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?:[ .:].*)?")
_COMBINING = range(0x300, 0x370)


@dataclass(frozen=True)
class _Use:
    """A program that only looks. `plain`: options as they are written, without their sign, lower
    case; `glued`: those with a value right behind a colon; `letters`: those that may stand together
    behind one sign; `words`: how many of its words may be none."""

    plain: str = ""
    glued: str = ""
    letters: str = ""
    words: int = 0


_LOOKING: Mapping[str, _Use] = MappingProxyType(
    {
        "findstr": _Use("offline", "c", "belrixvnmop", 1000),
        "fc": _Use("a b c l n off offline t u w", words=2),
        "where": _Use("q f t", words=1000),
        "sort": _Use("r reverse unique", words=1),
        "hostname": _Use(),
        "whoami": _Use("user groups priv upn"),
        "ipconfig": _Use("all"),
        "tasklist": _Use("svc nh"),
    }
)


def read_command(text: str) -> Literal | NotLiteral:
    """As `lexer.read_command`, where cmd, PowerShell and bash would agree."""
    read = lexer.read_command(text, _SIGNS)
    if isinstance(read, NotLiteral):
        return read
    at = next((place for place, one in enumerate(text) if _may_become_another(one)), None)
    return read if at is None else NotLiteral(Obstacle.LOOKALIKE, at)


def needs_shell(argv: Argv) -> bool:
    name = argv[0].casefold()
    return name in _BUILTINS or lexer.needs_shell((name,))


def level_of(argv: Argv) -> Level:
    """A name with a folder in it, an option or a number of words that is not known: anything."""
    name = _name(argv)
    if name == "git":
        return level_elsewhere(("git", *argv[1:]))
    use = _LOOKING.get(name)
    if use is None:
        return Level.OTHER
    count = 0
    for word in argv[1:]:
        if word[:1] not in ("/", "-"):
            count += 1
            # One that names nothing there but stands for something: findstr.exe reads a list of
            # files behind it, where.exe looks into a variable of that name.
            if word[:1] in ("@", "$") or (name == "where" and not _is_plain_name(word)):
                return Level.OTHER
        elif word[:1] == "-" or not _is_known(word[1:].casefold(), use):
            return Level.OTHER
    return Level.LOOKS if count <= use.words else Level.OTHER


def _name(argv: Argv) -> str:
    return argv[0].casefold().removesuffix(".exe")


def _is_known(option: str, use: _Use) -> bool:
    if not option:
        return False
    name, colon, value = option.partition(":")
    if colon:
        return bool(value) and name in use.glued.split()
    return option in use.plain.split() or all(one in use.letters for one in option)


def _is_plain_name(word: str) -> bool:
    """No folder, no drive, no variable."""
    return not any(one in word for one in "\\/:$;")


def paths_in(argv: Argv) -> Iterator[str]:
    """Better one too many: `/users` may be an option, and a folder. Not what is known to be an
    option of this very program."""
    use = _LOOKING.get(_name(argv))
    for word in argv[1:]:
        if use is not None and word[:1] == "/" and _is_known(word[1:].casefold(), use):
            continue
        yield word
        if word[:1] in ("/", "-"):
            yield from filter(None, re.split(r"[=:,]", word[1:], maxsplit=1)[1:])
        elif "=" in word:
            yield word.partition("=")[2]


def is_far(word: str) -> bool:
    r"""Whether to look at `word`, or at a part of it behind a sign, is to ask another computer or
    a device. `https://x` is none, it is an address."""
    begins = (0, *(at + 1 for at, one in enumerate(word) if one in "=:,;'\"@"))
    for begin in begins:
        found = _FAR.match(word, begin)
        if found and not _is_address(word, begin) and not _is_drive(word, begin):
            return True
    return False


def _is_address(word: str, begin: int) -> bool:
    """`//` behind `http:` and its like."""
    scheme = re.search(r"([a-z][a-z0-9+.-]+):$", word[:begin], re.IGNORECASE)
    return scheme is not None and len(scheme[1]) > 1 and word[begin : begin + 2] == "//"


def _is_drive(word: str, begin: int) -> bool:
    r"""`C:\\x`, as models write it: two backslashes for one."""
    return begin == 2 and _DRIVE.match(word) is not None


def is_odd(word: str) -> bool:
    """Whether a path is written so that it may mean another one than it says: a stream, a device,
    a shortened name, a dot or blank that Windows leaves out, a drive's own folder."""
    rest = word[2:] if _DRIVE.match(word) else word
    if rest is not word and rest[:1] not in ("\\", "/", ""):
        return True
    names = re.split(r"[\\/]", rest)
    return (
        ":" in rest
        or _ODD.search(rest) is not None
        or any(name not in (".", "..") and name != name.rstrip(" .") for name in names)
        or any(_SHORT.fullmatch(name) or _DEVICE.fullmatch(name) for name in names if name)
    )


def _may_become_another(character: str) -> bool:
    """Whether an older program may be handed another character in its place."""
    if character.isascii():
        return False
    if unicodedata.normalize("NFKC", character).isascii() or ord(character) in _COMBINING:
        return True
    return unicodedata.category(character) not in ("Lu", "Ll", "Lt", "Lo", "Mn", "Mc", "Nd")


def _check_quote(text: str, begin: int, end: int) -> Obstacle | None:
    r"""Quotes that the three read differently: `"a\"`, `"a""b"`, `a\"`."""
    if text[end - 1] == "\\" or text[max(0, begin - 1)] == "\\":
        return Obstacle.ESCAPE
    return Obstacle.QUOTE if text[end + 1 : end + 2] in ("'", '"') and end + 1 < len(text) else None


_SIGNS = Signs(bare=_BARE, in_double=_EVERYWHERE | {"!": Obstacle.HISTORY}, quote=_check_quote)
