"""What a command model is asked when files come with a message."""

from __future__ import annotations

import pytest

from moltbot_desktop.agent.brought_files import BroughtFiles, brought_files
from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.sdk.attachments import AttachedFile

NOTE = AttachedFile("media/inbound/1-note.md", "text/plain")
PLAN = AttachedFile("media/inbound/2-plan.pdf", "application/pdf")
CAT = AttachedFile("media/inbound/3-cat.png", "image/png")


def asked(words: str, *files: AttachedFile) -> BroughtFiles:
    return brought_files("\n".join(filter(None, (words, *(one.line for one in files)))))


def paths(calls: tuple[ToolCall, ...]) -> list[object]:
    assert all(one.name == "read" for one in calls)
    return [one.arguments["path"] for one in calls]


@pytest.mark.parametrize(
    "words",
    ["", "read this", "What does it say?", "sum this up, please", "what's in the attached file?",
     "读一下", "这里面写了什么？", "总结一下这个文件"],
)  # fmt: skip
def test_words_about_a_file_read_it(words: str) -> None:
    assert paths(asked(words, NOTE, CAT, PLAN).calls) == [NOTE.place, PLAN.place]
    assert asked(words, CAT) == BroughtFiles(words, unseen=("cat.png",))


@pytest.mark.parametrize(
    "words",
    ["remember that this is the garage code", "remind me at 5 to read it", "17 * 3", "good morning",
     "记住这个文件", "提醒我明天看", "what " * 100],
)  # fmt: skip
def test_other_words_stand_alone(words: str) -> None:
    assert asked(words, NOTE, CAT) == BroughtFiles(words.strip())


def test_without_files_nothing_is_different() -> None:
    assert brought_files("read this") == BroughtFiles("read this")


def test_only_a_few_are_read_at_once() -> None:
    assert len(asked("read them", *[NOTE] * 9).calls) == 3
