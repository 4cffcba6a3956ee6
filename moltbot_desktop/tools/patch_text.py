"""The patch format that models trained on it write, read into values; pure.

    *** Begin Patch
    *** Add File: notes/new.md
    +first line
    *** Update File: todo.md
    *** Move to: done.md
    @@ ## Today
     - milk
    -- bread
    +- rye bread
    *** Delete File: old.md
    *** End Patch

A heredoc around it (`<<'EOF'`) is taken off, and a first piece of an update needs no `@@`: models
leave both out or put both in. Everything else that is not as above is a `PatchError` with the line.
"""

from __future__ import annotations

from dataclasses import dataclass

from moltbot_desktop.core.errors import ToolError

LONGEST_PATCH = 1024 * 1024
_BEGIN, _END = "*** Begin Patch", "*** End Patch"
_ADD, _DELETE, _UPDATE = "*** Add File: ", "*** Delete File: ", "*** Update File: "
_MOVE, _LAST = "*** Move to: ", "*** End of File"
_HEREDOCS = frozenset({"<<EOF", "<<'EOF'", '<<"EOF"'})


class PatchError(ToolError):
    """What is wrong with a patch, for the model."""


@dataclass(frozen=True)
class AddFile:
    path: str
    text: str


@dataclass(frozen=True)
class DeleteFile:
    path: str


@dataclass(frozen=True)
class Piece:
    """One place of a file.

    Attributes:
        context: a line somewhere above it; "" for none.
        old: lines that stand there; none to add at the end.
        new: lines that come in their place.
        last: it is the end of the file.
    """

    context: str
    old: tuple[str, ...]
    new: tuple[str, ...]
    last: bool = False


@dataclass(frozen=True)
class UpdateFile:
    """`move_to` "" to leave it where it is."""

    path: str
    move_to: str
    pieces: tuple[Piece, ...]


Hunk = AddFile | DeleteFile | UpdateFile


def parsed_patch(text: str) -> tuple[Hunk, ...]:
    """The hunks of a patch, in its order.

    Raises:
        PatchError: it is no patch.
    """
    if len(text) > LONGEST_PATCH:
        raise PatchError("the patch is longer than 1 MB; make several of it")
    lines = _Lines(_inside(text.strip().split("\n")))
    hunks: list[Hunk] = []
    while lines.left:
        hunks.append(_hunk(lines))
    if not hunks:
        raise PatchError("the patch changes no file")
    return tuple(hunks)


def paths_of(hunks: tuple[Hunk, ...]) -> tuple[str, ...]:
    """Every path that they would touch, as it is written."""
    moved = (one.move_to for one in hunks if isinstance(one, UpdateFile) and one.move_to)
    return (*(one.path for one in hunks), *moved)


def _inside(lines: list[str]) -> list[str]:
    """The lines between the markers."""
    heredoc = len(lines) >= 4 and lines[0].strip() in _HEREDOCS and lines[-1].endswith("EOF")
    if heredoc:
        lines = lines[1:-1]
    if lines[0].strip() != _BEGIN:
        raise PatchError(f"the first line of the patch must be “{_BEGIN}”")
    if len(lines) < 2 or lines[-1].strip() != _END:
        raise PatchError(f"the last line of the patch must be “{_END}”")
    return lines[1:-1]


class _Lines:
    """What is left to read, and at which line of the patch."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._at = 0

    @property
    def left(self) -> bool:
        return self._at < len(self._lines)

    @property
    def next(self) -> str:
        """Only while there is something left."""
        return self._lines[self._at]

    def take(self) -> str:
        self._at += 1
        return self._lines[self._at - 1]

    def wrong(self, why: str) -> PatchError:
        return PatchError(f"line {self._at + 2} of the patch: {why}")


def _hunk(lines: _Lines) -> Hunk:
    head = lines.next.strip()
    if head.startswith(_ADD):
        lines.take()
        return AddFile(_path(head, _ADD, lines), _added(lines))
    if head.startswith(_DELETE):
        lines.take()
        return DeleteFile(_path(head, _DELETE, lines))
    if head.startswith(_UPDATE):
        lines.take()
        return _update(_path(head, _UPDATE, lines), lines)
    raise lines.wrong(
        f"“{head[:80]}” is no header; there are “{_ADD}path”, “{_DELETE}path” and “{_UPDATE}path”"
    )


def _path(head: str, marker: str, lines: _Lines) -> str:
    path = head.removeprefix(marker).strip()
    if not path:
        raise lines.wrong("there is no path")
    return path


def _added(lines: _Lines) -> str:
    added: list[str] = []
    while lines.left and lines.next.startswith("+"):
        added.append(lines.take()[1:] + "\n")
    return "".join(added)


def _update(path: str, lines: _Lines) -> UpdateFile:
    move_to = ""
    if lines.left and lines.next.startswith(_MOVE):
        move_to = _path(lines.take(), _MOVE, lines)
    pieces: list[Piece] = []
    while lines.left:
        if not lines.next.strip():
            lines.take()
        elif lines.next.startswith("***"):
            break
        else:
            pieces.append(_piece(lines, first=not pieces))
    if not pieces and not move_to:
        raise lines.wrong(f"the update of “{path[:80]}” is empty")
    return UpdateFile(path, move_to, tuple(pieces))


def _piece(lines: _Lines, *, first: bool) -> Piece:
    context = ""
    if lines.next.rstrip() == "@@":
        lines.take()
    elif lines.next.startswith("@@ "):
        context = lines.take()[3:]
    elif not first:
        raise lines.wrong(f"expected “@@”, got “{lines.next[:80]}”")
    old: list[str] = []
    new: list[str] = []
    read = 0
    while lines.left:
        line = lines.next
        if line.rstrip() == _LAST and read:
            lines.take()
            return Piece(context, tuple(old), tuple(new), last=True)
        sign, rest = line[:1], line[1:]
        if sign not in ("", " ", "+", "-"):
            break
        lines.take()
        read += 1
        if sign != "+":
            old.append(rest)
        if sign != "-":
            new.append(rest)
    if not read:
        got = f", got “{lines.next[:80]}”" if lines.left else ""
        raise lines.wrong(f"a line of an update begins with a blank, + or -{got}")
    return Piece(context, tuple(old), tuple(new))
