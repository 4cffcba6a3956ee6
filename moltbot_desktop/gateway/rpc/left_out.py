"""Methods of the reference that are not here on purpose: the reason is the answer.

A program that was written for the reference learns what to do instead of "there is no method".
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_NO_CARDS = "Cards are answered at the window alone: a program could say yes to itself."
_NO_SETTINGS = (
    "No program changes the settings, every permission comes from them; "
    "`moltbot-desktop config set` does."
)
_NO_SKILLS = (
    "No program gives the assistant skills; `moltbot-desktop skills install` does, and asks, also "
    "where a newer one takes the place of one that is there."
)
_NO_SWITCHES = (
    "Whether a skill is on, its key and its variables are its owner's to say: in moltbot.json "
    "(skills.entries) or in the settings window."
)
_NO_DEVICES = "There is no network and no other device here; this socket is the only door."
_NO_WORDS = "Nobody puts words into the assistant's mouth; `system-event` leaves a notice for it."
_REASONS: Mapping[str, str] = MappingProxyType(
    {
        "config.set": _NO_SETTINGS,
        "config.patch": _NO_SETTINGS,
        "config.apply": _NO_SETTINGS,
        "chat.inject": _NO_WORDS,
        "exec.approval.": _NO_CARDS,
        "exec.approvals.": _NO_CARDS,
        "device.": _NO_DEVICES,
        "node.": _NO_DEVICES,
        "system-presence": _NO_DEVICES,
        "web.login.": "A channel's account is set up in moltbot.json.",
        "channels.logout": "A channel's account is taken out of moltbot.json.",
        "set-heartbeats": _NO_SETTINGS,
        "skills.bins": _NO_DEVICES,
        "skills.install": _NO_SKILLS,
        "skills.update": _NO_SWITCHES,
        "update.run": "It is updated the way it was installed.",
        "wizard.": "There is nothing to be set up before the first question.",
    }
)
"""Name, or the beginning of a name up to a dot -> why."""


def why_left_out(method: str) -> str:
    """The reason; "" for a name that nobody knows."""
    groups = (why for name, why in _REASONS.items() if name[-1] == "." and method.startswith(name))
    return _REASONS.get(method) or next(groups, "")
