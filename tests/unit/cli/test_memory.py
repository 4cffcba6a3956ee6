"""`memory forget`: nothing goes that nobody chose."""

from __future__ import annotations

import io
import json

import pytest

from moltbot_desktop.cli.memory import forget
from moltbot_desktop.cli.parser import Arguments, parse
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language
from tests.fakes.memory import FakeMemory

NOTES = {"memory/a.md": "The garage is on Elm Street\nThe garage key is blue\nI like tea"}


@pytest.fixture
def memory() -> FakeMemory:
    return FakeMemory(NOTES)


def run(
    memory: FakeMemory,
    *,
    text: str = "garage",
    number: int = 0,
    as_json: bool = False,
    answer: str | None = None,
    language: Language = Language.ENGLISH,
) -> tuple[int, str]:
    out = io.StringIO()
    arguments = Arguments("memory", "forget", text, json=as_json, number=number)
    ask = None if answer is None else lambda _: answer
    return forget(memory, arguments, language, out, ask), out.getvalue()


def lines(memory: FakeMemory) -> list[str]:
    return memory.files["memory/a.md"]


def test_the_chosen_note_goes_and_says_so(memory: FakeMemory) -> None:
    code, told = run(memory, answer="2\n")
    assert code == 0
    assert lines(memory) == ["The garage is on Elm Street", "I like tea"]
    assert "1  The garage is on Elm Street\n   memory/a.md, line 1\n2  The garage key" in told
    assert "Forgotten: The garage key is blue\nIt is gone from memory/a.md" in told


@pytest.mark.parametrize("answer", ["", "\n", "0", "3", "-1", "yes", "②", "all"])
def test_no_choice_changes_nothing(memory: FakeMemory, answer: str) -> None:
    code, told = run(memory, answer=answer)
    assert code == 1
    assert len(lines(memory)) == 3
    assert told.endswith("Nothing was changed.\n")


def test_without_anybody_to_ask_it_says_how(memory: FakeMemory) -> None:
    code, told = run(memory)
    assert (code, len(lines(memory))) == (1, 3)
    assert "--number N" in told


def test_a_number_needs_no_question(memory: FakeMemory) -> None:
    code, told = run(memory, number=1)
    assert (code, lines(memory)[0]) == (0, "The garage key is blue")
    assert told.startswith("Forgotten: The garage is on Elm Street")


def test_a_number_that_is_not_there_is_refused(memory: FakeMemory) -> None:
    with pytest.raises(UserInputInvalid, match="2 notes"):
        run(memory, number=3)
    assert len(lines(memory)) == 3


@pytest.mark.parametrize("text", ["zebra", "", "  "])
def test_nothing_found_is_told_in_the_persons_language(memory: FakeMemory, text: str) -> None:
    code, told = run(memory, text=text, language=Language.CHINESE)
    assert code == 1
    assert "没有找到" in told


def test_json_lists_first_and_then_tells_what_went(memory: FakeMemory) -> None:
    code, told = run(memory, as_json=True)
    answer = json.loads(told)
    assert (code, answer["forgotten"], len(answer["results"])) == (1, None, 2)
    code, told = run(memory, as_json=True, number=2)
    facts = json.loads(told)["forgotten"]
    assert (code, facts["line"], facts["lines"]) == (0, 2, "The garage key is blue")


def test_the_command_line_knows_it() -> None:
    arguments = parse(["memory", "forget", "garage", "--number", "2", "--json"])
    assert (arguments.action, arguments.text, arguments.number, arguments.json) == (
        "forget", "garage", 2, True,
    )  # fmt: skip
