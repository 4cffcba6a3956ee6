"""What the composition root hands to the desktop: values and makers, nothing that draws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.qt.agent_thread import AssistantMain
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
from moltbot_desktop.ui.clipboard import WindowClipboard
from moltbot_desktop.ui.control import ScreenFace
from moltbot_desktop.ui.habits import Habits, HabitsNow
from moltbot_desktop.ui.theme import ThemeChoice
from moltbot_desktop.ui.translations import LanguageChoice


@dataclass(frozen=True)
class PlaceDesks:
    """What the places show and change. Each desk is asked on a worker thread, and may block."""

    settings: SettingsDesk
    doctor: DoctorDesk
    planned: PlannedDesk
    permits: PermitsDesk
    models: ModelDesk
    memory: MemoryDesk
    backup: BackupDesk
    first_start: FirstStartDesk
    conversations: ConversationsDesk
    activity: RunsDesk
    skills: SkillsDesk


@dataclass(frozen=True)
class DesktopParts:
    """What the composition root hands to the desktop.

    Attributes:
        assistant: runs the assistant in the agent's thread; see `AssistantMain`.
        home: the program's folder; the window's place is kept there.
        resources: the folder with icons, styles and translations.
        face: shows that the assistant uses the screen, and knows its clicks from the owner's.
        clipboard: lent to the assistant.
        attached: the files that came with messages.
        desks: makes what the places of the window show and change, when there is a window.
        habits: settings that hold at once.
        offline: no model elsewhere is configured, so the window may say that all stays here.
        report: an error of ours that nobody expected, for the crash note.
    """

    assistant: AssistantMain
    home: Path
    resources: Path
    clock: Clock
    report: Callable[[BaseException], None]
    desks: Callable[[], PlaceDesks]
    face: ScreenFace
    clipboard: WindowClipboard
    language: LanguageChoice = "auto"
    theme: ThemeChoice = "auto"
    habits: HabitsNow = field(default_factory=lambda: HabitsNow(Habits()))
    offline: bool = True
    attached: AttachedDesk | None = None
