"""What is a literal command line, what it says, and why another one is none."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.security.commands.lexer import (
    MOST_CHARACTERS,
    Joint,
    Literal,
    NotLiteral,
    Obstacle,
    read_command,
)

EVERYDAY = Path(__file__).with_name("everyday.txt").read_text(encoding="utf-8").splitlines()


def words_of(text: str) -> list[list[tuple[str, ...]]]:
    read = read_command(text)
    assert isinstance(read, Literal), read
    return [list(step.pipeline) for step in read.steps]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ls", [[("ls",)]]),
        ("  ls   -la  ", [[("ls", "-la")]]),
        ("grep 'a b' \"c d\"e'f'", [[("grep", "a b", "c def")]]),
        ("echo '' x", [[("echo", "", "x")]]),
        ("echo '$HOME `x` *' \"~ * # ; |\"", [[("echo", "$HOME `x` *", "~ * # ; |")]]),
        ("a|b|c", [[("a",), ("b",), ("c",)]]),
        ("git diff HEAD~1 a#b x^ 50%", [[("git", "diff", "HEAD~1", "a#b", "x^", "50%")]]),
        ("ls;", [[("ls",)]]),
        ("dd if=a of=b", [[("dd", "if=a", "of=b")]]),
        ("cat 笔记.txt '，'", [[("cat", "笔记.txt", "，")]]),
    ],
)
def test_words_are_what_is_written(text: str, words: list[list[tuple[str, ...]]]) -> None:
    assert words_of(text) == words


def test_joints_say_when_a_step_runs() -> None:
    read = read_command("a && b || c ; d | e")
    assert isinstance(read, Literal)
    assert [step.joint for step in read.steps] == [Joint.ALWAYS, Joint.AND, Joint.OR, Joint.ALWAYS]
    assert read.commands == (("a",), ("b",), ("c",), ("d",), ("e",))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", Obstacle.EMPTY),
        ("   ", Obstacle.EMPTY),
        ("x" * (MOST_CHARACTERS + 1), Obstacle.LONG),
        ("ls\nrm x", Obstacle.CONTROL),
        ("ls\trm", Obstacle.CONTROL),
        ("ls \x00", Obstacle.CONTROL),
        ("echo 'a\rb'", Obstacle.CONTROL),
        ("echo a\u200bb", Obstacle.CONTROL),
        ("echo '\u202etxt.exe'", Obstacle.CONTROL),
        ("ls\u00a0-la", Obstacle.LOOKALIKE),
        ("echo a\u3000b", Obstacle.LOOKALIKE),
        ("ls \uff1b rm", Obstacle.LOOKALIKE),
        ("l\u0455", Obstacle.LOOKALIKE),
        ("ls $HOME", Obstacle.EXPANSION),
        ('ls "$(touch x)"', Obstacle.EXPANSION),
        ("ls $'a'", Obstacle.EXPANSION),
        ("ls `id`", Obstacle.SUBSTITUTION),
        ('ls "`id`"', Obstacle.SUBSTITUTION),
        ("ls *.txt", Obstacle.PATTERN),
        ("ls a?", Obstacle.PATTERN),
        ("ls [ab]", Obstacle.PATTERN),
        ("echo {a,b}", Obstacle.PATTERN),
        ("ls ~", Obstacle.HOME),
        ("ls ~root/x", Obstacle.HOME),
        ("dd of=~/x", Obstacle.HOME),
        ("echo a:~", Obstacle.HOME),
        ("ls > x", Obstacle.REDIRECTION),
        ("cat <x", Obstacle.REDIRECTION),
        ("cat <<E", Obstacle.REDIRECTION),
        ("diff <(a) <(b)", Obstacle.REDIRECTION),
        ("sleep 5 &", Obstacle.BACKGROUND),
        ("a & b", Obstacle.BACKGROUND),
        ("(ls)", Obstacle.GROUP),
        ("ls # and more", Obstacle.COMMENT),
        ("ls \\*", Obstacle.ESCAPE),
        ('echo "a\\nb"', Obstacle.ESCAPE),
        ("! ls", Obstacle.HISTORY),
        ('echo "hi!"', Obstacle.HISTORY),
        ("echo 'a", Obstacle.QUOTE),
        ('echo "a', Obstacle.QUOTE),
        ("PATH=. ls", Obstacle.ASSIGNMENT),
        ("A+=1 ls", Obstacle.ASSIGNMENT),
        ("if true", Obstacle.KEYWORD),
        ("time ls", Obstacle.KEYWORD),
        ("ls; while x", Obstacle.KEYWORD),
        ("'' a", Obstacle.KEYWORD),
        ("ls &&", Obstacle.JOINT),
        ("| ls", Obstacle.JOINT),
        ("a ;; b", Obstacle.JOINT),
        ("a |& b", Obstacle.JOINT),
        ("a | ; b", Obstacle.JOINT),
    ],
)
def test_what_a_shell_would_understand_otherwise_is_refused_by_name(
    text: str, why: Obstacle
) -> None:
    read = read_command(text)
    assert isinstance(read, NotLiteral)
    assert read.why is why
    assert 0 <= read.at <= len(text)


@settings(max_examples=300)
@given(st.text(alphabet="ab '\"|&;$`\\*?[]{}<>()#~=!\n\t\u00a0-笔/", max_size=40))
def test_any_text_has_an_answer(text: str) -> None:
    read = read_command(text)
    if isinstance(read, Literal):
        assert all(argv and argv[0] for argv in read.commands)


@settings(max_examples=200)
@given(st.lists(st.text(alphabet='abc $*~`;|&<>()#="笔', min_size=1, max_size=8), min_size=1))
def test_words_in_single_quotes_come_out_as_they_were(words: list[str]) -> None:
    text = "run " + " ".join(f"'{word}'" for word in words)
    assert words_of(text) == [[("run", *words)]]


def test_most_everyday_commands_are_literal() -> None:
    literal = [text for text in EVERYDAY if isinstance(read_command(text), Literal)]
    assert len(EVERYDAY) >= 280
    assert len(literal) / len(EVERYDAY) >= 0.93
