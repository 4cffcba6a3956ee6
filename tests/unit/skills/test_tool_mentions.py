"""A skill that speaks of tools that there are not: what counts as a call, and what is said."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.skills.frontmatter import parse_skill
from moltbot_desktop.skills.tool_mentions import KnownTools, ToolRemark, called_in, check_tools

KNOWN = KnownTools(frozenset({"read", "write", "memory_search"}), ("mcp__time__",))


def remarks(body: str, front: str = "", known: KnownTools = KNOWN) -> tuple[ToolRemark, ...]:
    text = f"---\nname: x\ndescription: Helps every day.\n{front}---\n{body}\n"
    return tuple(check_tools(parse_skill(text.encode()), known))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("1. Call `read` with path `garden.md`.", ("read",)),
        ("Call\n`read`, then call the tool `write`.", ("read", "write")),
        ("The `memory_search` tool finds it.", ("memory_search",)),
        ("先调用 `read`，再用工具 `write`。", ("read", "write")),
        ('Say `read(path="a.md")` or `undo()`.', ("read", "undo")),
        ('```\nread(path="a")\n  write(path="b")\nread(path="c")\n```', ("read", "write")),
        ("~~~\nread(path=1)\n```\nwrite(path=2)\n~~~", ("read", "write")),
        ("```python\nprint(end=1)\n```\nCall `read`.", ("read",)),
        ("```\nread(path=1)", ("read",)),
        ("```\nread the file\nsum(1, 2)\n```", ()),
        ("With `offset` 200, use `when`; the column `date`; `substr(date, 1, 7)`.", ()),
        ("Run `git status` and call `Ada`.", ()),
        ("", ()),
    ],
)
def test_what_counts_as_a_call(text: str, names: tuple[str, ...]) -> None:
    assert called_in(text) == names


COMMAND = "command-dispatch: tool\ncommand-tool: raed\n"


def test_a_command_that_goes_nowhere_is_an_error_with_names_near_it() -> None:
    (one,) = remarks("Do it.", COMMAND)
    assert one.serious and "raed" in one.words(Language.ENGLISH)
    assert one.advice(Language.ENGLISH) == "Near it: read."
    (far,) = remarks("Do it.", COMMAND.replace("raed", "umbrella"))
    assert far.serious and "plugin" in far.advice(Language.ENGLISH)


def test_a_call_in_the_text_is_a_hint() -> None:
    (one,) = remarks("Call `read`, then `wirte` is near; call `wirte`.")
    assert not one.serious and one.near == ("write",)
    assert remarks("Call `mcp__time__now`.") == ()


@pytest.mark.parametrize("language", Language)
def test_who_else_may_bring_it_is_said(language: Language) -> None:
    known = KnownTools(KNOWN.names, (), ("dice",))
    command, text = remarks("Call `throw_dice`.", COMMAND, known)
    assert not command.serious, "the plugin may well have it"
    assert "dice" in command.advice(language) and "read" in command.advice(language)
    assert "throw_dice" in text.words(language) and "dice" in text.advice(language)


@settings(max_examples=80)
@given(st.text(alphabet="`~c a1l(=)\n_用工具", max_size=60))
def test_any_text_has_an_answer(text: str) -> None:
    assert all(name.isidentifier() for name in called_in(text))


def test_many_fences_that_never_close_cost_no_more_than_their_lines() -> None:
    assert called_in("~~~x\n" * 100_000) == ()
