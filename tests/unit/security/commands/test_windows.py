"""Command lines on Windows: literal only where cmd, PowerShell and bash agree on the words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.security.commands.dialect import POSIX, WINDOWS
from moltbot_desktop.security.commands.lexer import Joint, Literal, NotLiteral, Obstacle, Step
from moltbot_desktop.security.commands.rules import Level
from moltbot_desktop.security.commands.windows import is_odd
from moltbot_desktop.security.sandbox.windows.command_line import command_line
from tests.fakes.windows_words import words_of

SIGNS = "ab \\\"'/:.-%^&|;!~@$`*?<>()[]{}#=,+张\N{FULLWIDTH QUOTATION MARK}\u02ba\u030e\n\x00"
LINE = st.text(st.sampled_from(SIGNS), max_size=24)


def words(text: str) -> tuple[str, ...]:
    read = WINDOWS.read(text)
    assert isinstance(read, Literal), read
    [step] = read.steps
    [argv] = step.pipeline
    return argv


def why(text: str) -> Obstacle:
    read = WINDOWS.read(text)
    assert isinstance(read, NotLiteral), read
    return read.why


def test_a_backslash_is_a_backslash() -> None:
    assert words(r"findstr /n x docs\a.txt") == ("findstr", "/n", "x", r"docs\a.txt")
    assert words(r'type "C:\Two Words\a.txt"') == ("type", r"C:\Two Words\a.txt")
    assert words("x 'say \"hi\"'") == ("x", 'say "hi"')


def test_joints_are_read_as_elsewhere() -> None:
    read = WINDOWS.read(r"hostname && where git | findstr exe; whoami")
    assert isinstance(read, Literal)
    assert read.steps[1] == Step(Joint.AND, (("where", "git"), ("findstr", "exe")))
    assert len(read.steps) == 3


@pytest.mark.parametrize(
    ("text", "obstacle"),
    [
        ("echo %PATH%", Obstacle.EXPANSION),
        ('echo "%PATH%"', Obstacle.EXPANSION),
        ("echo $env:PATH", Obstacle.EXPANSION),
        ("echo a^&b", Obstacle.ESCAPE),
        ("x a`n", Obstacle.SUBSTITUTION),
        ("x @list", Obstacle.EXPANSION),
        ("dir PROGRA~1", Obstacle.HOME),
        ("dir *.txt", Obstacle.PATTERN),
        ("x > y", Obstacle.REDIRECTION),
        ("a & b", Obstacle.BACKGROUND),
        ("x !y!", Obstacle.HISTORY),
        ('x "a\\"', Obstacle.ESCAPE),
        ('x a\\"b c"', Obstacle.ESCAPE),
        ('x "a""b"', Obstacle.QUOTE),
        ("x 'it''s'", Obstacle.QUOTE),
        ("x 'a", Obstacle.QUOTE),
        ("x\n y", Obstacle.CONTROL),
    ],
)
def test_what_one_of_the_three_reads_otherwise_is_named(text: str, obstacle: Obstacle) -> None:
    assert why(text) is obstacle


@pytest.mark.parametrize(
    "sign", ["\uff02", "\u02ba", "\u030e", "\u2033", "\u201d", "\u00a5", "\u2215"]
)
def test_a_sign_that_an_older_program_gets_as_another_is_not_literal(sign: str) -> None:
    """Best fit: https://learn.microsoft.com/windows/win32/api/stringapiset/
    nf-stringapiset-widechartomultibyte (WC_NO_BEST_FIT_CHARS)."""
    assert why(f'findstr x "a{sign}b"') is Obstacle.LOOKALIKE
    assert why(f"findstr x a{sign}b") is Obstacle.LOOKALIKE


@pytest.mark.parametrize("name", ["报告.txt", "Übersicht.txt", "отчёт.txt", "รายงานที่.txt"])
def test_names_in_other_scripts_are_literal(name: str) -> None:
    assert words(f"findstr x {name}") == ("findstr", "x", name)


@given(LINE)
def test_every_text_is_literal_or_has_a_reason(text: str) -> None:
    read = WINDOWS.read(text)
    assert isinstance(read, Literal | NotLiteral)
    if isinstance(read, Literal):
        for argv in read.commands:
            assert words_of(command_line(("C:\\x.exe", *argv)))[1:] == list(argv)


@given(st.text(st.sampled_from('ab \\"/:.-=,+张'), max_size=20))
def test_a_program_would_cut_the_text_into_the_same_words(text: str) -> None:
    """What cmd hands over is the text itself."""
    read = WINDOWS.read(f"x {text}")
    if isinstance(read, Literal):
        [argv] = read.commands
        assert words_of(f"x {text}") == list(argv)


@given(LINE)
def test_what_names_places_is_total(text: str) -> None:
    argv = ("findstr", *text.split(" "))
    for word in (*argv, *WINDOWS.paths(argv)):
        WINDOWS.far(word)
        is_odd(word)
    assert WINDOWS.level(argv) in Level


@pytest.mark.parametrize(
    "line",
    [
        "hostname",
        "HOSTNAME.EXE",
        "whoami",
        "whoami /groups",
        "where git",
        "where /q git.exe",
        "findstr /n /i hello a.txt",
        "findstr /ni hello",
        'findstr /c:"two words" a.txt',
        "fc /b a.bin b.bin",
        "sort /r a.txt",
        "tasklist /svc",
        "ipconfig /all",
        "git --version",
    ],
)
def test_what_only_looks(line: str) -> None:
    assert WINDOWS.level(words(line)) is Level.LOOKS


@pytest.mark.parametrize(
    "argv",
    [
        ("findstr", "/s", "x", "a"),
        ("findstr", "/g:words.txt", "a"),
        ("findstr", "/f:list.txt", "x"),
        ("findstr", "/d:C:\\", "x", "a"),
        ("findstr", "-g:words.txt", "a"),
        ("findstr", "/c:", "a"),
        ("findstr", "/", "a"),
        ("sort", "/o", "out.txt", "in.txt"),
        ("sort", "/o:out.txt"),
        ("sort", "/t", "C:\\x"),
        ("sort", "a", "b"),
        ("sort", "-r", "a"),
        ("where", "/r", "C:\\", "x"),
        ("where", "$PATH:x"),
        ("where", "C:\\x:y"),
        ("where", "..\\x"),
        ("tasklist", "/s", "other"),
        ("ipconfig", "/release"),
        ("whoami", "x"),
        ("hostname", "x"),
        ("fc", "a", "b", "c"),
        ("certutil", "-hashfile", "a"),
        ("find", "x", "a"),
        ("ls",),
        ("cat", "a.txt"),
        ("cmd", "/c", "dir"),
        ("powershell", "-c", "x"),
        ("C:\\Windows\\System32\\findstr.exe", "x", "a"),
        (".\\findstr", "x", "a"),
        ("git", "-c", "a=b", "log"),
    ],
)
def test_what_nobody_looked_at_can_do_anything(argv: tuple[str, ...]) -> None:
    assert WINDOWS.level(argv) is Level.OTHER


def test_git_that_reads_obeys_its_project() -> None:
    assert WINDOWS.level(("git", "log", "--oneline")) is Level.LOOKS_DEEP


@pytest.mark.parametrize(
    "name", ["dir", "DEL", "copy", "echo", "type", "start", "cd", "exit", "set"]
)
def test_what_only_a_shell_can_do(name: str) -> None:
    assert WINDOWS.needs_shell((name, "x"))


@pytest.mark.parametrize("name", ["findstr", "git", "python", "sort", "timeout"])
def test_programs_are_none_of_these(name: str) -> None:
    assert not WINDOWS.needs_shell((name,))


@pytest.mark.parametrize(
    "word",
    [
        r"\\server\share\x",
        "//server/share",
        r"\/server\share",
        r"\\?\C:\x",
        r"\\.\PhysicalDrive0",
        r"\\?\UNC\server\x",
        r"\??\UNC\server\x",
        r"/g:\\server\x",
        r"--file=\\server\x",
        r"a,\\server\x",
        "file://server/share",
    ],
)
def test_a_path_that_must_not_even_be_looked_for(word: str) -> None:
    """[MS-NLMP]: whoever answers at that name is sent a proof of the password.
    https://learn.microsoft.com/openspecs/windows_protocols/ms-nlmp/"""
    assert WINDOWS.far(word)
    assert not POSIX.far(word)


