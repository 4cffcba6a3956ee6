"""What the composition root hands to the desktop: values and makers, nothing that draws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.qt.agent_thread import AssistantMain
from moltbot_desktop.qt.resting import Rest
from moltbot_desktop.ui.clipboard import WindowClipboard
from moltbot_desktop.ui.control import ScreenFace
from moltbot_desktop.ui.habits import Habits, HabitsNow
from moltbot_desktop.ui.theme import ThemeChoice
from moltbot_desktop.ui.translations import LanguageChoice

if TYPE_CHECKING:
    from moltbot_desktop.sdk.activity import RunsDesk
    from moltbot_desktop.sdk.attachments import AttachedDesk
    from moltbot_desktop.sdk.backup import BackupDesk
    from moltbot_desktop.sdk.doctor import DoctorDesk
    from moltbot_desktop.sdk.first_start import FirstStartDesk
    from moltbot_desktop.sdk.forms import SettingsDesk
    from moltbot_desktop.sdk.memory_desk import MemoryDesk
    from moltbot_desktop.sdk.model_shelf import ModelDesk
    from moltbot_desktop.sdk.past import ConversationsDesk
    from moltbot_desktop.sdk.permits import PermitsDesk
    from moltbot_desktop.sdk.planned import PlannedDesk
    from moltbot_desktop.sdk.skills_desk import SkillsDesk


class WindowDesks(Protocol):
    """What the window's places show and change. A desk is made when its place is first shown; it
    is asked on a worker thread, and may block."""

    @property
    def settings(self) -> SettingsDesk: ...

    @property
    def doctor(self) -> DoctorDesk: ...

    @property
    def planned(self) -> PlannedDesk: ...

    @property
    def permits(self) -> PermitsDesk: ...

    @property
    def models(self) -> ModelDesk: ...

    @property
    def memory(self) -> MemoryDesk: ...

    @property
    def backup(self) -> BackupDesk: ...

    @property
    def first_start(self) -> FirstStartDesk: ...

    @property
    def conversations(self) -> ConversationsDesk: ...

    @property
    def activity(self) -> RunsDesk: ...

    @property
    def skills(self) -> SkillsDesk: ...

    @property
    def attached(self) -> AttachedDesk | None:
        """The files that came with messages; None where nobody keeps any."""

    @property
    def offline(self) -> bool:
        """No model elsewhere is configured, so the window may say that all stays here."""


@dataclass(frozen=True)
class DesktopParts:
    """What the composition root hands to the desktop.

    Attributes:
        assistant: runs the assistant in the agent's thread; see `AssistantMain`.
        home: the program's folder; the window's place is kept there.
        resources: the folder with icons, styles and translations.
        face: shows that the assistant uses the screen, and knows its clicks from the owner's.
        clipboard: lent to the assistant.
        desks: makes what the window shows and changes, when there is one.
        habits: settings that hold at once.
        rest: what ends the rest of a program that needs no assistant yet; None where it does.
        report: an error of ours that nobody expected, for the crash note.
    """

    assistant: AssistantMain
    home: Path
    resources: Path
    clock: Clock
    report: Callable[[BaseException], None]
    desks: Callable[[], WindowDesks]
    face: ScreenFace
    clipboard: WindowClipboard
    language: LanguageChoice = "auto"
    theme: ThemeChoice = "auto"
    habits: HabitsNow = field(default_factory=lambda: HabitsNow(Habits()))
    rest: Rest | None = None
