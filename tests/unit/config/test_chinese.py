"""Every setting of moltbot.json has its name and meaning in Chinese."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from moltbot_desktop.config.chinese import MEANINGS, NAMES, in_chinese
from moltbot_desktop.config.form.form import open_form
from moltbot_desktop.config.settings import WAITS, json_schema
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonValue


def said(schema: JsonValue) -> Iterator[tuple[str, str]]:
    """Names of settings and what is told of them, each with its kind."""
    if isinstance(schema, list):
        for one in schema:
            yield from said(one)
    if not isinstance(schema, Mapping):
        return
    if isinstance(text := schema.get("description"), str):
        yield "meaning", text.removesuffix(f" {WAITS}")
    for keyword, inner in schema.items():
        if keyword == "properties" and isinstance(inner, Mapping):
            for name, one in inner.items():
                yield "name", name
                yield from said(one)
        elif keyword != "default":
            yield from said(inner)


def test_every_setting_has_its_name_and_meaning() -> None:
    """A new setting wants a line in config/chinese.py."""
    told = set(said(json_schema()))
    assert {name for kind, name in told if kind == "name"} - set(NAMES) == set()
    assert {text for kind, text in told if kind == "meaning"} - set(MEANINGS) == set()


def test_only_words_are_other_words() -> None:
    chinese = open_form(in_chinese(json_schema()), {"agents": {"list": [{"default": True}]}})
    fields = {node.place[0]: node for node in chinese.root(Language.CHINESE).children}
    assert fields["ui"].label == "界面"
    assert [one.label for one in fields["ui"].children] == [
        "风格",
        "语言",
        "快捷键",
        "通知内容",
        "随电脑启动",
    ]
    assert fields["ui"].children[0].help == "窗口的颜色。"
    [waits] = [one for one in fields["commands"].children if one.place[-1] == "restart"]
    assert waits.help == "允许 /restart。（会保留；这个版本不使用它。）"
    assert without_words(in_chinese(json_schema())) == without_words(json_schema())


def without_words(schema: JsonValue) -> JsonValue:
    if isinstance(schema, list):
        return [without_words(one) for one in schema]
    if isinstance(schema, Mapping):
        return {
            name: without_words(one)
            for name, one in schema.items()
            if not (name in ("title", "description") and isinstance(one, str))
        }
    return schema
