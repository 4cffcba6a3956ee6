"""What a card says about who may be speaking through the assistant."""

from __future__ import annotations

from dataclasses import replace

import pytest

from moltbot_desktop.agent.provenance import source_of, sources_in_words, taint_in_words
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.core.memories import Use, UsedMemory
from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.sdk.tools import Effect, ToolResult, ToolSpec
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.security.sources import Source, SourceKind

PLAIN = ToolResult({}, "", taints=True)


def spec(name: str, effect: Effect, paths: tuple[str, ...] = ()) -> ToolSpec:
    return ToolSpec(name, "", {"type": "object"}, effect, path_arguments=paths)


@pytest.mark.parametrize(
    ("tool", "effect", "arguments", "stored"),
    [
        ("web_fetch", Effect.WEB_READ, {"url": "https://e.org/a"}, "page:https://e.org/a"),
        ("web_search", Effect.WEB_READ, {"query": "tea"}, "search:tea"),
        ("mcp__files__list", Effect.FOREIGN, {}, "server:files · list"),
        ("plugged", Effect.FOREIGN, {"url": "x"}, "tool:plugged"),
        ("exec", Effect.EXEC, {"command": "curl -H secret"}, "command:curl"),
        ("memory_search", Effect.MEMORY_READ, {"query": "tea"}, "memory:"),
        ("memory_get", Effect.MEMORY_READ, {"path": "memory/a.md"}, "memory:memory/a.md"),
        ("sessions_history", Effect.SESSION_READ, {"sessionKey": "main"}, "conversation:main"),
    ],
)
def test_a_result_is_named_by_where_it_came_from(
    tool: str, effect: Effect, arguments: dict[str, JsonValue], stored: str
) -> None:
    (found,) = source_of(spec(tool, effect), ToolCall("1", tool, arguments), PLAIN)
    assert found.stored == stored


def test_a_file_is_named_and_a_long_result_is_not_named_again() -> None:
    read = spec("read", Effect.FILE_READ, ("path",))
    (file,) = source_of(read, ToolCall("1", "read", {"path": "in/offer.pdf"}), PLAIN)
    assert file == Source(SourceKind.FILE, "in/offer.pdf")
    assert source_of(read, ToolCall("1", "read", {"path": "result:3"}), PLAIN) == ()


def test_the_browser_says_which_page_it_looked_at() -> None:
    browser = spec("browser", Effect.BROWSER_ACT)
    snapshot = ToolCall("1", "browser", {"action": "snapshot"})
    (page,) = source_of(
        browser, snapshot, replace(PLAIN, data={"url": "https://shop.example/order"})
    )
    assert page == Source(SourceKind.PAGE, "https://shop.example/order")
    (tool,) = source_of(browser, snapshot, replace(PLAIN, data={"error": "no page"}))
    assert tool == Source(SourceKind.TOOL, "browser")


@pytest.mark.parametrize("language", Language)
def test_every_kind_has_words_in_both_languages(language: Language) -> None:
    assert taint_in_words(Labels(private=True), language) == ""
    assert taint_in_words(Labels(untrusted=True), language)
    for kind in SourceKind:
        named = Labels(True, False, (Source(kind, "Mallory"),))
        assert "“Mallory”" in taint_in_words(named, language)
        assert taint_in_words(Labels(True, False, (Source(kind),)), language)


def test_the_card_tells_the_first_and_the_last() -> None:
    sources = (Source(SourceKind.SENDER, "Ada (7)"), Source(SourceKind.PAGE, "e.org"))
    assert taint_in_words(Labels(True, True, sources), Language.ENGLISH) == (
        "Text from others is in this conversation (messages from “Ada (7)”; the page “e.org”)."
    )


def test_a_search_in_memory_names_the_note_that_was_found() -> None:
    search = spec("memory_search", Effect.MEMORY_READ)
    used = (UsedMemory("memory/2026-01-05.md", 3, 3, 0.5, "0123", Use.FOUND),)
    found = source_of(search, ToolCall("1", "memory_search", {}), replace(PLAIN, memories=used))
    assert found == (Source(SourceKind.MEMORY, "memory/2026-01-05.md"),)


@pytest.mark.parametrize(
    ("name", "english", "chinese"),
    [
        ("desktop", "what is on your screen", "你屏幕上的内容"),
        ("reminder_list", "what came of “Look at reminders”", "“查看提醒”的结果"),
        ("their_tool", "the tool “their_tool”", "工具“their_tool”"),
    ],
)
def test_no_internal_name_of_ours_is_on_a_card(name: str, english: str, chinese: str) -> None:
    sources = (Source(SourceKind.TOOL, name),)
    assert sources_in_words(sources, Language.ENGLISH) == english
    assert sources_in_words(sources, Language.CHINESE) == chinese
