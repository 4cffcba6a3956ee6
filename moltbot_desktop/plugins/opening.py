"""One plugin from its folder to a registration: settings, requirements, code, ``register``.

    opened = open_plugin(found, entry, lend, language)      # blocks: on a worker thread
    opened.registration, opened.close()

Everything may fail and nothing is left behind when it does: what was lent is given back, the
modules are forgotten, and the registration is a value that took effect nowhere.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from moltbot_desktop.config.plugin_entries import PluginEntry
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import ManifestMistake, MoltbotError, PluginInvalid
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.plugins.config_check import check_config
from moltbot_desktop.plugins.discovery import FoundPlugin
from moltbot_desktop.plugins.loader import PluginCode, load_plugin
from moltbot_desktop.plugins.manifest import PluginManifest
from moltbot_desktop.plugins.registry import Registration, Scratch
from moltbot_desktop.plugins.requirements import missing
from moltbot_desktop.plugins.surface import PluginSurface
from moltbot_desktop.sdk.plugins import PluginRuntime

SLOW_SECONDS = 3.0
"""A plugin that takes longer to come in is named in the log."""
_KEYRING = "keyring:"
_log = logging.getLogger(__name__)

_PHRASES = Phrases(
    {
        "packages": "it needs Python packages that are not here: {names}",
        "packages_hint": "{python} -m pip install {names}",
        "packages_frozen": "This build of the program takes no more packages. Install it with pipx "
        "instead, then add them: pipx inject moltbot-desktop {names}",
        "bins": "it needs programs that are not here: {names}",
        "bins_hint": "Install them, then switch the plugin on again.",
        "config": "its settings do not fit: {reasons}",
        "config_hint": "Correct plugins.entries.{id}.config.",
        "waits": "its register is a coroutine; it has to be a plain function",
        "failed": "register failed: {reason}",
        "failed_hint": "The log has the details.",
    },
    {
        "packages": "缺少它要的 Python 包：{names}",
        "packages_hint": "{python} -m pip install {names}",
        "packages_frozen": "这个安装包里的程序不能再加 Python 包。请改用 pipx 安装，"
        "再添加：pipx inject moltbot-desktop {names}",
        "bins": "缺少它要的程序：{names}",
        "bins_hint": "装好以后再打开这个插件。",
        "config": "它的设置不合要求：{reasons}",
        "config_hint": "请改正 plugins.entries.{id}.config。",
        "waits": "它的 register 是协程；应是普通函数",
        "failed": "register 失败：{reason}",
        "failed_hint": "日志里有详情。",
    },
)


@dataclass(frozen=True)
class Lent:
    """What the program lends one plugin; `close` takes it back."""

    runtime: PluginRuntime
    close: Callable[[], None]


class Lender(Protocol):
    """The program's side of a plugin's life."""

    @property
    def python(self) -> str:
        """The interpreter whose pip installs what is missing; "" when there is none."""
        ...

    @property
    def clock(self) -> Clock: ...

    def secret(self, name: str) -> str:
        """What ``keyring:NAME`` in the settings stands for.

        Raises:
            MoltbotError: there is none.
        """
        ...

    def lend(self, manifest: PluginManifest, config: JsonObject) -> Lent: ...


@dataclass(frozen=True)
class OpenedPlugin:
    """A plugin that registered; nothing of it is in effect yet."""

    registration: Registration
    config: JsonObject
    _code: PluginCode
    _lent: Lent

    def close(self) -> None:
        """Give back what it was lent and forget its modules."""
        self._lent.close()
        self._code.forget()


def obstacles(
    found: FoundPlugin, entry: PluginEntry, python: str, language: Language
) -> PluginInvalid | None:
    """Why a plugin cannot be run, as far as can be said without running it."""
    if found.manifest is None or found.problem:
        return PluginInvalid(found.problem, hint=found.hint, mistakes=found.mistakes)
    lacks = missing(found.manifest.requires)
    if lacks.packages:
        names = ", ".join(lacks.packages)
        quoted = " ".join(f'"{one}"' for one in lacks.packages)
        return PluginInvalid(
            _PHRASES.say("packages", language, names=names),
            hint=_PHRASES.say(
                "packages_hint" if python else "packages_frozen",
                language,
                python=python,
                names=quoted,
            ),
        )
    if lacks.bins:
        return PluginInvalid(
            _PHRASES.say("bins", language, names=", ".join(lacks.bins)),
            hint=_PHRASES.say("bins_hint", language),
        )
    if entry.problem is not None:
        return PluginInvalid(entry.problem.message, hint=entry.problem.hint)
    return _config_obstacle(
        found.manifest, check_config(found.manifest.config_schema, entry.config, language).mistakes,
        language,
    )  # fmt: skip


def _config_obstacle(
    manifest: PluginManifest, mistakes: tuple[ManifestMistake, ...], language: Language
) -> PluginInvalid | None:
    if not mistakes:
        return None
    reasons = "; ".join(f"{one.path}: {one.message}".removeprefix(": ") for one in mistakes)
    return PluginInvalid(
        _PHRASES.say("config", language, reasons=reasons),
        hint=_PHRASES.say("config_hint", language, id=manifest.id),
        mistakes=mistakes,
    )


def open_plugin(
    found: FoundPlugin, entry: PluginEntry, lender: Lender, language: Language
) -> OpenedPlugin:
    """Run it and let it register; blocks as long as that takes.

    Raises:
        MoltbotError: it cannot be used; nothing of it is left.
    """
    obstacle = obstacles(found, entry, lender.python, language)
    if obstacle is not None or found.manifest is None:
        raise obstacle or PluginInvalid(found.problem)
    began = lender.clock.monotonic()
    checked = check_config(found.manifest.config_schema, entry.config, language)
    config = with_secrets(checked.value, lender.secret)
    code = load_plugin(found.folder, found.id)
    lent = lender.lend(found.manifest, config)
    scratch = Scratch(language)
    surface = PluginSurface(found.manifest, found.folder, config, lent.runtime, scratch)
    try:
        _registered(code, surface, language)
        registration = scratch.finished()
    except MoltbotError as error:
        lent.close()
        code.forget()
        raise PluginInvalid(error.message, hint=error.hint) from error
    took = lender.clock.monotonic() - began
    if took > SLOW_SECONDS:
        _log.warning("plugin %s took %.1f seconds to come in", found.id, took)
    return OpenedPlugin(registration, config, code, lent)


def _registered(code: PluginCode, surface: PluginSurface, language: Language) -> None:
    try:
        answer = code.register(surface)
    except (Exception, SystemExit) as error:
        if isinstance(error, MoltbotError):
            raise
        _log.exception("plugin %s: register failed", surface.id)
        reason = f"{type(error).__name__}: {error}"[:300]
        raise PluginInvalid(
            _PHRASES.say("failed", language, reason=reason),
            hint=_PHRASES.say("failed_hint", language),
        ) from error
    if inspect.iscoroutine(answer):
        answer.close()
        raise PluginInvalid(_PHRASES.say("waits", language))


def with_secrets(config: JsonObject, secret: Callable[[str], str]) -> JsonObject:
    """`config` with what the password store keeps in the place of its names.

    Args:
        secret: looks a name up; it may block.

    Raises:
        MoltbotError: there is none of a name.
    """
    return {name: _revealed(value, secret) for name, value in config.items()}


def _revealed(value: JsonValue, secret: Callable[[str], str]) -> JsonValue:
    if isinstance(value, str):
        name = value.removeprefix(_KEYRING)
        return secret(name) if name != value and name else value
    if isinstance(value, Mapping):
        return {name: _revealed(inner, secret) for name, inner in value.items()}
    if isinstance(value, list):
        return [_revealed(inner, secret) for inner in value]
    return value
