"""Where the owner wrote last to an agent: what `target: "last"` of a heartbeat or a job means.

    place = last_place(store.settings(main_key), lambda name: config.raw["channels"][name])

That is read off the owner's own conversation, in which messages of a channel stand only where the
settings say that nobody else writes to the assistant (`session.dmScope: "main"`). What a job finds
may be private, so it goes to a person alone, never to a group, and only to one who is still let in
by their id: None otherwise, and the window tells it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.gateway.accepted import AcceptedRun
from moltbot_desktop.gateway.access import ANYBODY, access_rules
from moltbot_desktop.schedule.turns import Delivery
from moltbot_desktop.sdk.channels import DEFAULT_ACCOUNT, DESKTOP, PeerKind
from moltbot_desktop.sessions.settings import SessionSettings
from moltbot_desktop.sessions.store import SessionStore


def last_place(settings: SessionSettings, channel: Callable[[str], JsonObject]) -> Delivery | None:
    """Where answers to the owner go now, None for the window.

    Args:
        settings: of the owner's own conversation.
        channel: the settings of a channel as they are written.
    """
    name, account = settings.last_channel, settings.last_account_id or DEFAULT_ACCOUNT
    kind, _, peer = settings.last_to.partition(":")
    if name in ("", DESKTOP) or kind != PeerKind.DM or peer in ("", ANYBODY):
        return None
    rules = access_rules(channel(name), account, name=name)
    if rules.dm_policy == "disabled" or peer not in {*rules.allow_from, *rules.paired}:
        return None
    return Delivery(name, settings.last_to, account)


def at_the_desk(store: SessionStore, message: AcceptedRun) -> None:
    """A message of the owner's window or terminal: from now on that is where they wrote last.

    Raises:
        StorageError: it could not be noted.
    """
    key = message.session.key
    asked = message.route == DESKTOP and bool(message.text)
    if asked and store.settings(key).last_channel not in ("", DESKTOP):
        store.change_settings(
            key,
            lambda known: replace(
                known, last_channel=DESKTOP, last_to="", last_account_id="", last_thread_id=""
            ),
        )
