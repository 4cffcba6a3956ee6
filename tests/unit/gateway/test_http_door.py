"""Who may ask the local web server: this computer, by its own names, with the token."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.gateway.http.door import Knock, Refusal, refusal
from moltbot_desktop.gateway.http.guesses import MOST_WRONG, WITHIN_SECONDS, Guesses

TOKEN = "right-token"
RIGHT = f"Bearer {TOKEN}"


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
def test_whoever_has_the_token_and_asks_by_one_of_our_names_is_heard(name: str) -> None:
    assert refusal(Knock(f"{name}:80", "", RIGHT), 80, TOKEN, Guesses(), 0.0) is None
    assert (
        refusal(Knock(f"{name}:80", f"http://{name}:80", RIGHT), 80, TOKEN, Guesses(), 0.0) is None
    )


@pytest.mark.parametrize(
    "knock",
    [
        Knock("evil.example:80", "", RIGHT),  # a name that was made to lead here
        Knock("127.0.0.1", "", RIGHT),
        Knock("127.0.0.1:81", "", RIGHT),
        Knock("", "", RIGHT),
        Knock("localhost:80", "https://evil.example", RIGHT),
        Knock("localhost:80", "null", RIGHT),
        Knock("localhost:80", "http://localhost:81", RIGHT),
        Knock("localhost:80", "https://localhost:80", RIGHT),
    ],
)
def test_a_page_of_somebody_else_is_not_heard_even_with_the_token(knock: Knock) -> None:
    assert refusal(knock, 80, TOKEN, Guesses(), 0.0) is Refusal.OTHER_HOST


@given(st.text(max_size=20))
def test_no_other_token_opens(given: str) -> None:
    for said in (given, f"Bearer {given}", f"Basic {given}", f"Bearer {TOKEN}{given or 'x'}"):
        if said.strip() != RIGHT and said.strip().lower() != RIGHT.lower():
            heard = refusal(Knock("localhost:80", "", said), 80, TOKEN, Guesses(), 0.0)
            assert heard is Refusal.NO_TOKEN or said.split(None, 1)[-1].strip() == TOKEN


def test_of_ten_thousand_guesses_ten_a_minute_are_looked_at() -> None:
    guesses = Guesses()
    minutes = 3
    answers = [
        refusal(Knock("localhost:80", "", f"Bearer {n}"), 80, TOKEN, guesses, n * 0.018)
        for n in range(10_000)  # within three minutes
    ]
    assert answers.count(Refusal.NO_TOKEN) == minutes * MOST_WRONG
    assert set(answers) == {Refusal.NO_TOKEN, Refusal.TOO_MANY}


def test_after_too_many_guesses_the_right_token_waits_and_is_then_heard() -> None:
    guesses = Guesses()
    for _ in range(MOST_WRONG):
        assert refusal(Knock("localhost:80", "", "Bearer x"), 80, TOKEN, guesses, 5.0)
    right = Knock("localhost:80", "", RIGHT)
    assert refusal(right, 80, TOKEN, guesses, 6.0) is Refusal.TOO_MANY
    assert guesses.rest(6.0) == WITHIN_SECONDS - 1
    assert refusal(right, 80, TOKEN, guesses, 5.0 + WITHIN_SECONDS) is None


def test_a_page_that_can_send_no_token_shuts_nobody_out() -> None:
    guesses = Guesses()
    for said in ("", "Bearer ", "Basic eHg6eQ==") * MOST_WRONG:
        assert refusal(Knock("localhost:80", "", said), 80, TOKEN, guesses, 0.0)
    assert refusal(Knock("localhost:80", "", RIGHT), 80, TOKEN, guesses, 0.0) is None
