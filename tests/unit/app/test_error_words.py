"""What rooms refuse that know no language is told in the person's."""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import moltbot_desktop
from moltbot_desktop.core import errors
from moltbot_desktop.core.error_words import in_words, translated
from moltbot_desktop.core.i18n import Language, language_of
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.gateway.rpc.frames import RpcFailure
from moltbot_desktop.gateway.rpc.methods import Given, Method, Methods, Repeats

ROOT = Path(moltbot_desktop.__file__).parent
ROOMS = ("backup", "sessions", "schedule", "memory", "storage", "cli", "gateway/rpc")
FILES = (
    "app/backup_desk.py",
    *("app/forgetting.py", "app/library.py", "app/sessions_command.py", "app/paths.py"),
    *("gateway/decisions.py", "gateway/session_desks.py", "gateway/socket_desk.py"),
    "gateway/handed_files.py",
    *("models/library.py", "core/traffic.py", "security/egress.py", "security/seal.py"),
    *("models/gguf_header.py", "models/llama.py", "models/embedding.py", "models/probe.py"),
)
TO_THE_MODEL = ("storage/scratch_table.py",)
"""Refused to the model that wrote the query; a person hears of it in the tool's own words."""
KNOWN = {name for name in vars(errors) if isinstance(getattr(errors, name), type)} | {"_Refused"}


def text_of(node: ast.AST) -> str:
    """A literal, with 7 for what stands in it; "" for what is made elsewhere."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(map(_part, node.values))
    return ""


def _part(node: ast.AST) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.FormattedValue) and isinstance(node.value, ast.IfExp):
        return text_of(node.value.body)
    return "7"


def test_why_a_job_was_given_up_is_told_in_chinese() -> None:
    told = translated("The program ended 3 times in the middle of it.", Language.CHINESE)
    assert told == "程序有 3 次中途退出，没能做完。"


def refusals() -> Iterator[tuple[str, str]]:
    paths = {path for room in ROOMS for path in (ROOT / room).glob("*.py")}
    paths |= {ROOT / name for name in FILES}
    for path in sorted(paths - {ROOT / name for name in TO_THE_MODEL}):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or getattr(node.func, "id", "") not in KNOWN:
                continue
            hints = (one.value for one in node.keywords if one.arg == "hint")
            for text in filter(None, map(text_of, (*node.args[:1], *hints))):
                yield path.relative_to(ROOT).as_posix(), text


def test_every_refusal_of_these_rooms_has_chinese_words() -> None:
    found = list(refusals())
    assert len(found) > 80
    missing = [
        f"{path}: {text}"
        for path, text in found
        if language_of(translated(text, Language.CHINESE)) is not Language.CHINESE
    ]
    assert missing == []


LEFT_OUT = (
    *("config.set", "chat.inject", "exec.approval.resolve", "node.list", "web.login.start"),
    *(
        "channels.logout",
        "skills.install",
        "skills.update",
        "update.run",
        "wizard.start",
        "no.such.method",
    ),
)
MISTAKES: tuple[JsonObject, ...] = (
    *({}, {"n": 1, "x": 1, "y": 2}, {"n": 1, "x": 1}, {"n": "1"}, {"n": 0}, {"n": 99}),
    *({"n": 1, "word": ""}, {"n": 1, "word": "   "}, {"n": 1, "word": "x" * 99}),
    {"n": 1, "kind": "c"},
    {"n": 1, "word": ["x"] * 3_000},
)


@pytest.mark.parametrize(
    ("name", "params"), [*((name, {}) for name in LEFT_OUT), *(("m", one) for one in MISTAKES)]
)
def test_what_the_local_socket_refuses_has_chinese_words(name: str, params: JsonObject) -> None:
    async def nothing(_: Given) -> JsonValue:
        return {}

    properties: dict[str, JsonObject] = {
        "n": {"type": "integer", "minimum": 1, "maximum": 9},
        "word": {"type": "string", "minLength": 1, "maxLength": 9, "pattern": r"\S"},
        "kind": {"enum": ["a", "b"]},
    }
    methods = Methods((Method("m", nothing, properties, ("n",)),), Repeats(lambda: 0.0))
    with pytest.raises(RpcFailure) as refused:
        asyncio.run(methods.call(name, params))
    english = refused.value.message
    assert language_of(english) is Language.ENGLISH
    assert language_of(translated(english, Language.CHINESE)) is Language.CHINESE


@pytest.mark.parametrize(
    ("message", "hint", "told"),
    [
        (
            "There is no job “x”.",
            "`cron list` shows what there is.",
            "没有任务“x”。用“cron list”可以看到全部任务。",
        ),
        ("/a could not be used: No such file or directory.", "", "没有 /a。"),
        (
            "Job 3: It does nothing. A payload has a kind: systemEvent or agentTurn.",
            "",
            "第 3 个任务：它什么也不做。payload 要有 kind：systemEvent 或 agentTurn。",
        ),
        ("Nobody has translated this.", "", "Nobody has translated this."),
    ],
)
def test_a_refusal_in_chinese(message: str, hint: str, told: str) -> None:
    error = errors.UserInputInvalid(message, hint=hint)
    assert in_words(error, Language.CHINESE) == told
    assert in_words(error, Language.ENGLISH) == f"{message} {hint}".strip()


@given(st.text(max_size=60), st.text(max_size=20))
@example("", "It has no schedule.")
def test_any_text_can_be_told(text: str, name: str) -> None:
    translated(text, Language.CHINESE)
    assert name in translated(f"There is no job “{name}”.", Language.CHINESE)
