"""What the suite of channels counts, and when it says that a person is told what to do."""

from __future__ import annotations

from tests.fakes.channel_page import says_what_to_do
from tests.fakes.channel_tally import Tally, tally


def test_each_message_is_counted_where_its_answer_first_came() -> None:
    texts = ["m0. m1.", "m3.", "m2.", "m3.", "m30 is no number of ours", "m4."]
    found = tally(texts, said=6)
    assert found == Tally(6, answered=5, doubled=1, reordered=1, first=((3, 2),))
    assert found.lost == 1
    assert tally(["m0.", "m1."], said=2) == Tally(2, 2, 0, 0)


def test_what_is_wrong_alone_is_not_what_to_do() -> None:
    assert says_what_to_do("The token is not taken. Get another one from @BotFather.")
    assert not says_what_to_do("127.0.0.1 does not let anybody in.")
