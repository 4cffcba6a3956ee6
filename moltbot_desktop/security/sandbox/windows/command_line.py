r"""What a program on Windows is handed: one line of text for its words, one block for variables.

    command_line(("C:\\a b\\x.exe", "it's", 'say "x"'))   # '"C:\\a b\\x.exe" it\'s "say \"x\""'
    environment_block({"A": "1"})                           # "A=1\0\0" in UTF-16

A Windows program cuts its line into words by itself, nearly always as the C runtime and
`CommandLineToArgvW` do; for these the words arrive as they were judged. Batch files cut it as cmd
does, where no quoting is safe; whoever calls this never starts one.
Source: https://learn.microsoft.com/cpp/c-language/parsing-c-command-line-arguments,
https://learn.microsoft.com/windows/win32/api/processthreadsapi/nf-processthreadsapi-createprocessw
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence

MOST_CHARACTERS = 32_766
"""UTF-16 units without the final zero."""
_STARTED = (".exe", ".com")


class CannotBeWritten(OSError):
    """Words or variables that Windows has no form for. `strerror` says why."""

    def __init__(self, why: str) -> None:
        super().__init__(0, why)


def can_be_started(program: str) -> bool:
    """Whether the name is one of a program that Windows itself loads. Anything else may be handed
    to cmd, which reads a name's final dots and blanks away, and a colon as a part of a file."""
    name = program.replace("\\", "/").rpartition("/")[2]
    return name.casefold().endswith(_STARTED) and ":" not in name


def command_line(words: Sequence[str]) -> str:
    """The first word is the program, which has rules of its own: no character escapes another.

    Raises:
        CannotBeWritten: there is no such line.
    """
    program, *more = words
    if '"' in program:
        raise CannotBeWritten("a program's name with a quote")
    text = f'"{program}"'
    if more:
        text += " " + subprocess.list2cmdline(more)
    if "\x00" in text:
        raise CannotBeWritten("a zero in the words")
    if len(text.encode("utf-16-le", "surrogatepass")) // 2 > MOST_CHARACTERS:
        raise CannotBeWritten("the words are longer than Windows takes")
    return text


def environment_block(variables: Mapping[str, str]) -> bytes:
    """UTF-16, sorted by name without regard to case, as `CreateProcessW` wants it.

    Raises:
        CannotBeWritten: a name or a value that would be read as another.
    """
    named: dict[str, str] = {}
    for name, value in variables.items():
        if not name or "=" in name or "\x00" in name + value:
            raise CannotBeWritten(f"the variable {name[:40]!r}")
        # Names differ by more than case there, or the later one would be a second truth.
        named = {one: text for one, text in named.items() if one.upper() != name.upper()}
        named[name] = value
    lines = (f"{name}={named[name]}\x00" for name in sorted(named, key=str.upper))
    text = "".join(lines) or "\x00"
    return f"{text}\x00".encode("utf-16-le", "surrogatepass")
