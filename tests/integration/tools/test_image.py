"""`image`: what is shown to the model, and what is refused before it is asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.models import ChatModel
from moltbot_desktop.sdk.tools import ToolInput, ToolResult
from moltbot_desktop.tools.image import LARGEST_PICTURE, Image
from tests.fakes.chat_model import ScriptedChatModel, ScriptedTurn, says
from tests.fakes.tool_context import tool_context

PNG = b"\x89PNG\r\n\x1a\n"


def look(
    folder: Path, language: Language = Language.ENGLISH, words: str = "A cat.", **given: JsonValue
) -> tuple[ToolResult, ScriptedChatModel]:
    model = ScriptedChatModel([says(words) if words else ScriptedTurn()])

    @asynccontextmanager
    async def lent() -> AsyncIterator[ChatModel]:
        yield model

    tool = Image(lent)
    result = asyncio.run(tool.wait(ToolInput(given), tool_context(folder, language)))
    return result, model


@pytest.mark.parametrize(
    ("begin", "kind"),
    [
        (PNG, "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF89a", "image/gif"),
        (b"RIFF\x00\x00\x00\x00WEBP", "image/webp"),
    ],
)  # fmt: skip
def test_what_is_seen_is_told_and_taints(tmp_path: Path, begin: bytes, kind: str) -> None:
    (tmp_path / "a.bin").write_bytes(begin + b"rest")
    result, model = look(tmp_path, path="a.bin", question="What animal?")
    assert (result.data["seen"], result.display) == ("A cat.", "A cat.")
    assert result.taints and result.private
    [request] = model.requests
    [picture] = request.pictures
    assert (picture.media_type, picture.data) == (kind, begin + b"rest")
    assert request.messages[-1].content == "What animal?" and not request.tools


def test_without_a_question_it_is_described_in_the_persons_language(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(PNG)
    _, model = look(tmp_path, Language.CHINESE, path="a.png")
    assert model.requests[0].messages[-1].content == "描述这张图片。"


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.txt", b"words"), ("a.png", b"no picture"), ("big.png", PNG + bytes(LARGEST_PICTURE)),
        ("none.png", None), ("../outside.png", PNG),
    ],
)  # fmt: skip
def test_what_cannot_be_shown_is_not_sent(
    tmp_path: Path, language: Language, name: str, data: bytes | None
) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    if data is not None:
        (workspace / name).write_bytes(data)
    result, model = look(workspace, language, path=name)
    assert not result.ok and not model.requests
    assert result.display.isascii() is False or language is Language.ENGLISH


def test_without_a_path_it_is_asked_for(tmp_path: Path) -> None:
    assert look(tmp_path)[0].question.startswith("Which picture")


def test_a_silent_model_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(PNG)
    result, _ = look(tmp_path, words="", path="a.png")
    assert not result.ok and "nothing" in result.display
