"""`moltbot-desktop network list|seal`: how the seal stands, and what left this computer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TextIO

from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.traffic import Passage
from moltbot_desktop.sdk.traffic_words import passage_words, seal_words

_PHRASES = Phrases(
    {
        "fetch_on": "Web pages: I may read them.",
        "fetch_off": "Web pages: off. moltbot-desktop config set tools.web.fetch.enabled true "
        "switches them on.",
        "search_on": "Web search: on.",
        "search_off": "Web search: off. moltbot-desktop config set tools.web.search.enabled true "
        "switches it on.",
        "none": "No passages in these {days} days.",
    },
    {
        "fetch_on": "网页：可以读。",
        "fetch_off": "网页：关。用 moltbot-desktop config set tools.web.fetch.enabled true 打开。",
        "search_on": "网上搜索：开。",
        "search_off": "网上搜索：关。用 moltbot-desktop config set tools.web.search.enabled true "
        "打开。",
        "none": "这 {days} 天没有任何往来。",
    },
)


@dataclass(frozen=True)
class NetworkState:
    """How things stand; `passages` of the last `days` days, today's first."""

    closed: bool
    sent_today: int
    fetch: bool
    search: bool
    days: int
    passages: Sequence[Passage]


def show_network(state: NetworkState, as_json: bool, language: Language, out: TextIO) -> int:
    """Print all of it."""
    if as_json:
        out.write(json.dumps(_as_json(state), ensure_ascii=False, indent=2) + "\n")
        return 0
    say = _PHRASES.say
    lines = [
        seal_words(closed=state.closed, sent=state.sent_today, language=language),
        say("fetch_on" if state.fetch else "fetch_off", language),
        say("search_on" if state.search else "search_off", language),
        *(passage_words(one, language) for one in state.passages),
    ]
    if not state.passages:
        lines.append(say("none", language, days=state.days))
    out.write("\n".join(lines) + "\n")
    return 0


def told_seal(closed: bool, sent_today: int, as_json: bool, language: Language, out: TextIO) -> int:
    """Print how the seal stands now."""
    if as_json:
        out.write(json.dumps({"sealed": closed}) + "\n")
    else:
        out.write(seal_words(closed=closed, sent=sent_today, language=language) + "\n")
    return 0


def _as_json(state: NetworkState) -> dict[str, object]:
    return {
        "sealed": state.closed,
        "sent_today": state.sent_today,
        "web_fetch": state.fetch,
        "web_search": state.search,
        "passages": [
            {
                "day": one.day.isoformat(),
                "host": one.host,
                "purpose": one.errand.purpose.value,
                "who": one.errand.who,
                "requests": one.requests,
                "sent": one.sent,
                "received": one.received,
            }
            for one in state.passages
        ],
    }
