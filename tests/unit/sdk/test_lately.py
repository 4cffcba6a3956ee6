"""What a channel has seen with its own eyes, and for how long."""

from __future__ import annotations

from moltbot_desktop.sdk.channels import Quoted, Sender
from moltbot_desktop.sdk.lately import MOST, Lately

ADA = Sender("7", "Ada")


def test_what_was_seen_is_known_with_its_author() -> None:
    lately = Lately()
    lately.saw("1", "tea?", ADA)
    lately.wrote("2", "Gladly.")
    assert lately.answered("1") == Quoted("tea?", ADA)
    assert lately.answered("2") == Quoted("Gladly.", Sender(""), ours=True)
    assert lately.answered("3") is None and lately.answered("") is None


def test_what_was_changed_says_what_it_says_now_and_a_file_says_nothing() -> None:
    lately = Lately()
    lately.wrote("2", "Glad")
    lately.wrote("2", "Gladly.")
    lately.saw("4", " ", ADA)
    lately.saw("", "no id", ADA)
    told = lately.answered("2")
    assert told is not None and told.text == "Gladly."
    assert lately.answered("4") is None and lately.answered("") is None


def test_only_the_last_are_kept_and_of_each_the_beginning() -> None:
    lately = Lately()
    for number in range(MOST + 1):
        lately.saw(str(number), "x" * 5_000, ADA)
    lately.saw("1", "again", ADA)
    lately.saw("new", "y", ADA)
    assert lately.answered("0") is None and lately.answered("2") is None
    told, kept = lately.answered("3"), lately.answered("1")
    assert told is not None and len(told.text) == 1_000
    assert kept is not None and kept.text == "again"
