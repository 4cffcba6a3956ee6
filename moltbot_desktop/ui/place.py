"""A place of the window: the chat, the memory, the schedule, and what else stands in its rail.

    class SchedulePlace(Place):
        def entered(self) -> None: ...      # it is shown now: look how things stand

    PlaceSpec(PlaceId("schedule"), "schedule", lambda: tr("Schedule"), make)

A place is made when it is first gone to, so that the window starts as quickly with ten as with one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NewType

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QWidget

from moltbot_desktop.gateway.client import AssistantClient, ClientEvent
from moltbot_desktop.ui.theme import Theme

translate = QCoreApplication.translate

PlaceId = NewType("PlaceId", str)

CHAT = PlaceId("chat")
WELCOME = PlaceId("welcome")
MEMORY = PlaceId("memory")
MODELS = PlaceId("models")
SKILLS = PlaceId("skills")
CHANNELS = PlaceId("channels")
PLUGINS = PlaceId("plugins")
SCHEDULE = PlaceId("schedule")
ACTIVITY = PlaceId("activity")
PERMISSIONS = PlaceId("permissions")
BACKUP = PlaceId("backup")
DOCTOR = PlaceId("doctor")
SETTINGS = PlaceId("settings")


class Place(QWidget):
    """What all places have in common; each does only what concerns it.

    Signals:
        badge_changed: how many things wait for the person there; 0 for none.
        place_requested: the person wants to go elsewhere: a `PlaceId`, and what to show there.
        said: the person wants this said in the chat, and to go there.
        new_start_requested: the person wants the program to start again.
    """

    badge_changed = Signal(int)
    place_requested = Signal(str, str)
    said = Signal(str)
    new_start_requested = Signal()

    def set_client(self, client: AssistantClient) -> None:
        """The assistant is ready."""

    def deliver(self, events: Sequence[ClientEvent]) -> None:
        """Events of the assistant, in order, whether the place is shown or not."""

    def entered(self, what: str = "") -> None:
        """It is shown now; `what` of it, "" for as it was left."""

    def left(self) -> None:
        """Another place is shown, or the window is hidden: no need to look any more."""

    def set_theme(self, theme: Theme) -> None:
        """The window's colours are those of `theme` now; the style sheet has changed already."""

    def take_focus(self) -> None:
        """Give the keys to what a person most likely wants."""
        self.setFocus()

    def keep(self) -> None:
        """The program ends: write down what was typed and not sent."""

    def leaves(self) -> bool:
        """Whether Escape may go back to the chat from here."""
        return True


@dataclass(frozen=True)
class PlaceSpec:
    """A place of the rail before it is made.

    Attributes:
        icon: the file's name in resources/icons, without its end.
        title: in the window's language, one word.
        make: called once, on the main thread.
        below: it stands at the lower end of the rail.
        in_rail: it has a place there at all.
    """

    id: PlaceId
    icon: str
    title: Callable[[], str]
    make: Callable[[], Place]
    below: bool = False
    in_rail: bool = True


def title_of(place: PlaceId) -> str:
    """What a place of the assistant or of the program is called, in the window's language.

    Raises:
        KeyError: the chat and the welcome have titles of their own.
    """
    titles = {
        MEMORY: translate("Places", "Memory"),
        MODELS: translate("Places", "Models"),
        SCHEDULE: translate("Places", "Schedule"),
        ACTIVITY: translate("Places", "Activity"),
        SKILLS: translate("Places", "Skills"),
        CHANNELS: translate("Places", "Channels"),
        PLUGINS: translate("Places", "Plugins"),
        PERMISSIONS: translate("Places", "Safety"),
        BACKUP: translate("Places", "Backup"),
        DOCTOR: translate("Places", "Doctor"),
        SETTINGS: translate("Places", "Settings"),
    }
    return titles[place]
