"""Words arrive in a Windows program as they were judged, by the rules it cuts its line with."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from moltbot_desktop.security.sandbox.windows.command_line import (
    MOST_CHARACTERS,
    CannotBeWritten,
    can_be_started,
    command_line,
    environment_block,
)
from tests.fakes.windows_words import variables_of, words_of

WORD = st.text(st.sampled_from("ab \t\"\\'&|<>^%张\N{GRINNING FACE}\ud800"), max_size=12)
NAME = st.text(st.sampled_from("aAbBÄä_(1"), min_size=1, max_size=4)


@given(st.lists(WORD, max_size=6))
@example(['a\\"b', "\\", "", "\\\\ ", '"', "a\\\\"])
def test_words_arrive_as_they_were(more: list[str]) -> None:
    words = ["C:\\Program Files\\x.exe", *more]
    assert words_of(command_line(words)) == words


def test_the_oracle_knows_the_documents_own_examples() -> None:
    """https://learn.microsoft.com/cpp/c-language/parsing-c-command-line-arguments"""
    examples = {
        r'"a b c" d e': ["a b c", "d", "e"],
        r'"ab\"c" "\\" d': ['ab"c', "\\", "d"],
        r'a\\\b d"e f"g h': [r"a\\\b", "de fg", "h"],
        r"a\\\"b c d": [r"a\"b", "c", "d"],
        r'a\\\\"b c" d e': [r"a\\b c", "d", "e"],
        r'a"b"" c d': ['ab" c d'],
    }
    for line, words in examples.items():
        assert words_of(f"x {line}")[1:] == words


def test_a_line_that_cannot_be_written_is_refused() -> None:
    for words in (['C:\\a"b.exe'], ["C:\\a.exe", "b\x00c"], ["C:\\a.exe", "x" * 32_768]):
        with pytest.raises(CannotBeWritten) as caught:
            command_line(words)
        assert caught.value.strerror


def test_the_longest_line_is_counted_in_units_of_utf_16() -> None:
    room = MOST_CHARACTERS - len('"C:\\a.exe" ')
    assert command_line(["C:\\a.exe", "x" * room])
    with pytest.raises(CannotBeWritten):
        command_line(["C:\\a.exe", "\N{GRINNING FACE}" * (room // 2 + 1)])


@pytest.mark.parametrize(
    ("program", "does"),
    [
        ("C:\\x\\git.exe", True),
        ("C:\\x\\CHCP.COM", True),
        ("C:\\x\\npm.cmd", False),
        ("C:\\x\\a.bat", False),
        ("C:\\x\\a.exe.", False),
        ("C:\\x\\a.exe ", False),
        ("C:\\x\\a.bat:b.exe", False),
        ("C:\\x.exe\\a", False),
        ("", False),
    ],
)
def test_only_what_windows_itself_loads_is_started(program: str, does: bool) -> None:
    """BatBadBut: https://learn.microsoft.com/windows/win32/api/processthreadsapi/
    nf-processthreadsapi-createprocessw starts cmd for a batch file, which reads words otherwise."""
    assert can_be_started(program) is does


@given(st.dictionaries(NAME, st.text(st.sampled_from("ab= 张;"), max_size=5), max_size=6))
def test_variables_arrive_sorted_and_the_later_of_two_that_differ_in_case_counts(
    variables: dict[str, str],
) -> None:
    found = variables_of(environment_block(variables))
    later = {name.upper(): value for name, value in variables.items()}
    assert {name.upper(): value for name, value in found.items()} == later


@pytest.mark.parametrize("variables", [{"": "x"}, {"a=b": "x"}, {"a": "x\x00y"}, {"a\x00": ""}])
def test_a_variable_that_would_be_read_as_another_is_refused(variables: dict[str, str]) -> None:
    with pytest.raises(CannotBeWritten):
        environment_block(variables)
