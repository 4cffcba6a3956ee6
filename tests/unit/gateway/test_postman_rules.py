"""When the postman sends what: decided from times alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.core.errors import (
    ChannelAuthFailed,
    ChannelError,
    ChannelRateLimited,
    ChannelRefused,
)
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.gateway.mail_items import OutboxHead
from moltbot_desktop.gateway.mail_texts import lost_notice
from moltbot_desktop.gateway.postman import (
    GIVEN_UP_AFTER,
    GONE_AFTER,
    LONGEST_PAUSE,
    LONGEST_SLEEP,
    LONGEST_WAIT,
    MOST_AT_ONCE,
    MOST_BUGS,
    LostMessage,
    chosen,
    next_try,
)

NOW = 1_000_000.0
DOWN = ChannelError("no network")


def head(number: int, wait: float = 0.0, age: float = 0.0) -> OutboxHead:
    return OutboxHead(number, f"t{number}", "pipe", "default", NOW - age, NOW + wait)


def there(_: OutboxHead) -> bool:
    return True


def away(_: OutboxHead) -> bool:
    return False


def test_what_is_due_goes_and_the_rest_is_waited_for():
    choice = chosen([head(1), head(2, wait=7), head(3, wait=-1)], NOW, (), there)
    assert [one.id for one in choice.now] == [1, 3]
    assert choice.wait == 7


def test_a_target_that_is_being_sent_to_is_left_alone():
    assert chosen([head(1)], NOW, {"t1"}, there).now == ()


def test_no_more_than_so_many_are_sent_at_once():
    busy = {f"b{number}" for number in range(5)}
    choice = chosen([head(number) for number in range(100)], NOW, busy, there)
    assert [one.id for one in choice.now] == list(range(MOST_AT_ONCE - 5))


def test_a_channel_that_is_away_keeps_its_messages_for_two_weeks():
    kept, gone = head(1, age=GONE_AFTER - 1), head(2, age=GONE_AFTER + 1)
    choice = chosen([kept, gone], NOW, (), away)
    assert choice.now == (gone,)
    assert choice.wait == LONGEST_SLEEP


def test_a_clock_that_was_set_back_holds_nothing_up():
    assert chosen([head(1, wait=LONGEST_PAUSE * 3)], NOW, (), there).now


def test_waits_grow_up_to_two_minutes():
    waits = [next_try(attempts, 0, DOWN, 1.0) for attempts in range(10)]
    assert waits == [1, 2, 4, 8, 16, 32, 64, LONGEST_WAIT, LONGEST_WAIT, LONGEST_WAIT]
    assert next_try(3, 0, DOWN, 0.0) == 4


def test_a_refusal_is_final_and_an_outage_is_waited_out_for_a_day():
    assert next_try(0, 0, ChannelRefused("too long"), 0.5) is None
    assert next_try(500, GIVEN_UP_AFTER - 1, DOWN, 0.5) is not None
    assert next_try(500, GIVEN_UP_AFTER + 1, DOWN, 0.5) is None


def test_a_token_that_is_not_taken_costs_no_message():
    refused = ChannelAuthFailed("unauthorised")
    assert next_try(3, GIVEN_UP_AFTER - 1, refused, 0.5) is not None


def test_a_message_that_breaks_the_channel_holds_up_the_others_for_five_tries():
    tries = [next_try(attempts, 0, None, 0.5) for attempts in range(MOST_BUGS)]
    assert None not in tries[:-1]
    assert tries[-1] is None


def test_a_pause_that_the_platform_asks_for_is_kept():
    assert next_try(0, 0, ChannelRateLimited("slow", retry_after=300), 0.5) == 300
    assert next_try(0, 0, ChannelRateLimited("slow", retry_after=1e9), 0.5) == LONGEST_PAUSE
    assert next_try(3, 0, ChannelRateLimited("slow", retry_after=0.1), 1.0) == 8


@given(
    st.integers(0, 10**6),
    st.floats(0, GIVEN_UP_AFTER),
    st.floats(0, 1),
    st.sampled_from([DOWN, ChannelRateLimited("slow", retry_after=9)]),
)
def test_a_next_try_is_never_at_once_nor_beyond_what_is_taken_for_a_wait(
    attempts, age, jitter, problem
):
    wait = next_try(attempts, age, problem, jitter)
    assert wait is not None
    assert 0.5 <= wait <= LONGEST_WAIT
    assert chosen([head(1, wait=wait)], NOW, (), there).now == ()


@pytest.mark.parametrize("language", Language)
def test_the_owner_is_told_what_was_lost_and_why(language):
    notice = lost_notice(LostMessage("telegram", "the  answer\n" + "x" * 200, "blocked"), language)
    assert "telegram" in notice.text
    assert "the answer x" in notice.text
    assert len(notice.text) < 200
    assert (notice.hint, notice.serious) == ("blocked", True)
    assert "telegram" in lost_notice(LostMessage("telegram", "", "damaged"), language).text
