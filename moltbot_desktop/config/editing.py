"""Changes the person's settings file at their word: checked before, kept in backups, at once.

    file = SettingsFile(home, environment, language)
    file.set("ui.theme", "dark")          # dark is text here; numbers, lists and groups as JSON5
    file.unset("ui.theme")
    file.shown("ui")                      # what is written, else what holds without it
    file.migrate()                        # the names of today

A change that would make something wrong that was right before is refused, and nothing is written.
The five texts before lie beside the file: `.bak` the last one, then `.bak.1` to `.bak.4`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from pathlib import Path

from moltbot_desktop.config.embedding import read_embedding
from moltbot_desktop.config.environment import environment_with
from moltbot_desktop.config.includes import WholeSettings, with_includes
from moltbot_desktop.config.json5_text import UnusableText, parse_settings, parse_value
from moltbot_desktop.config.legacy import Moved, migrated
from moltbot_desktop.config.load import CONFIG_NAME, judged, read_file
from moltbot_desktop.config.mcp import mcp_problems
from moltbot_desktop.config.migrating import migrated_text
from moltbot_desktop.config.places import (
    Place,
    WrongPlace,
    parse_place,
    show_place,
    value_at,
)
from moltbot_desktop.config.problems import ConfigProblem, Wording, not_yet_told
from moltbot_desktop.config.providers_reading import read_remote
from moltbot_desktop.config.repeated import repeated_keys
from moltbot_desktop.config.rewrite import Rewritten, with_setting, without_setting
from moltbot_desktop.config.secrets import without_secrets
from moltbot_desktop.config.settings import json_schema
from moltbot_desktop.config.strangers import unknown_keys, unused_keys
from moltbot_desktop.core.errors import ConfigInvalid, UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.sdk.forms import Change, Put, Unset
from moltbot_desktop.storage.bounded import MOST_STATE, read_plain
from moltbot_desktop.storage.files import disk_errors, make_private_dir, write_atomic
from moltbot_desktop.storage.locks import taken_lock

_BACKUPS = (".bak", ".bak.1", ".bak.2", ".bak.3", ".bak.4")


@dataclass(frozen=True)
class Shown:
    """What a setting is.

    Attributes:
        written: whether it stands in the file; else it is the default.
    """

    value: JsonValue
    written: bool


@dataclass(frozen=True)
class SettingsFile:
    """The settings file of the state folder `home`.

    Attributes:
        process: the environment, for ``${NAME}``.
        language: of what is told.
    """

    home: Path
    process: Mapping[str, str]
    language: Language

    @property
    def path(self) -> Path:
        return self.home / CONFIG_NAME

    def shown(self, place: str = "") -> Shown:
        """What stands at `place`, everything when it is ""; keys and passwords are hidden in a
        group, and shown when they are asked for by name.

        Raises:
            UserInputInvalid: there is no such setting.
            ConfigInvalid, StorageError: the file cannot be read.
        """
        raw = migrated(self._whole(self._text()).raw).raw
        if not place:
            return Shown(without_secrets(raw), written=True)
        steps = self._place(place)
        try:
            found = value_at(raw, steps)
        except KeyError:
            known, default = _default_of(steps)
            if not known:
                raise self._refused("no_such", place=place) from None
            return Shown(default, written=False)
        return Shown(without_secrets(found), written=True)

    def set(self, place: str, text: str) -> Rewritten:
        """Write `text`, as JSON5 or as plain text where it is none, at `place`.

        Raises:
            UserInputInvalid: `place` is none.
            ConfigInvalid: the value does not fit, or the file cannot be read.
            StorageError: it cannot be written.
        """
        return self.put(place, value_of(text))

    def put(self, place: str, value: JsonValue) -> Rewritten:
        """The same with a value."""
        steps = self._place(place)
        return self._change(
            lambda text: with_setting(text, steps, value),
            place,
            lambda raw: _at(raw, steps) == (value,),
        )

    def unset(self, place: str) -> Rewritten:
        """Take what stands at `place` away.

        Raises:
            UserInputInvalid: nothing stands there.
            ConfigInvalid: something else would not fit any more, or the file cannot be read.
            StorageError: it cannot be written.
        """
        steps = self._place(place)
        before = _items_around(self._whole(self._text()).raw, steps)

        def gone(raw: JsonObject) -> bool:
            # Those behind an item of a list move up into its place.
            return _at(raw, steps) == () or _items_around(raw, steps) < before

        return self._change(lambda text: without_setting(text, steps), place, gone)

    def own(self) -> JsonObject:
        """What this very file says: nothing of files that it includes, no name of today for an
        older one.

        Raises:
            ConfigInvalid, StorageError: it cannot be read.
        """
        return self._parsed(self._text())

    def change(self, changes: Sequence[Change]) -> None:
        """Carry out several edits (of a form) at once, or none of them.

        Raises:
            UserInputInvalid: one of them is about a place that cannot be.
            ConfigInvalid, StorageError: as `set`.
        """
        if not changes:
            return

        def changed(text: str) -> Rewritten:
            kept = True
            for one in changes:
                new = _edited(text, one)
                text, kept = new.text, kept and new.kept
            return Rewritten(text, kept)

        self._change(changed, show_place(changes[0].place), lambda _: True)

    def migrate(self) -> tuple[Moved, ...]:
        """Write older names anew; what was moved. Files that are included stay as they are.

        Raises:
            ConfigInvalid, StorageError: as `set`.
        """
        moved = migrated(self._parsed(self._text())).moved
        if moved:
            self._change(migrated_text, "", lambda _: True)
        return moved

    def problems(self) -> tuple[ConfigProblem, ...]:
        """Everything that is wrong with the file as it is.

        Raises:
            StorageError: it cannot be read.
        """
        words = Wording(self.path, self.language)
        data = self._bytes()
        try:
            raw = parse_settings(data)
        except UnusableText as error:
            return (words.unparsable(error),)
        whole = with_includes(raw, self.path, read_file)
        kept = unused_keys(migrated(whole.raw).raw)
        twice = map(words.repeated, repeated_keys(data.decode("utf-8-sig")))
        return (*self._problems(whole), *twice, *words.kept(kept))

    # ------------------------------------------------------------------ reading and checking

    def _bytes(self) -> bytes:
        with disk_errors(self.path):
            try:
                return read_plain(self.path, MOST_STATE)
            except FileNotFoundError:
                return b""

    def _text(self) -> str:
        try:
            return self._bytes().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise self._unreadable(UnusableText("not_utf8", {})) from error

    def _parsed(self, text: str) -> JsonObject:
        try:
            return parse_settings(text.encode())
        except UnusableText as error:
            raise self._unreadable(error) from error

    def _whole(self, text: str) -> WholeSettings:
        return with_includes(self._parsed(text), self.path, read_file)

    def _problems(self, whole: WholeSettings) -> tuple[ConfigProblem, ...]:
        words = Wording(self.path, self.language)
        today = migrated(whole.raw)
        environment = environment_with(today.raw, self.process)
        mistakes = judged(today.raw, environment, {}, whole.missing).mistakes
        remote = read_remote(today.raw, environment=environment, language=self.language)
        embedding = read_embedding(
            today.raw,
            environment=environment,
            providers=remote.config.providers,
            language=self.language,
        )
        told = [*map(words.not_included, whole.missing), *map(words.mistake, mistakes)]
        servers = mcp_problems(today.raw, environment, self.language)
        found = [
            *told,
            *not_yet_told((*remote.problems, *embedding.problems, *servers), told),
            *map(words.unknown, unknown_keys(today.raw)),
            *words.moved(today.moved),
        ]
        return tuple(dict.fromkeys(found))

    def _place(self, text: str) -> Place:
        try:
            return parse_place(text)
        except WrongPlace as error:
            raise self._refused("no_place", place=text) from error

    # ------------------------------------------------------------------ changing

    def _change(
        self,
        change: Callable[[str], Rewritten],
        place: str,
        done: Callable[[JsonObject], bool],
    ) -> Rewritten:
        """`done` says of the settings with all files whether the change shows in them."""
        make_private_dir(self.home)
        lock = taken_lock(self.home / f"{CONFIG_NAME}.lock")
        try:
            old = self._text()
            before = self._whole(old)
            try:
                new = change(old)
            except (WrongPlace, KeyError) as error:
                phrase = "no_place" if isinstance(error, WrongPlace) else "not_written"
                raise self._refused(phrase, place=place) from error
            if not done(self._whole(new.text).raw):
                raise self._refused("included", place=place)
            self._refuse_worse(before, new.text)
            if new.text != old:
                self._write(old, new.text)
            return new
        finally:
            lock.release()

    def _refuse_worse(self, before: WholeSettings, text: str) -> None:
        """Mistakes that were there before may stay: one can be corrected at a time."""
        known = {problem.message for problem in self._problems(before)}
        whole = self._whole(text)
        unknown = {key.path for key in unknown_keys(migrated(whole.raw).raw)}
        for problem in self._problems(whole):
            wrong = problem.serious or problem.path in unknown
            if wrong and problem.message not in known:
                message = self._sentence(problem)
                raise ConfigInvalid(message, hint=self._say("nothing_written"))

    def _write(self, old: str, new: str) -> None:
        backups = [self.path.with_name(self.path.name + ending) for ending in _BACKUPS]
        if old:
            with disk_errors(self.path):
                for newer, older in reversed(tuple(pairwise(backups))):
                    if newer.exists():
                        newer.replace(older)
            write_atomic(backups[0], old.encode())
        write_atomic(self.path, new.encode())

    # ------------------------------------------------------------------ telling

    def _say(self, phrase: str, **slots: object) -> str:
        return Wording(self.path, self.language).say(phrase, file=self.path, **slots)

    def _refused(self, phrase: str, **slots: object) -> UserInputInvalid:
        return UserInputInvalid(
            self._say(phrase, **slots), hint=self._say(f"{phrase}_hint", **slots)
        )

    def _unreadable(self, error: UnusableText) -> ConfigInvalid:
        problem = Wording(self.path, self.language).unparsable(error)
        return ConfigInvalid(self._sentence(problem), hint=self._say("correct_first"))

    def _sentence(self, problem: ConfigProblem) -> str:
        asks = problem.message.endswith(("?", "？"))
        return problem.message if asks else self._say("sentence", message=problem.message)


def _edited(text: str, change: Change) -> Rewritten:
    match change:
        case Put(place, value):
            return with_setting(text, place, value)
        case Unset(place):
            return without_setting(text, place)


def value_of(text: str) -> JsonValue:
    """What a person means by `text`: JSON5, or plain text where it is none."""
    try:
        value = parse_value(text.encode()) if text.strip() else text
    except UnusableText:
        return text
    return text if isinstance(value, float) and not isfinite(value) else value


def _items_around(raw: JsonObject, place: Place) -> int:
    """How many items the list has of which one stands at `place`; 0 where it stands in none."""
    around = _at(raw, place[:-1])
    return len(around[0]) if around and isinstance(around[0], list) else 0


def _at(raw: JsonValue, place: Place) -> tuple[JsonValue, ...]:
    """What stands there, if anything does."""
    try:
        return (value_at(raw, place),)
    except KeyError:
        return ()


def _default_of(place: Place) -> tuple[bool, JsonValue]:
    """Whether a setting is known at `place`, and what it is without a word in the file."""
    schema: JsonValue = json_schema()
    for step in place:
        properties = schema.get("properties") if isinstance(schema, Mapping) else None
        if not isinstance(step, str) or not isinstance(properties, Mapping):
            return False, None
        if step not in properties:
            return False, None
        schema = properties[step]
    return True, _without_a_word(schema)


def _without_a_word(schema: JsonValue) -> JsonValue:
    """What holds where nothing is written; of a group, all that is in it."""
    known = schema if isinstance(schema, Mapping) else {}
    properties = known.get("properties")
    if "default" in known or not isinstance(properties, Mapping):
        return known.get("default")
    return {name: _without_a_word(one) for name, one in properties.items()}
