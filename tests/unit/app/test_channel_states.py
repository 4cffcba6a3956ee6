"""What is said of a channel that is written down, whatever is written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.app.channel_states import ChannelStates
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.sdk.channels import ChannelLife, OutboundMessage

ENDS: JsonObject = {"in": "~/a", "out": "~/b"}


def states_of(settings: JsonObject) -> ChannelStates:
    return ChannelStates(lambda: settings, Language.ENGLISH, dict)


@pytest.mark.parametrize(
    ("channels", "rows"),
    [
        ({}, []),
        ({"defaults": {"dmPolicy": "open"}}, []),
        ({"pipe": {}}, []),
        ({"pipe": {"accounts": {"a": ENDS}}}, [("pipe", "a", True, True, "not open here")]),
        ({"pipe": {"accounts": {"a": {"in": "x"}}}}, [("pipe", "a", True, False, "two paths")]),
        (
            {"pipe": {"enabled": False, "accounts": {"a": ENDS}}},
            [("pipe", "a", False, True, "")],
        ),
        ({"telegram": {"botToken": "x"}}, [("telegram", "default", True, False, "no such")]),
    ],
)
def test_every_account_is_told(
    channels: JsonObject, rows: list[tuple[str, str, bool, bool, str]]
) -> None:
    found = states_of({"channels": channels})()
    for one, (channel, account, enabled, configured, says) in zip(found, rows, strict=True):
        told = (one.channel, one.account, one.enabled, one.configured, one.running)
        assert told == (channel, account, enabled, configured, False)
        assert (says in one.problem) if says else not one.problem


def test_a_policy_that_is_none_is_said_of_the_account() -> None:
    states = ChannelStates(lambda: SETTINGS, Language.ENGLISH, dict)
    states.running["pipe", "a"] = Standing()
    [row] = states()
    assert "dmPolicy is none of pairing" in row.problem and row.running


SETTINGS: JsonObject = {"channels": {"pipe": {"accounts": {"a": {**ENDS, "dmPolicy": "opne"}}}}}


class Standing:
    """An account that runs."""

    life = ChannelLife.ONLINE
    problem = ""

    async def stop(self) -> None: ...

    async def send(self, message: OutboundMessage, idempotency_key: str) -> str:
        raise NotImplementedError


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(["pipe", "accounts", "in", "out", "enabled", "a"]), inner, max_size=4
        )
    ),
    max_leaves=10,
)


@given(_VALUES)
def test_whatever_is_written_is_no_crash(channels: object) -> None:
    for one in states_of({"channels": channels})():  # type: ignore[dict-item]
        assert not one.running
