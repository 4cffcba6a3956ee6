"""The pages of docs/reference: every setting and every command, in English and Chinese.

    python3 packaging/dev.py docs

They are made of what the program itself goes by (the schema of moltbot.json, the grammar of the
command line, and their Chinese), so they cannot say anything else; a test fails on one that is not
what would be written now. Runs in the environment, because it imports the program.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from devtools.places import ROOT, say
from moltbot_desktop.cli.parser import command_grammar
from moltbot_desktop.config.chinese import in_chinese
from moltbot_desktop.config.settings import json_schema
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject, JsonValue

FOLDER = ROOT / "moltbot_desktop" / "docs" / "reference"


@dataclass(frozen=True)
class _Words:
    """What a page says around the program's own words."""

    settings: str
    about_settings: str
    columns: tuple[str, str, str]
    yes_no: str
    number: str
    whole: str
    text: str
    several: str
    table: str
    either: str
    from_to: str
    named: str
    commands: str
    about_commands: str


_ENGLISH = _Words(
    settings="# Settings",
    about_settings="Every setting of `moltbot.json`, made from the program itself"
    " ([中文](settings.zh.md)). The window's place *Settings* shows them as forms;"
    " `moltbot-desktop config get` and `config set` read and write them in a shell. Beside them"
    " the file may have `$include`, files that are taken in, and `$schema`, for editors.",
    columns=("setting", "what may stand there; default", "what it does"),
    yes_no="`true` or `false`",
    number="a number",
    whole="a whole number",
    text="text",
    several="a list",
    table="a table",
    either=" or ",
    from_to="{kind}, {low} to {high}",
    named=": ",
    commands="# Command line",
    about_commands="Every command of `moltbot-desktop`, made from the program itself"
    " ([中文](command-line.zh.md)). `--help` behind any of them says the same."
    " In a checkout the program is `.venv/bin/moltbot-desktop`. Plugins may bring more.",
)
_CHINESE = _Words(
    settings="# 设置",
    about_settings="`moltbot.json` 的全部设置，由程序自身生成（[English](settings.md)）。"
    "窗口里的“设置”用表单显示它们；在终端里用 `moltbot-desktop config get` 和 `config set` 读写。"
    "此外文件里还可以有 `$include`（要并入的文件）和 `$schema`（供编辑器使用）。",
    columns=("设置", "可以写什么；默认值", "作用"),
    yes_no="`true` 或 `false`",
    number="数字",
    whole="整数",
    text="文字",
    several="列表",
    table="对象",
    either=" 或 ",
    from_to="{kind}，{low} 到 {high}",
    named="：",
    commands="# 命令行",
    about_commands="`moltbot-desktop` 的全部命令，由程序自身生成（[English](command-line.md)）。"
    "在任何命令后面加 `--help` 也能看到。在源码目录里，程序是 `.venv/bin/moltbot-desktop`。"
    "插件可能带来更多命令。",
)


def pages() -> Mapping[str, str]:
    """What each page of the folder says, by its name."""
    return {
        "settings.md": settings_page(json_schema(), _ENGLISH),
        "settings.zh.md": settings_page(in_chinese(json_schema()), _CHINESE),
        "command-line.md": commands_page(command_grammar(Language.ENGLISH), _ENGLISH),
        "command-line.zh.md": commands_page(command_grammar(Language.CHINESE), _CHINESE),
    }


def write(folder: Path = FOLDER) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (folder / name).write_text(text, encoding="utf-8")


def settings_page(schema: JsonObject, words: _Words) -> str:
    lines = [words.settings, "", words.about_settings]
    for group, inner in _properties(schema):
        if group.startswith("$"):
            continue
        rows = [_row(place, one, words) for place, one in _fields(group, inner)]
        title = inner.get("title")
        lines += ["", f"## {group}" + (f" ({title})" if isinstance(title, str) else ""), ""]
        lines += [f"| {' | '.join(words.columns)} |", "|---|---|---|", *rows]
    return "\n".join(lines) + "\n"


