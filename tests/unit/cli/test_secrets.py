"""`moltbot-desktop secrets` in both languages."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from moltbot_desktop.cli.parser import Arguments, parse
from moltbot_desktop.cli.secrets import Streams, run_secrets
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.security.secrets import SecretStore
from tests.fakes.key_ring import MemoryKeyRing

VALUE = "sk-very-secret"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Desk:
    """The command over a store in memory."""

    def __init__(self, folder: Path) -> None:
        self.ring = MemoryKeyRing()
        self.store = SecretStore(folder / "secrets.json", lambda: self.ring)
        self.asked: list[str] = []

    def run(
        self,
        *line: str,
        input: io.StringIO | None = None,
        typed: str = "",
        language: Language = Language.ENGLISH,
    ) -> tuple[int, str]:
        output = io.StringIO()

        def ask(prompt: str) -> str:
            self.asked.append(prompt)
            return typed

        streams = Streams(input or Terminal(), output, ask)
        arguments = parse(["secrets", *line])
        return run_secrets(self.store, arguments, streams, language), output.getvalue()


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_lines() -> None:
    assert parse(["secrets", "set", "a"]) == Arguments("secrets", "set", name="a")
    assert parse(["secrets", "remove", "a"]) == Arguments("secrets", "remove", name="a")
    assert parse(["secrets", "list", "--json"]) == Arguments("secrets", "list", json=True)


@pytest.mark.parametrize("line", [["set"], ["set", "a", VALUE], ["show", "a"], []])
def test_a_value_is_never_an_argument(line: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse(["secrets", *line])
    assert "usage" in capsys.readouterr().err


def test_a_value_is_typed_without_being_shown(desk: Desk) -> None:
    code, said = desk.run("set", "openai", typed=VALUE)
    assert code == 0 and desk.store.get("openai") == VALUE
    assert "openai" in desk.asked[0] and "keyring:openai" in said and VALUE not in said


def test_a_value_comes_from_a_pipe(desk: Desk) -> None:
    desk.run("set", "openai", input=io.StringIO(VALUE + "\n"))
    assert desk.store.get("openai") == VALUE and not desk.asked


def interrupted(_prompt: str) -> str:
    raise KeyboardInterrupt


def ended(_prompt: str) -> str:
    raise EOFError


@pytest.mark.parametrize("ask", [interrupted, ended, lambda _prompt: "  "])
def test_no_value_changes_nothing(desk: Desk, ask: Callable[[str], str]) -> None:
    desk.store.set("a", VALUE)
    streams = Streams(Terminal(), io.StringIO(), ask)
    with pytest.raises(UserInputInvalid):
        run_secrets(desk.store, parse(["secrets", "set", "a"]), streams, Language.ENGLISH)
    assert desk.store.get("a") == VALUE


def test_names_are_listed_and_values_are_not(desk: Desk) -> None:
    assert "secrets set" in desk.run("list")[1]
    desk.store.set("b", VALUE)
    desk.store.set("a", VALUE)
    assert desk.run("list")[1] == "a\nb\n"
    assert json.loads(desk.run("list", "--json")[1]) == ["a", "b"]


def test_removing_says_whether_it_was_there(desk: Desk) -> None:
    desk.store.set("a", VALUE)
    assert desk.run("remove", "a") == (0, "Removed a.\n")
    assert desk.run("remove", "a") == (1, "There is no secret named a.\n")


def test_it_speaks_chinese(desk: Desk) -> None:
    assert "已保存" in desk.run("set", "a", typed=VALUE, language=Language.CHINESE)[1]
    assert desk.run("remove", "a", language=Language.CHINESE)[1] == "已删除 a。\n"
