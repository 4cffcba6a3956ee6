"""Where a run came from is told by its conversation, and by the channel that was noted."""

from __future__ import annotations

import pytest

from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.sdk.activity import Origin
from moltbot_desktop.sessions.run_rows import moment, origin_of


@pytest.mark.parametrize(
    ("key", "channel", "origin"),
    [
        ("agent:main:main", "desktop", Origin.OWNER),
        ("agent:main:main", "", Origin.OWNER),
        ("agent:main:main", "telegram", Origin.CHANNEL),
        ("agent:main:cli", "desktop", Origin.SCRIPT),
        ("agent:work:telegram:dm:42", "telegram", Origin.CHANNEL),
        ("agent:work:slack:channel:c1", "", Origin.CHANNEL),
        ("agent:main:cron:job-1", "", Origin.SCHEDULE),
        ("agent:main:hook:x", "", Origin.HOOK),
        ("agent:main:subagent:1", "", Origin.HELPER),
        ("agent:main:acp:1", "", Origin.EDITOR),
        ("agent:main:import:1", "desktop", Origin.OTHER),
        ("", "desktop", Origin.OTHER),
        ("nonsense", "", Origin.OTHER),
    ],
)
def test_origin(key: str, channel: str, origin: Origin) -> None:
    assert origin_of(SessionKey(key), channel) is origin


def test_a_time_is_a_moment_only_with_its_zone() -> None:
    assert moment("1970-01-01T00:00:01+00:00") == 1000
    assert [moment(text) for text in ("", "soon", "2026-01-05T12:00:00", "9999-99-99")] == [0] * 4