def _properties(schema: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    found = schema.get("properties")
    if isinstance(found, Mapping):
        for name, one in found.items():
            if isinstance(one, Mapping):
                yield name, one


def _fields(place: str, schema: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    """The settings at `place` and below. A table is one itself only where it says something; of a
    list and of a table with free names the inner fields follow, at `place[]` and `place.NAME`."""
    below = list(_below(place, schema))
    if not below or "description" in schema or "default" in schema:
        yield place, schema
    for inner, one in below:
        yield from _fields(inner, one)


def _below(place: str, schema: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    for one in _forms(schema):
        yield from ((f"{place}.{name}", inner) for name, inner in _properties(one))
        for keyword, mark in (("items", "[]"), ("additionalProperties", ".NAME")):
            inner = one.get(keyword)
            if isinstance(inner, Mapping):
                yield from _below(f"{place}{mark}", inner)


def _forms(schema: JsonObject) -> Iterator[JsonObject]:
    """The schema itself, and each of its alternatives."""
    yield schema
    for one in _list(schema.get("anyOf")):
        if isinstance(one, Mapping):
            yield from _forms(one)


def _row(place: str, schema: JsonObject, words: _Words) -> str:
    may = _may(schema, words)
    if "default" in schema and schema["default"] not in (None, [], {}):
        may += f"; `{_json(schema['default'])}`"
    said = [str(schema[one]) for one in ("title", "description") if one in schema]
    return f"| `{place}` | {_cell(may)} | {_cell(words.named.join(said))} |"


def _may(schema: JsonObject, words: _Words) -> str:
    """What may stand at a setting, in words."""
    if forms := [one for one in _list(schema.get("anyOf")) if isinstance(one, Mapping)]:
        return words.either.join(dict.fromkeys(_may(one, words) for one in forms))
    if "const" in schema:
        return f"`{_json(schema['const'])}`"
    if choices := _list(schema.get("enum")):
        return ", ".join(f"`{_json(one)}`" for one in choices)
    kind = schema.get("type")
    if kind in ("integer", "number"):
        name = words.whole if kind == "integer" else words.number
        low, high = schema.get("minimum"), schema.get("maximum")
        if low is None or high is None:
            return name
        return words.from_to.format(kind=name, low=_json(low), high=_json(high))
    known = {"boolean": words.yes_no, "array": words.several, "object": words.table}
    return "`null`" if kind == "null" else known.get(str(kind), words.text)


def _list(value: JsonValue) -> Sequence[JsonValue]:
    return value if isinstance(value, list | tuple) else ()


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)


def _cell(text: str) -> str:
    """In a cell of a table. A word in angle brackets would be read as a tag."""
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def commands_page(parser: argparse.ArgumentParser, words: _Words) -> str:
    lines = [words.commands, "", words.about_commands, ""]
    lines += _listed(parser)
    for below, about in _subcommands(parser):
        lines += ["", f"## {below.prog.partition(' ')[2]}", "", about, *_explained(below)]
    return "\n".join(lines) + "\n"


def _explained(parser: argparse.ArgumentParser) -> Iterator[str]:
    """How it is written, and what each word means; then all below it."""
    inner = _subcommands(parser)
    if not inner:
        yield from ("", "```", " ".join(_usage(parser)), "```")
        listed = _listed(parser)
        yield from ("", *listed) if listed else ()
    for one, about in inner:
        yield from ("", f"### {one.prog.partition(' ')[2]}", "", about, *_explained(one))


def _listed(parser: argparse.ArgumentParser) -> list[str]:
    return [
        f"- `{_name(one)}`: {one.help.replace('%(default)s', str(one.default))}"
        for one in parser._actions
        if one.help and one.help != argparse.SUPPRESS and not _ignored(one)
    ]


def _name(action: argparse.Action) -> str:
    value = str(action.metavar or action.dest)
    if not action.option_strings:
        return value
    takes = "" if action.nargs == 0 else f" {value}"
    return ", ".join(f"{one}{takes}" for one in action.option_strings)


def _ignored(action: argparse.Action) -> bool:
    return isinstance(action, argparse._HelpAction | argparse._SubParsersAction)


def _usage(parser: argparse.ArgumentParser) -> Iterator[str]:
    """As argparse writes it, but in one line whatever the width of the terminal is."""
    if parser.usage:
        yield parser.usage.replace("%(prog)s", parser.prog)
        return
    yield parser.prog
    shown = [one for one in parser._actions if not _ignored(one)]
    for one in sorted(shown, key=lambda action: bool(action.option_strings)):
        name = _name(one).split(", ")[0]
        yield name if one.required else f"[{name}]"


def _subcommands(
    parser: argparse.ArgumentParser,
) -> list[tuple[argparse.ArgumentParser, str]]:
    """The commands below, in their order, and what their list says of each."""
    return [
        (action.choices[one.dest], one.help or "")
        for action in parser._actions
        if isinstance(action, argparse._SubParsersAction)
        for one in action._choices_actions
    ]


if __name__ == "__main__":
    write()
    say(f"Written: {FOLDER.relative_to(ROOT)}")
