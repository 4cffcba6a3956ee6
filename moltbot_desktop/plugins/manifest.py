"""What a plugin says about itself: ``moltbot.plugin.json``, read without running any of it.

    {
      "id": "weather",
      "name": "Weather",
      "configSchema": { "type": "object", "properties": { "units": { "type": "string" } } },
      "uiHints": { "units": { "label": "Units" } },
      "requires": { "packages": ["httpx>=0.27"], "bins": ["ffmpeg"] }
    }

    manifest = read_manifest(folder)              # the file's older names are understood too
    manifest = parse_manifest(data)               # the same of bytes

``id`` and ``configSchema`` are required. Strict JSON: a comment, a key written twice or a number
that JSON does not have is an error, because two readers that understand a file differently are how
one thing is shown and another done. Everything that is wrong is told at once, each with its path.
Keys nobody knows are left alone, so that a manifest may be newer than the program.
"""

from __future__ import annotations

import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from moltbot_desktop.core.errors import ManifestMistake, PluginInvalid
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.plugins.manifest_check import TEXTS, mistakes_in, texts_in
from moltbot_desktop.plugins.manifest_locales import in_language
from moltbot_desktop.plugins.strict_json import Unusable, parsed

MANIFEST_NAMES = ("moltbot.plugin.json", "clawdbot.plugin.json", "openclaw.plugin.json")
MAX_BYTES = 512_000
_PHRASES = Phrases(
    {
        "no_file": "{file} cannot be read: {reason}",
        "not_a_file": "it is not a file",
        "too_large": "{file} is larger than {kilobytes} KB",
        "not_utf8": "{file} is not UTF-8",
        "not_json": "{file} is not JSON: {reason} (line {line}, column {column})",
        "number": "{file} has a number that JSON does not have: {number}",
        "twice": "{file} has the key “{name}” twice in one group",
        "too_deep": "{file} is nested deeper than {depth} levels",
        "half_character": "{file} has half a character (a lone surrogate) in a text",
        "not_object": "expected a group {{ … }}",
        "id_missing": "it is missing; a plugin needs an id",
        "id": "expected letters, digits, - and _ (at most 64), beginning with a letter or digit",
        "schema_missing": 'it is missing; a plugin without settings says {{ "type": "object" }}',
        "schema_type": 'a plugin\'s settings are a group, so its type must be "object"',
        "text": "expected text",
        "list": "expected a list of texts",
        "package": "expected a package and its versions, such as httpx>=0.27",
        "outside": "expected a folder inside the plugin's own",
        "whole": "{id} cannot be used: {reasons}",
        "whole_hint": "Correct {file}.",
    },
    {
        "no_file": "读不了 {file}：{reason}",
        "not_a_file": "它不是文件",
        "too_large": "{file} 超过 {kilobytes} KB",
        "not_utf8": "{file} 不是 UTF-8",
        "not_json": "{file} 不是 JSON：{reason}（第 {line} 行第 {column} 列）",
        "number": "{file} 里有 JSON 没有的数字：{number}",
        "twice": "{file} 的同一组里有两个“{name}”",
        "too_deep": "{file} 的嵌套超过 {depth} 层",
        "half_character": "{file} 的文字里有半个字符（单独的代理码）",
        "not_object": "这里应是一组 {{ … }}",
        "id_missing": "缺少它；插件要有 id",
        "id": "应是字母、数字、- 和 _（最多 64 个），以字母或数字开头",
        "schema_missing": '缺少它；没有设置的插件写 {{ "type": "object" }}',
        "schema_type": '插件的设置是一组，所以 type 要是 "object"',
        "text": "这里应是文字",
        "list": "这里应是文字的列表",
        "package": "应是包名和版本，例如 httpx>=0.27",
        "outside": "应是插件自己文件夹里的文件夹",
        "whole": "{id} 不能用：{reasons}",
        "whole_hint": "请改正 {file}。",
    },
)


@dataclass(frozen=True)
class Requirements:
    """What must be there before a plugin is run.

    Attributes:
        packages: Python packages as pip would be given them, e.g. ``httpx>=0.27``.
        bins: programs on the PATH.
    """

    packages: tuple[str, ...] = ()
    bins: tuple[str, ...] = ()


@dataclass(frozen=True)
class ChannelConfig:
    """What a channel needs in ``channels.<id>``, apart from what every channel has there.

    Attributes:
        schema: JSON Schema of one account's settings.
        ui_hints: as `PluginManifest.ui_hints`.
        waiting: places in it that are known and do nothing yet, such as ``guilds.*.slug``.
    """

    schema: JsonObject = field(repr=False)
    ui_hints: Mapping[str, JsonObject] = field(default_factory=dict, repr=False)
    label: str = ""
    waiting: tuple[str, ...] = ()


