"""What may be opened, and what a text means."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.tools.opening.entries import Entry, entry_of, matching
from moltbot_desktop.tools.opening.targets import Address, Document, OpenRefusal, Program, meant


def asked(text: str, workspace: Path) -> Address | Document | Program | str:
    """What is meant, or the key of the refusal."""
    try:
        return meant(text, workspace, workspace)
    except OpenRefusal as refusal:
        return refusal.key


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("https://example.org/tea?x=1", "https://example.org/tea?x=1"),
        ("HTTP://example.org", "HTTP://example.org"),
        ("example.org", "https://example.org"),
        ("www.example.com/a/b.html", "https://www.example.com/a/b.html"),
        ("localhost:8080/x", "http://localhost:8080/x"),
        ("127.0.0.1:80", "http://127.0.0.1:80"),
        ("例子.中国", "https://例子.中国"),
        ("mailto:anna@example.org?subject=Hi", "mailto:anna@example.org?subject=Hi"),
    ],
)
def test_addresses_are_understood_with_and_without_their_scheme(
    text: str, url: str, tmp_path: Path
) -> None:
    found = asked(text, tmp_path)
    assert isinstance(found, Address)
    assert found.url == url


@pytest.mark.parametrize(
    "text",
    [
        *("javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "smb://host/share"),
        *("search-ms:query=x", "ms-msdt:/id", "steam://run/1", "vscode://x", "ssh://host"),
        *("view-source:https://example.org", "x-apple.systempreferences:", "about:blank"),
    ],
)
def test_other_schemes_are_refused(text: str, tmp_path: Path) -> None:
    assert asked(text, tmp_path) == "scheme"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("https://bank.example@evil.example/", "user_in_address"),
        ("https://a b.example/", "bad_address"),
        ("https://example.org/\u202egnp.exe", "bad_address"),
        ("https:///etc/passwd", "bad_address"),
        ("https://[::1", "bad_address"),
        ("https://example.org:99999/", "bad_address"),
        ("mailto:a@example.org?attach=/etc/passwd", "bad_letter"),
        ("mailto:a@example.org?ATTACHMENT=x", "bad_letter"),
        ("mailto://x", "bad_letter"),
        ("", "no_target"),
        ("a" * 5_000, "no_target"),
    ],
)
def test_addresses_that_hide_something_are_refused(text: str, why: str, tmp_path: Path) -> None:
    assert asked(text, tmp_path) == why


def test_letters_that_look_like_others_are_shown_as_the_network_knows_them(tmp_path: Path) -> None:
    found = asked("https://ex\u0430mple.org/", tmp_path)  # a Cyrillic а
    assert isinstance(found, Address)
    assert found.host == "xn--exmple-4nf.org"


def test_a_file_goes_before_an_address_and_a_program(tmp_path: Path) -> None:
    for name in ("example.org", "Firefox", "报告.pdf"):
        (tmp_path / name).write_text("x")
        found = asked(name, tmp_path)
        assert isinstance(found, Document)
        assert found.path == tmp_path / name
    assert isinstance(asked("~", tmp_path), Document)
    folder = asked(".", tmp_path)
    assert isinstance(folder, Document)
    assert folder.folder


@pytest.mark.parametrize("text", ["missing.pdf", "notes.md", "docs/missing", "a\\b.txt"])
def test_a_file_that_is_not_there_is_no_program(text: str, tmp_path: Path) -> None:
    assert asked(text, tmp_path) == "not_found"


@pytest.mark.parametrize("text", ["Firefox", "计算器", "LibreOffice Writer", "vim"])
def test_other_words_name_a_program(text: str, tmp_path: Path) -> None:
    assert asked(text, tmp_path) == Program(text)


@pytest.mark.parametrize(
    "name",
    [
        *("run.sh", "tool.desktop", "setup.EXE", "page.lnk", "x.AppImage", "letter.docm"),
        *("photo.jpg.exe", "s.py", "disk.iso", "help.chm", "a.url", "x.jar"),
    ],
)
def test_what_would_run_is_refused_by_its_name(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("hello")
    assert asked(name, tmp_path) == "runs"


@pytest.mark.parametrize(
    "beginning",
    [b"\x7fELF\x02", b"MZ\x90", b"#!/bin/sh\n", b"\xef\xbb\xbf#!/bin/sh", b"\n[Desktop Entry]\n"],
)
def test_what_would_run_is_refused_by_how_it_begins(beginning: bytes, tmp_path: Path) -> None:
    (tmp_path / "photo.jpg").write_bytes(beginning)
    assert asked("photo.jpg", tmp_path) == "runs"


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_a_link_is_what_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text("echo")
    (tmp_path / "letter.pdf").symlink_to(tmp_path / "run.sh")
    assert asked("letter.pdf", tmp_path) == "runs"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has none")
def test_a_pipe_is_no_file_and_holds_nobody_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    assert asked("pipe.txt", tmp_path) == "no_file"


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60) | st.from_regex(r"[a-z]{1,8}:(//)?[\w@.:/?#-]{0,30}"))
def test_any_text_is_understood_or_refused(text: str) -> None:
    found = asked(text, Path("/nowhere"))
    if isinstance(found, Address):
        assert found.url.split(":")[0].lower() in ("http", "https", "mailto")
        assert not set(found.url) & set("\n\r\t \\<>\"'\x00") - {"'"}


CALCULATOR = """[Desktop Entry]
Type=Application
Name=Calculator
Name[zh_CN]=计算器
GenericName=Scientific calculator
Exec=galculator %U
# comment
[Desktop Action New]
Exec=rm -rf /
"""


def test_a_program_goes_by_its_names_in_every_language() -> None:
    entry = entry_of(CALCULATOR, "zh_CN.UTF-8")
    assert entry is not None
    assert (entry.name, entry.command, entry.hidden) == ("计算器", "galculator %U", False)
    for name in ("calculator", "计算器", "Scientific  Calculator", "galculator"):
        assert matching([entry], name) == [entry]
    assert matching([entry], "scientific") == [entry]
    assert matching([entry], "calc") == []
    assert matching([entry], "  ") == []


def test_the_exact_name_goes_before_parts_of_others() -> None:
    writer = Entry("a", "LibreOffice Writer", ("libreoffice writer",), "x")
    plain, hidden = Entry("b", "Writer", ("writer",), "y"), Entry("c", "W", ("writer",), "z")
    hidden = Entry("c", "W", ("writer",), "z", hidden=True)
    assert matching([writer, plain, hidden], "writer") == [plain]
    assert matching([writer, hidden], "writer") == [writer]


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=80), st.text(max_size=8))
def test_broken_entries_are_no_programs(text: str, locale: str) -> None:
    assert entry_of(text, locale) is None
    entry = entry_of(f"[Desktop Entry]\nType=Application\n{text}", locale)
    assert entry is None or entry.command
