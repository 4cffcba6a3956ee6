"""Stop sequences in pieces, whom a request means, and the places for it."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.agent.bootstrap import Audience, audience_of
from moltbot_desktop.core.errors import (
    ContextOverflow,
    ModelError,
    ModelMissing,
    PolicyDenied,
    UserInputInvalid,
)
from moltbot_desktop.core.ids import AgentId
from moltbot_desktop.gateway.http.openai_aims import AgentAim, LocalAim, aim_of, session_of
from moltbot_desktop.gateway.http.openai_errors import ApiRefusal, of_error
from moltbot_desktop.gateway.http.places import Places
from moltbot_desktop.gateway.http.stops import StopCutter
from moltbot_desktop.sessions.keys import agent_of

MAIN = AgentId("main")


@given(
    st.lists(st.text("abc", min_size=1, max_size=4), max_size=3),
    st.lists(st.text("abc", max_size=4), max_size=8),
)
def test_a_cutter_gives_what_stands_before_the_first_stop(
    stops: list[str], pieces: list[str]
) -> None:
    whole, cutter, given_out = "".join(pieces), StopCutter(stops), ""
    for piece in pieces:
        given_out += cutter.feed(piece)
        assert whole.startswith(given_out)
    found = [at for stop in stops if (at := whole.find(stop)) >= 0]
    given_out += cutter.rest()
    assert cutter.stopped == bool(found)
    # In pieces, a stop that ends sooner is seen before one that begins sooner and ends later.
    assert given_out == whole if not found else len(given_out) >= min(found)
    assert not any(stop in given_out for stop in stops)


def test_a_cutter_holds_back_no_more_than_may_be_a_stop() -> None:
    cutter = StopCutter(["END"])
    assert cutter.feed("one E") == "one "
    assert cutter.feed("N") == ""
    assert cutter.feed("d E") == "ENd "
    assert cutter.feed("ND two") == "" and cutter.stopped


@pytest.mark.parametrize(
    ("model", "headers", "aim"),
    [
        ("moltbot", {}, AgentAim(AgentId(""))),
        (" Clawdbot ", {}, AgentAim(AgentId(""))),
        ("moltbot", {"x-moltbot-agent-id": "My Agent"}, AgentAim(AgentId("my-agent"))),
        ("moltbot:work", {"x-moltbot-agent-id": "other"}, AgentAim(AgentId("work"))),
        ("local", {}, LocalAim("")),
        ("local/Qwen3-4B", {}, LocalAim("Qwen3-4B")),
        ("qwen3-4b", {}, LocalAim("qwen3-4b")),
        ("moltbot:", {}, LocalAim("moltbot:")),
        ("moltbot:a/b", {}, LocalAim("moltbot:a/b")),
    ],
)
def test_whom_a_model_means(model: str, headers: dict[str, str], aim: AgentAim | LocalAim) -> None:
    assert aim_of(model, headers) == aim


@given(st.text(min_size=1, max_size=100).filter(str.strip))
def test_no_user_can_name_a_conversation_of_the_owners(user: str) -> None:
    key = session_of(MAIN, user, {}, lambda: "id")
    assert agent_of(key) == "main" and key.startswith("agent:main:openai-user:")
    assert key.count(":") == 3 and audience_of(key) is Audience.OTHERS


@given(st.text(max_size=40), st.text(max_size=40))
def test_two_users_share_no_conversation(one: str, other: str) -> None:
    if one.strip() and other.strip() and one.strip() != other.strip():
        first, second = (session_of(MAIN, user, {}, lambda: "id") for user in (one, other))
        assert first != second


@given(st.text(max_size=60))
def test_a_header_names_a_programs_conversation_or_is_refused(named: str) -> None:
    try:
        key = session_of(MAIN, "", {"x-moltbot-session-key": named}, lambda: "id")
    except ApiRefusal as refused:
        assert refused.status == 403
    else:
        assert audience_of(key) is Audience.OTHERS and ":openai" in key


def test_a_place_is_free_again_whatever_came_of_it() -> None:
    places = Places(1)
    for _ in range(2):
        with contextlib.suppress(ValueError), places.one():
            with pytest.raises(ApiRefusal) as refused, places.one():
                pass
            assert (refused.value.status, refused.value.wait > 0) == (429, True)
            raise ValueError


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (ContextOverflow("x"), 400),
        (UserInputInvalid("x"), 400),
        (PolicyDenied("x"), 403),
        (ModelMissing("x"), 404),
        (ModelError("x"), 500),
    ],
)
def test_a_failure_has_a_status(error: ModelError, status: int) -> None:
    assert of_error(error).status == status