@dataclass(frozen=True)
class PluginManifest:
    """A manifest without mistakes.

    Attributes:
        config_schema: JSON Schema of `plugins.entries.<id>.config`.
        ui_hints: by the path of a setting, how a form shows it.
        kind: the slot it may fill (``memory``), "" for most.
        skills: folders with skills, relative to the plugin's.
        commands: slash commands it registers, so that they can be named while it is off.
        channel_configs: by a channel's id, what belongs into its section of the settings.
    """

    id: str
    config_schema: JsonObject = field(repr=False)
    ui_hints: Mapping[str, JsonObject] = field(default_factory=dict, repr=False)
    name: str = ""
    description: str = ""
    version: str = ""
    kind: str = ""
    channels: tuple[str, ...] = ()
    providers: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    requires: Requirements = Requirements()
    channel_configs: Mapping[str, ChannelConfig] = field(default_factory=dict, repr=False)


def manifest_file(folder: Path) -> Path | None:
    """The manifest in `folder`, today's name before the older ones; None when there is none."""
    return next((folder / one for one in MANIFEST_NAMES if (folder / one).exists()), None)


def read_manifest(path: Path, language: Language = Language.ENGLISH) -> PluginManifest:
    """The manifest in the file `path`.

    Raises:
        PluginInvalid: it cannot be read or has mistakes; all of them are told.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe or a device could be read for ever
            raise OSError(None, _PHRASES.say("not_a_file", language))
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        said = _PHRASES.say("no_file", language, file=path.name, reason=reason)
        raise PluginInvalid(said, mistakes=(ManifestMistake("", said),)) from error
    return parse_manifest(data, path.name, language)


def parse_manifest(
    data: bytes, name: str = MANIFEST_NAMES[0], language: Language = Language.ENGLISH
) -> PluginManifest:
    """The manifest in `data`; `name` is the file's, for what is told.

    Raises:
        PluginInvalid: as `read_manifest`.
    """
    try:
        raw = parsed(data, MAX_BYTES)
    except Unusable as problem:
        said = _PHRASES.say(problem.phrase, language, file=name, **problem.slots)
        raise PluginInvalid(said, mistakes=(ManifestMistake("", said),)) from problem
    mistakes = tuple(
        ManifestMistake(one.path, _PHRASES.say(one.phrase, language)) for one in mistakes_in(raw)
    )
    if mistakes or not isinstance(raw, Mapping):
        called = raw.get("id") if isinstance(raw, Mapping) else None
        reasons = "; ".join(f"{one.path}: {one.message}".removeprefix(": ") for one in mistakes)
        raise PluginInvalid(
            _PHRASES.say(
                "whole", language, id=called if isinstance(called, str) else name, reasons=reasons
            ),
            hint=_PHRASES.say("whole_hint", language, file=name),
            mistakes=mistakes,
        )
    return _made(in_language(raw, language))


def _made(raw: JsonObject) -> PluginManifest:
    schema, hints, requires = (raw.get(one) for one in ("configSchema", "uiHints", "requires"))
    needed = requires if isinstance(requires, Mapping) else {}
    texts = {name: str(raw.get(name, "")).strip() for name in TEXTS}
    return PluginManifest(
        id=str(raw["id"]),
        config_schema=schema if isinstance(schema, Mapping) else {},
        ui_hints=_groups(hints),
        name=texts["name"],
        description=texts["description"],
        version=texts["version"],
        kind=texts["kind"],
        channels=texts_in(raw.get("channels")),
        providers=texts_in(raw.get("providers")),
        skills=texts_in(raw.get("skills")),
        commands=texts_in(raw.get("commands")),
        requires=Requirements(texts_in(needed.get("packages")), texts_in(needed.get("bins"))),
        channel_configs=MappingProxyType(
            {
                channel: _channel_config(config)
                for channel, config in _groups(raw.get("channelConfigs")).items()
            }
        ),
    )


def _channel_config(raw: JsonObject) -> ChannelConfig:
    schema = raw.get("schema")
    return ChannelConfig(
        schema if isinstance(schema, Mapping) else {"type": "object"},
        _groups(raw.get("uiHints")),
        str(raw.get("label", "")).strip(),
        texts_in(raw.get("waiting")),
    )


def _groups(value: JsonValue) -> Mapping[str, JsonObject]:
    """The groups in a group, by name."""
    found = value if isinstance(value, Mapping) else {}
    return MappingProxyType({name: one for name, one in found.items() if isinstance(one, Mapping)})
