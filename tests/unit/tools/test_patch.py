"""The patch format: what models write is read, anything else is told, nothing takes for ever."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.tools.patch_match import patched
from moltbot_desktop.tools.patch_text import (
    AddFile,
    DeleteFile,
    PatchError,
    Piece,
    UpdateFile,
    parsed_patch,
    paths_of,
)

WHOLE = """*** Begin Patch
*** Add File: notes/new.md
+first
+
+third
*** Delete File: old.md
*** Update File: todo.md
*** Move to: done.md
@@ ## Today
 - milk
-- bread
+- rye bread
@@
-last
+the last
*** End of File
*** End Patch"""


def test_the_whole_format_is_read() -> None:
    hunks = parsed_patch(WHOLE)
    assert hunks == (
        AddFile("notes/new.md", "first\n\nthird\n"),
        DeleteFile("old.md"),
        UpdateFile(
            "todo.md",
            "done.md",
            (
                Piece("## Today", ("- milk", "- bread"), ("- milk", "- rye bread")),
                Piece("", ("last",), ("the last",), last=True),
            ),
        ),
    )
    assert paths_of(hunks) == ("notes/new.md", "old.md", "todo.md", "done.md")


@pytest.mark.parametrize("begin", ["<<EOF", "<<'EOF'", '<<"EOF"'])
def test_a_heredoc_around_it_is_taken_off(begin: str) -> None:
    assert parsed_patch(f"{begin}\n{WHOLE}\nEOF\n") == parsed_patch(WHOLE)


def test_the_first_piece_needs_no_mark_and_the_others_do() -> None:
    update = "*** Begin Patch\n*** Update File: a\n-x\n+y\n{}*** End Patch"
    assert parsed_patch(update.format("")) == (UpdateFile("a", "", (Piece("", ("x",), ("y",)),)),)
    with pytest.raises(PatchError, match="line 5"):
        parsed_patch(update.format("nonsense\n"))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "first line"),
        ("*** Begin Patch", "last line"),
        ("*** Begin Patch\n*** End Patch", "no file"),
        ("*** Begin Patch\nhello\n*** End Patch", "no header"),
        ("*** Begin Patch\n*** Update File: a\n*** End Patch", "empty"),
        ("*** Begin Patch\n*** Update File: a\n@@\n*** End Patch", "begins with"),
        ("*** Begin Patch\n*** Delete File:  \n*** End Patch", "header"),
        ("*** Begin Patch\n+x\n" + "+" * 2_000_000 + "\n*** End Patch", "1 MB"),
    ],
)
def test_what_is_wrong_is_told(text: str, why: str) -> None:
    with pytest.raises(PatchError, match=why):
        parsed_patch(text)


FILE = "# Shop\n\n- milk  \n\t- bread\n- “fresh” eggs – six\n- milk\nend\n"


@pytest.mark.parametrize(
    ("old", "line"),
    [
        ("- milk  ", "- milk  "),
        ("\t- bread", "\t- bread"),
        ("- bread", "\t- bread"),
        ('- "fresh" eggs - six', "- “fresh” eggs – six"),
        ("end", "end"),
    ],
)
def test_lines_are_found_as_strictly_as_possible(old: str, line: str) -> None:
    made = patched(FILE, (Piece("", (old,), ("NEW",)),))
    assert made == FILE.replace(line, "NEW", 1)


def test_an_exact_line_further_down_is_better_than_a_loose_one_above() -> None:
    assert patched(FILE, (Piece("", ("- milk",), ("NEW",)),)) == FILE.replace("- milk\n", "NEW\n")


def test_a_context_line_says_from_where_on() -> None:
    text = "a\nx\nb\nx\n"
    assert patched(text, (Piece("b", ("x",), ("y",)),)) == "a\nx\nb\ny\n"
    assert patched(text, (Piece("", ("x",), ("y",), last=True),)) == "a\nx\nb\ny\n"


def test_lines_without_old_ones_go_to_the_end() -> None:
    assert patched("a\n", (Piece("", (), ("b",)),)) == "a\nb\n"
    assert patched("", (Piece("", (), ("b",)),)) == "b\n"
    assert patched("a", (Piece("", ("a", ""), ("b", "")),)) == "b\n"


def test_what_is_not_there_is_told_with_its_lines() -> None:
    with pytest.raises(PatchError, match="no such lines"):
        patched(FILE, (Piece("", ("nope",), ("x",)),))
    with pytest.raises(PatchError, match="no line"):
        patched(FILE, (Piece("nope", ("end",), ("x",)),))


def test_a_patch_made_to_take_long_is_stopped() -> None:
    with pytest.raises(PatchError, match="too long"):
        patched("a\n" * 50_000, (Piece("", ("a",) * 20_000 + ("b",), ("x",)),))


_LINE = st.sampled_from(
    ["*** Begin Patch", "*** End Patch", "*** Add File: a", "*** Delete File: b", "@@", "@@ x",
     "*** Update File: c", "*** Move to: d", "*** End of File", "+x", "-x", " x", "", "x", "<<EOF",
     "EOF", "***", "\u00a0", "+\x00", "*** Update File: ../../etc/passwd"]
)  # fmt: skip


@settings(max_examples=150)
@given(st.lists(_LINE, max_size=14), st.booleans(), st.lists(st.sampled_from("xyz"), max_size=6))
def test_any_lines_are_read_or_refused(lines: list[str], framed: bool, file: list[str]) -> None:
    text = "\n".join(["*** Begin Patch", *lines, "*** End Patch"] if framed else lines)
    try:
        hunks = parsed_patch(text)
        for hunk in hunks:
            if isinstance(hunk, UpdateFile):
                patched("\n".join(file), hunk.pieces)
    except PatchError:
        return
    assert hunks


@settings(max_examples=100)
@given(
    st.lists(st.text("ab \u2013", max_size=3), min_size=1, max_size=8),
    st.integers(0, 7),
    st.lists(st.text("xy", min_size=1, max_size=2), max_size=3),
)
def test_a_patch_made_from_a_file_does_what_it_says(
    lines: list[str], at: int, new: list[str]
) -> None:
    """With everything above as old lines there is one place only."""
    at = min(at, len(lines) - 1)
    old = tuple(lines[: at + 1])
    made = patched("\n".join(lines) + "\n", (Piece("", old, (*old[:-1], *new)),))
    expected = [*lines[:at], *new, *lines[at + 1 :]]
    assert made == ("\n".join(expected) + "\n" if expected else "")
