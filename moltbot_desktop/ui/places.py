"""Which places the window has beside the chat, in the order of its rail.

A new place is one line here, an icon in resources/icons, and a package of its own in `ui`.
"""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from moltbot_desktop.ui.activity.page import ActivityPlace
from moltbot_desktop.ui.backup.page import BackupPlace
from moltbot_desktop.ui.desktop_parts import WindowDesks
from moltbot_desktop.ui.doctor.page import DoctorPlace
from moltbot_desktop.ui.first_start.page import FirstStartPlace
from moltbot_desktop.ui.kit.list_place import PlaceParts
from moltbot_desktop.ui.memory.page import MemoryPlace
from moltbot_desktop.ui.models.page import ModelsPlace
from moltbot_desktop.ui.permissions.page import PermissionsPlace
from moltbot_desktop.ui.place import (
    ACTIVITY,
    BACKUP,
    CHANNELS,
    DOCTOR,
    MEMORY,
    MODELS,
    PERMISSIONS,
    PLUGINS,
    SCHEDULE,
    SETTINGS,
    SKILLS,
    WELCOME,
    PlaceId,
    PlaceSpec,
    title_of,
)
from moltbot_desktop.ui.schedule.page import SchedulePlace
from moltbot_desktop.ui.settings.view import SettingsView
from moltbot_desktop.ui.skills.page import SkillsPlace

translate = QCoreApplication.translate


def places(desks: WindowDesks, parts: PlaceParts) -> tuple[PlaceSpec, ...]:
    """The places, none of them made yet."""
    return (*_what_it_has(desks, parts), *_what_holds(desks, parts), _first_start(desks, parts))


def _what_it_has(desks: WindowDesks, parts: PlaceParts) -> tuple[PlaceSpec, ...]:
    """At the top of the rail: what the assistant knows, can and does."""
    return (
        PlaceSpec(
            MEMORY,
            "memory",
            lambda: title_of(MEMORY),
            lambda: MemoryPlace(parts, desks.memory),
        ),
        PlaceSpec(
            MODELS,
            "models",
            lambda: title_of(MODELS),
            lambda: ModelsPlace(parts, desks.models),
        ),
        PlaceSpec(
            SCHEDULE,
            "schedule",
            lambda: title_of(SCHEDULE),
            lambda: SchedulePlace(parts, desks.planned),
        ),
        PlaceSpec(
            ACTIVITY,
            "activity",
            lambda: title_of(ACTIVITY),
            lambda: ActivityPlace(parts, desks.activity),
        ),
        PlaceSpec(
            SKILLS,
            "skills",
            lambda: title_of(SKILLS),
            lambda: SkillsPlace(parts, desks.skills),
        ),
        _forms(desks, parts, CHANNELS),
        _forms(desks, parts, PLUGINS),
    )


def _what_holds(desks: WindowDesks, parts: PlaceParts) -> tuple[PlaceSpec, ...]:
    """At its foot: what the assistant may, and how it stands with the program itself."""
    return (
        PlaceSpec(
            PERMISSIONS,
            "permissions",
            lambda: title_of(PERMISSIONS),
            lambda: PermissionsPlace(parts, desks.permits),
            below=True,
        ),
        PlaceSpec(
            BACKUP,
            "backup",
            lambda: title_of(BACKUP),
            lambda: BackupPlace(parts, desks.backup),
            below=True,
        ),
        PlaceSpec(
            DOCTOR,
            "doctor",
            lambda: title_of(DOCTOR),
            lambda: DoctorPlace(parts, desks.doctor),
            below=True,
        ),
        _forms(desks, parts, SETTINGS),
    )


def _first_start(desks: WindowDesks, parts: PlaceParts) -> PlaceSpec:
    """Not in the rail: shown to who comes for the first time, or asks for it."""
    return PlaceSpec(
        WELCOME,
        "moltbot",
        lambda: translate("Places", "Welcome"),
        lambda: FirstStartPlace(parts, desks.first_start),
        in_rail=False,
    )


def _forms(desks: WindowDesks, parts: PlaceParts, place: PlaceId) -> PlaceSpec:
    """The pages of the settings that name this place."""
    return PlaceSpec(
        place,
        str(place),
        lambda: title_of(place),
        lambda: SettingsView(parts, desks.settings, title_of(place), place),
        below=place == SETTINGS,
    )
