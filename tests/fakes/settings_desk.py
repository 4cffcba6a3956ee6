"""A desk of settings in working memory: a general page with groups of every kind, and a plugin."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from moltbot_desktop.config.form.form import open_form
from moltbot_desktop.config.form.trees import changed, put
from moltbot_desktop.config.groups import section_hints, sections
from moltbot_desktop.config.settings import json_schema
from moltbot_desktop.core.errors import ConfigInvalid, UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.sdk.forms import FieldPlace, FormState, SettingsPage
from moltbot_desktop.sdk.panels import Panel

WEATHER: JsonObject = {
    "type": "object",
    "properties": {
        "enabled": {"type": "boolean", "default": False, "title": "Switched on"},
        "units": {"enum": ["metric", "imperial"], "default": "metric"},
        "days": {"type": "integer", "minimum": 1, "maximum": 7, "default": 3},
        "apiKey": {"type": "string", "description": "From your account there."},
        "cities": {"type": "array", "items": {"type": "string"}, "maxItems": 3},
        "folder": {"type": "string", "format": "folder"},
        "store": {
            "anyOf": [
                {"title": "None", "const": "none"},
                {
                    "title": "On disk",
                    "type": "object",
                    "properties": {"path": {"type": "string"}},
                },
            ]
        },
        "names": {"type": "object", "additionalProperties": {"type": "string"}},
        "steps": {"type": "array", "prefixItems": [{"type": "string"}]},
        "timeout": {"type": ["number", "null"]},
    },
}
WEATHER_HINTS: JsonObject = {
    "units": {"help": "Degrees Celsius or Fahrenheit."},
    "timeout": {"advanced": True, "label": "Longest wait"},
    "cities": {"group": "Places"},
    "names": {"group": "Places"},
}
GENERAL: JsonObject = {
    "type": "object",
    "properties": {
        name: {
            "type": "object",
            "description": f"All about {name}.",
            "properties": {"theme": {"enum": ["light", "dark"]}, "limit": {"type": "integer"}},
        }
        for name in ("ui", "models", "memory", "agents", "tools", "cron")
    },
}


@dataclass
class FakeSettingsDesk:
    """See `sdk.forms.SettingsDesk`.

    Attributes:
        saved: what the pages hold.
        keys: secrets that were saved.
        refuse: the next save or reload is refused with this sentence.
        no_pages: why the pages cannot be read; "" where they can.
        spread: pages stand at the places of their own, as they do in the program.
        whole: the general page is that of the program, with all its groups.
        note: of the plugin's page.
        waits: what a new start is needed for.
        reloaded: how often the plugin was brought in anew.
        shown: what stands above the form of the page "channels".
        acted: the buttons that were pressed there.
    """

    saved: dict[str, JsonObject] = field(
        default_factory=lambda: {
            "general": {"ui": {"theme": "dark"}},
            "plugin:weather": {"cities": ["Beijing"], "apiKey": "very secret", "odd": [1]},
        }
    )
    keys: dict[FieldPlace, str] = field(default_factory=dict)
    refuse: str = ""
    no_pages: str = ""
    spread: bool = False
    whole: bool = False
    note: str = "Tells the weather."
    waits: str = ""
    reloaded: int = 0
    shown: Panel = ()
    acted: list[str] = field(default_factory=list)

    def pages(self) -> tuple[SettingsPage, ...]:
        if self.no_pages:
            raise ConfigInvalid(self.no_pages)
        groups = sections(Language.ENGLISH) if self.whole else ()
        general = SettingsPage("general", "General", "Everything.", sections=groups)
        plugin = SettingsPage("plugin:weather", "Plugin: Weather", self.note, renewable=True)
        channels = SettingsPage("channels", "Channels", "Messengers.", live=True)
        if self.spread:
            plugin, channels = replace(plugin, place="plugins"), replace(channels, place="channels")
        return general, plugin, channels

    def panel(self, page: str) -> Panel:
        assert page == "channels"
        return self.shown

    def act(self, page: str, action: str) -> str:
        if self.refuse:
            raise UserInputInvalid(self.refuse)
        self.acted.append(action)
        return f"Done: {action}."

    def open(self, page: str) -> FormState:
        if page == "channels":
            nothing: JsonObject = {
                "type": "object",
                "properties": {},
                "additionalProperties": False,
            }
            return open_form(nothing, {}, None)
        if page not in self.saved:
            raise UserInputInvalid("There is no such page.", hint="Open the settings again.")
        if page == "general" and self.whole:
            return open_form(json_schema(), self.saved[page], section_hints(Language.ENGLISH))
        schema, hints = (GENERAL, None) if page == "general" else (WEATHER, WEATHER_HINTS)
        return open_form(schema, self.saved[page], hints)

    def save(self, page: str, form: FormState) -> FormState:
        if self.refuse:
            raise ConfigInvalid(self.refuse, hint="Correct it.")
        value = changed(form.saved, form.changes())
        for place, secret in form.secrets.items():
            self.keys[place] = secret
            value = put(value, place, "keyring:weather")
        assert isinstance(value, dict)
        self.saved[page] = value
        return self.open(page)

    def waiting(self) -> str:
        return self.waits

    def reload(self, page: str) -> str:
        if self.refuse:
            raise ConfigInvalid(self.refuse, hint="Correct it.")
        assert page == "plugin:weather"
        self.reloaded += 1
        self.note = f"Brought in {self.reloaded} times."
        return "On: the settings switch it on."
