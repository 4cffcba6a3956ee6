"""What a command model is asked about a file by its whole path."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.agent.named_file import as_file, to_read
from moltbot_desktop.core.messages import ToolCall

PATHS = [
    "/tmp/pytest-125/gw0/beds.py",
    "~/notes/plan v2.md",
    "~/.config/app.conf",
    "C:\\Users\\me\\a-b_c.txt",
    "D:/src/1.rs",
    "/home/我/报告.第二版.txt",
]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "words",
    [
        *("read {}", "Please read {}.", "could you show me {}, please?", "cat {}", "READ {}"),
        *("what is in {}?", "What's in the file {}", "what does {} say?", "show me what's in {}"),
        *("show me the contents of {}", "read {} to me, thanks!", "just read the file {}"),
        *("读一下 {}", "看看{}的内容", "请读取 {}。", "{} 里写了什么？", "{}里面是什么"),
        *("帮我看一下 {} 里面有什么",),
        *("{}里是什么内容", "读{}给我听", "显示文件：{}", "麻烦你读一下{}吧"),
    ],
)  # fmt: skip
def test_asking_words_around_one_path_read_it(words: str, path: str) -> None:
    said = words.format(f'"{path}"' if " " in path else path)
    [call] = to_read(said)
    assert (call.name, call.arguments, call.confidence) == ("read", {"path": path}, 1.0)


@pytest.mark.parametrize(
    "words",
    [
        *("read notes.md", "read ./a.py", "read media/a.py", "read a/b.py", "read /tmp/folder"),
        *("read /a/b.txt and /a/c.txt", "read /a/b.txt/c", "read □ /a/b.txt", "read /a/b"),
        *("read https://example.org/a.html", "what's in example.org/a.html?", "read //host/a.txt"),
        *("delete /a/b.txt", "write hello to /a/b.txt", "open /a/b.txt", "is /a/b.txt old?"),
        *("remember that /a/b.txt holds the code", "read /a/b.txt and remind me at 5", "/a/b.txt"),
        *("don't read /a/b.txt", "what is in stock at /a/b.txt", "summarise /a/b.txt"),
        *("删除 /a/b.txt", "不要读 /a/b.txt", "记住 /a/b.txt 里有密码", "读 /a/b.txt，然后提醒我"),
        *("read the minutes/2026.md", "read 1/2.5", "read C:drive.txt", "", "读", "read /"),
        f"read /{'a' * 500}.txt",
    ],
)  # fmt: skip
def test_everything_else_is_left_to_the_model(words: str) -> None:
    assert to_read(words) == ()


@given(st.text(st.sampled_from('read 看 /~.\\"“C:□a\n的内容?'), max_size=600))
def test_whatever_is_said_one_path_of_the_persons_own_words_is_read(said: str) -> None:
    for call in to_read(said):
        assert len(said) <= 500 and said.count(str(call.arguments["path"])) >= 1


@pytest.mark.parametrize("path", [*PATHS, "/tmp/folder", "~/x"])
def test_a_place_on_this_computer_is_not_fetched_from_the_web(path: str) -> None:
    call = ToolCall("c1", "web_fetch", {"url": path}, confidence=0.6)
    assert as_file(call) == ToolCall("c1", "read", {"path": path}, confidence=0.6)


@pytest.mark.parametrize(
    "call",
    [
        *(ToolCall("c1", "web_fetch", {"url": url}) for url in ("example.org/a.md", "http://a/b")),
        *(ToolCall("c1", "web_fetch", {"url": url}) for url in ("//host/a", "file.md", "")),
        ToolCall("c1", "web_fetch", {}),
        ToolCall("c1", "open", {"target": "/a/b.md"}),
        ToolCall("c1", "web_form", {"url": "/a/b.md"}),
    ],
)
def test_any_other_call_stays(call: ToolCall) -> None:
    assert as_file(call) is call
