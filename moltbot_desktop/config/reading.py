"""What the readers of structured settings share: checked pieces, and every mistake noted once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import TypeVar
from urllib.parse import urlsplit

from moltbot_desktop.config.kinds import Kind, WrongValue
from moltbot_desktop.config.load import ConfigProblem
from moltbot_desktop.config.providers import KeyKind, KeySource, key_source
from moltbot_desktop.config.providers_texts import PHRASES
from moltbot_desktop.config.substitute import MissingVariable, substitute
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject, JsonValue

T = TypeVar("T")

_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}")


class UnusableSetting(Exception):
    """The thing that is being read cannot be used; its problem has been noted."""


class SettingsReader:
    """Collects `problems` on the way. Its methods raise `UnusableSetting` after noting why."""

    def __init__(self, environment: Mapping[str, str], language: Language) -> None:
        self._environment = environment
        self._language = language
        self.problems: list[ConfigProblem] = []

    # ------------------------------------------------------------------ places and keys

    def base_url(self, value: JsonValue, path: str) -> str:
        text = self.filled(value, path)
        if not isinstance(text, str):
            raise self.unusable(path, "url")
        text = text.strip()
        try:
            parts = urlsplit(text)
            _ = parts.port  # raises for a port that is none
        except ValueError as error:
            raise self.unusable(path, "url") from error
        usable = parts.scheme in ("http", "https") and parts.hostname
        if not usable or any(character.isspace() for character in text):
            raise self.unusable(path, "url")
        if "@" in parts.netloc or "?" in text or "#" in text:
            raise self.unusable(path, "plain_url")
        return text.rstrip("/").removesuffix("/chat/completions")

    def key(self, value: JsonValue, provider: str, path: str) -> KeySource:
        source = key_source(value)
        if source is None:
            raise self.unusable(path, "key")
        if source.kind is KeyKind.KEYRING and not source.name:
            return KeySource(KeyKind.KEYRING, provider)
        if source.kind is KeyKind.LITERAL:
            self.warn(path, "literal_key", name=provider)
        return source

    def headers(self, value: JsonValue, path: str) -> Mapping[str, str]:
        filled = self.filled(value, path)
        if filled is None:
            return MappingProxyType({})
        if not isinstance(filled, Mapping):
            raise self.unusable(path, "group")
        headers: dict[str, str] = {}
        for name, text in filled.items():
            if not isinstance(text, str) or not _HEADER_NAME.fullmatch(name) or not (
                text.isascii() and text.isprintable()
            ):  # fmt: skip
                raise self.unusable(f"{path}.{name}", "header")
            headers[name] = text
        return MappingProxyType(headers)

    def warn_clear_text(self, base_url: str, key: KeySource, path: str) -> None:
        if key.kind is not KeyKind.NONE and not _is_private_enough(base_url):
            self.warn(path, "clear_text")

    # ------------------------------------------------------------------ pieces

    def group(self, parent: JsonObject, name: str, path: str) -> JsonObject:
        value = parent.get(name)
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            raise self.unusable(path, "group")
        return value

    def checked(self, group: JsonObject, name: str, kind: Kind[T], default: T, path: str) -> T:
        if name not in group:
            return default
        try:
            return kind.check(group[name])
        except WrongValue as wrong:
            raise self.unusable(f"{path}.{name}", wrong.phrase, **wrong.slots) from wrong

    def filled(self, value: JsonValue, path: str) -> JsonValue:
        try:
            return substitute(value, path, self._environment)
        except MissingVariable as missing:
            raise self.unusable(missing.path, "variable", name=missing.name) from missing

    def warn_unknown(self, group: JsonObject, known: frozenset[str], path: str) -> None:
        for key in group:
            if key not in known:
                near = get_close_matches(key, sorted(known), n=1)
                meant = self.say("near", name=near[0]) if near else ""
                self.warn(f"{path}.{key}", "unknown", meant=meant)

    # ------------------------------------------------------------------ telling

    def unusable(self, path: str, phrase: str, **slots: object) -> UnusableSetting:
        self.fail(path, phrase, **slots)
        return UnusableSetting()

    def fail(self, path: str, phrase: str, **slots: object) -> None:
        self._note(path, phrase, slots, serious=True)

    def warn(self, path: str, phrase: str, **slots: object) -> None:
        self._note(path, phrase, slots, serious=False)

    def _note(self, path: str, phrase: str, slots: Mapping[str, object], *, serious: bool) -> None:
        message = f"{path}: {self.say(phrase, **slots)}"
        hint = self.say(f"{phrase}_hint" if f"{phrase}_hint" in PHRASES.english else "hint",
                         **slots)  # fmt: skip
        self.problems.append(ConfigProblem(path, message, hint, serious))

    def say(self, key: str, **slots: object) -> str:
        return PHRASES.say(key, self._language, **slots)


def _is_private_enough(base_url: str) -> bool:
    """https, or this computer itself."""
    parts = urlsplit(base_url)
    host = parts.hostname or ""
    return parts.scheme == "https" or host in ("localhost", "::1") or host.startswith("127.")
