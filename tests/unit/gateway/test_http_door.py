"""Who may ask the local web server: this computer, by its own names, with the token."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.gateway.http.door import Knock, Refusal, refusal

TOKEN = "right-token"
RIGHT = f"Bearer {TOKEN}"


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
def test_whoever_has_the_token_and_asks_by_one_of_our_names_is_heard(name: str) -> None:
    assert refusal(Knock(f"{name}:80", "", RIGHT), 80, TOKEN) is None
    assert refusal(Knock(f"{name}:80", f"http://{name}:80", RIGHT), 80, TOKEN) is None


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
    assert refusal(knock, 80, TOKEN) is Refusal.OTHER_HOST


@given(st.text(max_size=20))
def test_no_other_token_opens(given: str) -> None:
    for said in (given, f"Bearer {given}", f"Basic {given}", f"Bearer {TOKEN}{given or 'x'}"):
        if said.strip() != RIGHT and said.strip().lower() != RIGHT.lower():
            heard = refusal(Knock("localhost:80", "", said), 80, TOKEN)
            assert heard is Refusal.NO_TOKEN or said.split(None, 1)[-1].strip() == TOKEN
