"""The whole desktop program around an assistant that only answers "You said: ...".

Run by tests in a process of its own. Prints one line per thing that happens.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.core.ids import RunId
from moltbot_desktop.gateway.client import AssistantClient, GivenFile, ReminderDue
from moltbot_desktop.qt.agent_thread import Ready
from moltbot_desktop.qt.wishes import WINDOW
from moltbot_desktop.sdk.activity import RunsDesk
from moltbot_desktop.sdk.attachments import AttachedDesk
from moltbot_desktop.sdk.backup import BackupDesk
from moltbot_desktop.sdk.desktop import Injections
from moltbot_desktop.sdk.doctor import DoctorDesk
from moltbot_desktop.sdk.first_start import FirstStartDesk
from moltbot_desktop.sdk.forms import SettingsDesk
from moltbot_desktop.sdk.memory_desk import MemoryDesk
from moltbot_desktop.sdk.model_shelf import ModelDesk
from moltbot_desktop.sdk.past import ConversationsDesk
from moltbot_desktop.sdk.permits import PermitsDesk
from moltbot_desktop.sdk.planned import PlannedDesk
from moltbot_desktop.sdk.skills_desk import SkillsDesk
from moltbot_desktop.ui.application import run_desktop
from moltbot_desktop.ui.clipboard import WindowClipboard
from moltbot_desktop.ui.control import ScreenFace
from moltbot_desktop.ui.desktop_parts import DesktopParts
from moltbot_desktop.ui.entrance import Entrance
from moltbot_desktop.ui.habits import Habits, HabitsNow
from moltbot_desktop.ui.theme import ThemeChoice
from tests.fakes.activity_desk import FakeRunsDesk
from tests.fakes.assistant_client import FakeAssistantClient
from tests.fakes.backup_desk import FakeBackupDesk
from tests.fakes.conversations_desk import FakeConversationsDesk
from tests.fakes.doctor_desk import FakeDoctorDesk
from tests.fakes.first_start_desk import FakeFirstStartDesk
from tests.fakes.memory_desk import FakeMemoryDesk
from tests.fakes.model_desk import FakeModelDesk
from tests.fakes.permits_desk import FakePermitsDesk
from tests.fakes.planned_desk import FakePlannedDesk
from tests.fakes.settings_desk import FakeSettingsDesk
from tests.fakes.skills_desk import FakeSkillsDesk, lacking, line

RESOURCES = Path(__file__).parents[2] / "resources"


def told(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


class Echo(FakeAssistantClient):
    """Answers each message; "remind" makes a reminder fire, "crash" ends the assistant."""

    def __init__(self, loop: asyncio.AbstractEventLoop, crash: asyncio.Event) -> None:
        super().__init__()
        self._loop = loop
        self._crash = crash

    def send(self, text: str, files: Sequence[GivenFile] = ()) -> RunId:
        run_id = super().send(text, files)
        self._loop.call_soon_threadsafe(self._answer, run_id, text)
        return run_id

    def stop(self) -> None:
        told("stopped")
        self._loop.call_soon_threadsafe(super().stop)

    def _answer(self, run_id: RunId, text: str) -> None:
        told(f"heard {text}")
        self.start(run_id, text)
        if text == "remind":
            self.tell(ReminderDue(1, "call Anna", "2026-08-01 14:30", missed=False))
        elif text == "crash":
            self._crash.set()
        elif text != "wait":
            self.say(run_id, f"You said: **{text}**")
            self.end(run_id, f"You said: **{text}**")


async def assistant(ready: Ready, stopping: asyncio.Event) -> None:
    crash = asyncio.Event()
    client: AssistantClient = Echo(asyncio.get_running_loop(), crash)
    ready(client)
    told("ready")
    stop, broke = asyncio.create_task(stopping.wait()), asyncio.create_task(crash.wait())
    await asyncio.wait([stop, broke], return_when=asyncio.FIRST_COMPLETED)
    if crash.is_set():
        raise ValueError("asked to crash")
    broke.cancel()
    told("assistant ended")


@dataclass(frozen=True)
class FakeDesks:
    """Of every place one that a test needs no files for."""

    settings: SettingsDesk = field(default_factory=lambda: FakeSettingsDesk(spread=True))
    doctor: DoctorDesk = field(default_factory=FakeDoctorDesk)
    planned: PlannedDesk = field(default_factory=FakePlannedDesk)
    permits: PermitsDesk = field(default_factory=FakePermitsDesk)
    models: ModelDesk = field(default_factory=FakeModelDesk)
    memory: MemoryDesk = field(default_factory=FakeMemoryDesk)
    backup: BackupDesk = field(default_factory=FakeBackupDesk)
    first_start: FirstStartDesk = field(default_factory=FakeFirstStartDesk)
    conversations: ConversationsDesk = field(default_factory=FakeConversationsDesk)
    activity: RunsDesk = field(default_factory=FakeRunsDesk)
    skills: SkillsDesk = field(
        default_factory=lambda: FakeSkillsDesk(line("notes"), lacking("git-helper", "git"))
    )
    attached: AttachedDesk | None = None
    offline: bool = True


def main() -> int:
    home = Path(sys.argv[1])
    home.mkdir(parents=True, exist_ok=True)
    with closing(Entrance(home, RESOURCES, WINDOW)) as entrance:
        if (code := entrance.claim()) is not None:
            return code
        theme: ThemeChoice = "dark" if "dark" in sys.argv else "light"
        entrance.speak("zh" if "zh" in sys.argv else "en", theme)
        return run_desktop(desktop_parts(home, entrance), entrance)


def desktop_parts(home: Path, entrance: Entrance) -> DesktopParts:
    return DesktopParts(
        assistant,
        home,
        RESOURCES,
        SystemClock(),
        report=lambda error: told(f"report {error!r}"),
        desks=FakeDesks,
        face=ScreenFace(Injections(SystemClock())),
        clipboard=WindowClipboard(),
        habits=HabitsNow(
            Habits("Ctrl+Alt+Space" if "hotkey" in sys.argv else "", theme=entrance.theme)
        ),
        language=entrance.language,
        theme=entrance.theme,
    )


if __name__ == "__main__":
    raise SystemExit(main())
