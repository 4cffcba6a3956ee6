"""The settings as they are now: what the file says, and over it what `/debug` set.

    live = LiveConfig(home, loaded, language)
    live.config.session.reset            # read at each use, so a changed file counts at once
    live.set("messages.queue.mode", "steer")    # until the program ends; the file is not touched
    live.take(reloaded)                  # a newer file; what was set stays over it
    live.on_change(schedule.follow)      # for whoever has to do something about it

For the loop's thread alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import cast

from moltbot_desktop.config.editing import value_of
from moltbot_desktop.config.load import CONFIG_NAME, Config, LoadedConfig
from moltbot_desktop.config.places import (
    Place,
    WrongPlace,
    parse_place,
    show_place,
    value_at,
    with_value,
)
from moltbot_desktop.config.problems import Wording
from moltbot_desktop.config.secrets import without_secrets
from moltbot_desktop.config.sections import check_part
from moltbot_desktop.config.settings import parts
from moltbot_desktop.config.strangers import unknown_keys
from moltbot_desktop.core.errors import ConfigInvalid, UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject, JsonValue


class LiveConfig:
    """See the module."""

    def __init__(self, home: Path, loaded: LoadedConfig, language: Language) -> None:
        self._words = Wording(home / CONFIG_NAME, language)
        self._loaded = loaded
        self._config = loaded.config
        self._over: Mapping[Place, JsonValue] = MappingProxyType({})
        self._listeners: list[Callable[[], None]] = []

    @property
    def config(self) -> Config:
        """What holds."""
        return self._config

    @property
    def loaded(self) -> LoadedConfig:
        """What the file says."""
        return self._loaded

    def on_change(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` whenever something else holds; the returned function ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def take(self, loaded: LoadedConfig) -> None:
        """The file was read anew. What was set stays over it where it still fits."""
        self._loaded = loaded
        self._config = loaded.config
        kept, self._over = self._over, MappingProxyType({})
        for place, value in kept.items():
            try:
                self._put({**self._over, place: value})
            except (ConfigInvalid, UserInputInvalid):
                continue
        self._changed()

    # ------------------------------------------------------------------ for /debug

    def get(self, path: str) -> str:
        """What was set at `path`, or below it, as JSON; "" when nothing was."""
        over: JsonValue = {}
        for place, value in self._over.items():
            over = with_value(over, place, value)
        try:
            found = value_at(over, self._place(path) if path else ())
        except KeyError:
            return ""
        return json.dumps(without_secrets(found), ensure_ascii=False) if found != {} else ""

    def set(self, path: str, text: str) -> str:
        """Let `text` (JSON5, or plain text) hold at `path` until the program ends; as JSON.

        Raises:
            UserInputInvalid: `path` is none.
            ConfigInvalid: the value does not fit.
        """
        place, value = self._place(path), value_of(text)
        self._put({**self._over, place: value})
        self._changed()
        return json.dumps(value, ensure_ascii=False)

    def unset(self, path: str) -> bool:
        """Let the file hold again at `path` and below; False when nothing was set there.

        Raises:
            UserInputInvalid: `path` is none.
        """
        place = self._place(path)
        kept = {one: value for one, value in self._over.items() if one[: len(place)] != place}
        if len(kept) == len(self._over):
            return False
        self._put(kept)
        self._changed()
        return True

    def reset(self) -> None:
        """Let the file hold again."""
        self._put({})
        self._changed()

    def _changed(self) -> None:
        for listener in tuple(self._listeners):
            listener()

    def _place(self, path: str) -> Place:
        try:
            return parse_place(path)
        except WrongPlace as error:
            raise self._refused(path) from error

    def _put(self, over: Mapping[Place, JsonValue]) -> None:
        raw = self._loaded.config.raw
        changed: JsonValue = raw
        for place, value in over.items():
            try:
                changed = with_value(changed, place, value)
            except WrongPlace as error:
                raise self._refused(show_place(place)) from error
        whole = cast(JsonObject, changed)
        self._refuse_strangers(raw, whole)
        self._config = self._judged(raw, whole)
        self._over = MappingProxyType(dict(over))

    def _judged(self, raw: JsonObject, whole: JsonObject) -> Config:
        """Parts that nobody set anything in stay as they are, also those that fell back."""
        environment = self._loaded.environment
        values: dict[str, object] = {}
        for name in parts():
            part = check_part(name, whole, environment)
            if part.written == check_part(name, raw, environment).written:
                continue
            for mistake in part.mistakes:
                raise self._invalid(self._words.mistake(mistake).message)
            values[name] = part.value
        return self._loaded.config.with_parts(values, whole)

    def _refuse_strangers(self, raw: JsonObject, whole: JsonObject) -> None:
        known = set(unknown_keys(raw))
        for stranger in unknown_keys(whole):
            if stranger not in known:
                raise self._invalid(self._words.unknown(stranger).message)

    def _invalid(self, message: str) -> ConfigInvalid:
        return ConfigInvalid(
            self._words.say("sentence", message=message), hint=self._words.say("nothing_changed")
        )

    def _refused(self, path: str) -> UserInputInvalid:
        return UserInputInvalid(
            self._words.say("no_place", place=path), hint=self._words.say("no_place_hint")
        )