@pytest.mark.parametrize(
    "word",
    [
        "a.txt",
        r"docs\a.txt",
        r"C:\Users\a",
        r"C:\\Users\\a",
        "C:/Users/a",
        r"docs\\a.txt",
        "https://example.org/a",
        "http://a//b",
        "console.log",
        "con",
        "com.txt",
        "/n",
        "--x=y",
        "",
        "a//b",
    ],
)
def test_a_path_on_this_computer_is_near(word: str) -> None:
    assert not WINDOWS.far(word)


@pytest.mark.parametrize(
    "word",
    [
        "a.txt:stream",
        "C:a.txt",
        "a.txt.",
        "a.txt ",
        r"docs.\a",
        "PROGRA~1",
        r"a\b~2.txt",
        "a|b",
        "*.txt",
        "con",
        "NUL",
        r"docs\aux.txt",
        "COM1",
        "lpt9.log",
        "conin$",
    ],
)
def test_a_spelling_that_may_mean_another_path(word: str) -> None:
    """https://learn.microsoft.com/windows/win32/fileio/naming-a-file"""
    assert is_odd(word)


@pytest.mark.parametrize("word", ["a.txt", r"C:\a", "C:", r"..\a", ".", "a b", "", r"C:/x\y"])
def test_a_plain_spelling(word: str) -> None:
    assert not is_odd(word)


def test_options_that_are_known_are_no_paths_and_others_may_be() -> None:
    assert list(WINDOWS.paths(("findstr", "/n", "/c:x", "a", "b"))) == ["a", "b"]
    assert list(WINDOWS.paths(("x", "/n", "/f:C:\\a"))) == ["/n", "/f:C:\\a", "C:\\a"]
