"""`memory forget`: nothing goes that nobody chose, and conversations only after a yes."""

from __future__ import annotations

import io
import json
from collections.abc import Callable

import pytest

from moltbot_desktop.cli.memory_forget import Talk, run_forget
from moltbot_desktop.cli.parser import Arguments, parse
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.forgetting import Place
from tests.fakes.forgetting import FakeForgetting
from tests.fakes.memory import FakeMemory

NOTES = {"memory/a.md": "The garage is on Elm Street\nThe garage key is blue\nI like tea"}


@pytest.fixture
def memory() -> FakeMemory:
    return FakeMemory(NOTES)


@pytest.fixture
def forgetting(memory: FakeMemory) -> FakeForgetting:
    return FakeForgetting(memory)


Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(memory: FakeMemory, forgetting: FakeForgetting) -> Run:
    """Runs the command; `answers` are given to its questions, None where nobody is there."""

    def run(
        text: str = "garage",
        *,
        action: str = "forget",
        number: int = 0,
        as_json: bool = False,
        answers: list[str] | None = None,
        language: Language = Language.ENGLISH,
        conversations: bool = False,
        now: bool = False,
    ) -> tuple[int, str]:
        out = io.StringIO()
        arguments = Arguments(
            "memory",
            action,
            text,
            json=as_json,
            number=number,
            conversations=conversations,
            now=now,
        )
        given = iter(answers or ())
        ask = None if answers is None else lambda _: next(given, "")
        code = run_forget(memory, forgetting, arguments, Talk(language, out, ask))
        return code, out.getvalue()

    return run


def lines(memory: FakeMemory) -> list[str]:
    return memory.files["memory/a.md"]


def test_the_chosen_note_goes_and_says_so(memory: FakeMemory, run: Run) -> None:
    code, told = run(answers=["2\n"])
    assert code == 0
    assert lines(memory) == ["The garage is on Elm Street", "I like tea"]
    assert "1  The garage is on Elm Street\n   memory/a.md, line 1\n2  The garage key" in told
    assert "Forgotten: The garage key is blue\nIt is gone from memory/a.md" in told
    assert "unforget” brings it back" in told


@pytest.mark.parametrize("answer", ["", "\n", "0", "3", "-1", "yes", "②", "all"])
def test_no_choice_changes_nothing(memory: FakeMemory, run: Run, answer: str) -> None:
    code, told = run(answers=[answer])
    assert code == 1
    assert len(lines(memory)) == 3
    assert told.endswith("Nothing was changed.\n")


def test_without_anybody_to_ask_it_says_how(memory: FakeMemory, run: Run) -> None:
    code, told = run()
    assert (code, len(lines(memory))) == (1, 3)
    assert "--number N" in told


def test_a_number_needs_no_question(memory: FakeMemory, run: Run) -> None:
    code, told = run(number=1)
    assert (code, lines(memory)[0]) == (0, "The garage key is blue")
    assert told.startswith("Forgotten: The garage is on Elm Street")


def test_a_number_that_is_not_there_is_refused(memory: FakeMemory, run: Run) -> None:
    with pytest.raises(UserInputInvalid, match="2 notes"):
        run(number=3)
    assert len(lines(memory)) == 3


@pytest.mark.parametrize("text", ["zebra", "", "  "])
def test_nothing_found_is_told_in_the_persons_language(run: Run, text: str) -> None:
    code, told = run(text, language=Language.CHINESE)
    assert code == 1
    assert "没有找到" in told


def test_json_lists_first_and_then_tells_what_went(run: Run) -> None:
    code, told = run(as_json=True)
    answer = json.loads(told)
    assert (code, answer["forgotten"], len(answer["results"])) == (1, None, 2)
    code, told = run(as_json=True, number=2)
    facts = json.loads(told)["forgotten"]
    assert (code, facts["line"], facts["lines"]) == (0, 2, "The garage key is blue")


KEY = "The garage key is blue"


