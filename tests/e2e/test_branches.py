"""A message is said in other words, its answer asked for again, and every version found again: by
keys alone, in the window as it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.desktop.driver import been_here, wait_until
from tests.e2e.desktop.person import MISSING, PATIENCE_SECONDS, Person, a_person

pytestmark = [
    pytest.mark.xvfb,
    pytest.mark.timeout(300),
    pytest.mark.skipif(bool(MISSING), reason=f"needs {MISSING}"),
]
DOWN_TO_EDIT = ("Down", "Down")
"""From “Copy” over “Quote”; the menu stands on its first line."""
UP_TO_AGAIN = ("Up",)
"""Around, to the last line."""
FIRST, OTHER = "What is 6 times 7?", "What is 9 times 9?"


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    """Somebody who knows the window: it opens with the chat."""
    with a_person(tmp_path, "branches") as person:
        been_here(person.driver.home)
        yield person


def shown(person: Person) -> str:
    """The conversation, as text."""
    return person.reads("Copy answer")


def until(person: Person, *there: str, gone: str) -> None:
    """Wait until the conversation has these words and not those."""
    wait_until(
        lambda: all(one in (text := shown(person)) for one in there) and gone not in text,
        f"{there} without {gone!r}",
        PATIENCE_SECONDS,
    )


def test_edit_and_branch_by_keys(person: Person) -> None:
    keys, driver = person.driver.press, person.driver
    with person.step("asks two things"):
        driver.start()
        person.is_on("Message")
        person.says(FIRST, "= 42")
        person.says("What is 2 times 3?", "= 6")
    with person.step("goes to the first message"):
        keys("ctrl+Up")
        person.is_on("Conversation")
        keys("Home")
    with person.step("edits it"):
        keys("Return", *DOWN_TO_EDIT, "Return")
        person.is_on("Message")
        person.sees("You are saying an earlier message in other words.")
        keys("ctrl+a")
        driver.say(OTHER)
        until(person, OTHER, "= 81", "2/2", gone="= 42")
        assert "= 6" not in shown(person)
    with person.step("turns back to what was said first"):
        keys("ctrl+Up", "Home", "Left")
        until(person, FIRST, "= 42", "= 6", "1/2", gone="= 81")
    with person.step("goes on there"):
        keys("Escape")
        person.is_on("Message")
        person.says("What is 5 times 5?", "= 25")
    with person.step("has the last answer given again"):
        keys("ctrl+Up")
        person.is_on("Conversation")
        keys("Return", *UP_TO_AGAIN, "Return")
        until(person, "= 25", "2/2", gone="= 81")
    with person.step("starts it again: the branch is the one that was chosen"):
        keys("ctrl+q")
        wait_until(lambda: not driver.running, "the end", PATIENCE_SECONDS)
        driver.start()
        until(person, FIRST, "= 42", "= 6", "= 25", "1/2", "2/2", gone="= 81")
    with person.step("ends it"):
        assert driver.quit() == 0
        assert "Traceback" not in driver.printed
