"""A page of the settings window and what its form is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.sdk.forms import FieldPlace, SettingsPage


@dataclass(frozen=True)
class PageForm:
    """A page and what its form is made of.

    Attributes:
        place: where it stands in the file.
        hints: as a manifest's `uiHints`.
    """

    page: SettingsPage
    place: FieldPlace
    schema: JsonObject
    hints: JsonObject = field(default_factory=lambda: MappingProxyType({}))