@pytest.mark.parametrize("answer", ["", "n", "no", "2"])
def test_conversations_keep_the_words_until_there_is_a_yes(
    forgetting: FakeForgetting, run: Run, answer: str
) -> None:
    forgetting.said = {KEY: [("s2", "2026-11-20", 3), ("s1", "2026-11-18", 1)]}
    code, told = run(answers=["2", answer])
    assert code == 0
    assert "conversations of 2026-11-20 (3 places), 2026-11-18 (1 place)." in told
    assert f"memory forget --conversations “{KEY}”" in told
    assert forgetting.blotted == []


def test_after_a_yes_the_words_go_and_an_open_conversation_is_told(
    forgetting: FakeForgetting, run: Run
) -> None:
    forgetting.said = {KEY: [("s2", "2026-11-20", 3), ("s1", "2026-11-18", 1)]}
    forgetting.busy = {"s1"}
    _, told = run(answers=["2", "y\n"])
    assert forgetting.blotted == [("s2", KEY)]
    assert "Taken out of the conversations of 2026-11-20 (3 places)." in told
    assert "Not taken out of the conversation of 2026-11-18: It is open elsewhere." in told
    assert f"/erase {KEY} takes them out." in told


def test_words_without_a_note_can_be_taken_out_too(forgetting: FakeForgetting, run: Run) -> None:
    forgetting.said = {"zebra": [("s1", "", 1)]}
    code, told = run("zebra", conversations=True, language=Language.CHINESE)
    assert (code, forgetting.blotted) == (0, [("s1", "zebra")])
    assert "日期不明（1 处）" in told
    code, told = run("unicorn", conversations=True)
    assert (code, "Nothing was changed" in told) == (1, True)


def test_other_places_are_told_and_go_with_the_conversations(
    forgetting: FakeForgetting, run: Run
) -> None:
    forgetting.others = {KEY: ((Place.MAIL, 2), (Place.JOBS, 1))}
    code, told = run(answers=["2", "n"])
    where = "messages of channels (2), scheduled jobs and their notices (1)."
    assert (code, f"Also in {where}" in told, "Taken out" in told) == (0, True, False)
    assert f"memory forget --conversations “{KEY}”" in told
    forgetting.others["zebra"] = forgetting.others.pop(KEY)
    code, told = run("zebra", conversations=True, language=Language.CHINESE)
    assert code == 0
    assert "已从渠道的消息（2）、定时任务及其通知（1）里抹掉。" in told
    assert forgetting.others == {}


def test_json_tells_of_each_conversation(forgetting: FakeForgetting, run: Run) -> None:
    forgetting.said = {KEY: [("s1", "2026-11-18", 1)]}
    _, told = run(as_json=True, number=2)
    (one,) = json.loads(told)["conversations"]
    assert json.loads(told)["elsewhere"] == {
        "places": {}, "takenOut": False, "problems": [], "files": [],
    }  # fmt: skip
    assert one == {
        "session": "s1", "day": "2026-11-18", "places": 1, "takenOut": False, "problem": "",
    }  # fmt: skip
    _, told = run(KEY, as_json=True, conversations=True)
    assert json.loads(told)["results"]  # a note about a garage is left, and none was chosen
    assert forgetting.blotted == []


def test_the_last_note_comes_back(memory: FakeMemory, run: Run) -> None:
    run(number=2)
    code, told = run(action="unforget")
    assert (code, told) == (0, "It is back: memory/a.md, line 2.\n")
    assert lines(memory)[1] == KEY
    with pytest.raises(UserInputInvalid):
        run(action="unforget")


def test_now_means_without_a_way_back(run: Run) -> None:
    _, told = run(number=2, now=True)
    assert "unforget" not in told
    with pytest.raises(UserInputInvalid):
        run(action="unforget")


def test_the_command_line_knows_it() -> None:
    arguments = parse(["memory", "forget", "garage", "--number", "2", "--json", "--now"])
    assert (arguments.action, arguments.text, arguments.number, arguments.json, arguments.now) == (
        "forget", "garage", 2, True, True,
    )  # fmt: skip
    assert parse(["memory", "forget", "x", "--conversations"]).conversations
    assert parse(["memory", "unforget", "--json"]).action == "unforget"
