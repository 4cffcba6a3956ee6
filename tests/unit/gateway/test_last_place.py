"""Where "last" is: a person who is let in by their id, else the window."""

from __future__ import annotations

import pytest

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.gateway.last_place import last_place
from moltbot_desktop.schedule.turns import Delivery
from moltbot_desktop.sessions.settings import SessionSettings

ADA = SessionSettings(last_channel="irc", last_to="dm:ada", last_account_id="home")
CLOSED: JsonObject = {"allowFrom": ["ada"]}


@pytest.mark.parametrize(
    ("settings", "channel", "place"),
    [
        (ADA, CLOSED, Delivery("irc", "dm:ada", "home")),
        (ADA, {"accounts": {"home": CLOSED}}, Delivery("irc", "dm:ada", "home")),
        (SessionSettings(), CLOSED, None),
        (SessionSettings(last_channel="desktop"), CLOSED, None),
        (SessionSettings(last_channel="irc", last_to="group:ada"), CLOSED, None),
        (ADA, {}, None),  # the channel was taken out of the settings
        (ADA, {"allowFrom": ["ben"]}, None),  # and the person let in no more
        (ADA, {"dmPolicy": "open", "allowFrom": ["*"]}, None),  # anybody is nobody in particular
        (ADA, {**CLOSED, "dmPolicy": "disabled"}, None),
        (SessionSettings(last_channel="irc", last_to="dm:*"), {"allowFrom": ["*"]}, None),
    ],
)
def test_only_a_person_who_is_let_in_by_name_is_a_place(
    settings: SessionSettings, channel: JsonObject, place: Delivery | None
) -> None:
    assert last_place(settings, lambda name: channel if name == "irc" else {}) == place
