"""The built-in tools' own specs, as a prompt offers them; none of them can be run from here."""

from __future__ import annotations

from datetime import UTC, datetime

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.tools.registry import ToolParts, core_tools
from tests.fakes.forgetting import FakeForgetting
from tests.fakes.memory import FakeMemory
from tests.fakes.reminders import FakeReminderBook

_CLOCK = ManualClock(datetime(2026, 11, 21, tzinfo=UTC))
_MEMORY = FakeMemory()
BUILT_IN = tuple(
    tool.spec
    for tool in core_tools(
        ToolParts(_MEMORY, FakeReminderBook(_CLOCK), _CLOCK, FakeForgetting(_MEMORY))
    )
)
