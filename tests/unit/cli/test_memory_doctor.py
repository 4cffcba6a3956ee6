"""`memory doctor`: each finding has a sentence in both languages, the exit code is honest."""

from __future__ import annotations

import ast
import inspect
import io
import json
import string
from collections.abc import Sequence

import pytest

from moltbot_desktop.cli import memory_doctor
from moltbot_desktop.cli.memory_doctor import doctor
from moltbot_desktop.cli.parser import Arguments, parse
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.memory import doctor as examination
from moltbot_desktop.sdk.health import Finding, Health

WELL = Finding("inbox", Health.OK, "empty")
WAITING = Finding("inbox", Health.NOTE, "waiting", {"count": 2})
ILL = Finding("index", Health.TROUBLE, "damaged", {"path": "x", "fault": "no table"})
MENDED = Finding("fix", Health.OK, "set_aside", {"path": "index-1.sqlite"})


def told(
    findings: Sequence[Finding],
    done: Sequence[Finding] = (),
    *,
    language: Language = Language.ENGLISH,
    fix: bool = False,
    as_json: bool = False,
) -> tuple[int, str]:
    out = io.StringIO()
    arguments = Arguments("memory", "doctor", fix=fix, json=as_json)
    return doctor(lambda: findings, lambda: done, arguments, language, out), out.getvalue()


def test_a_note_is_no_trouble() -> None:
    code, text = told([WELL, WAITING])
    assert code == 0
    assert "note     Waiting for your yes: 2." in text
    assert text.endswith("All is well.\n")


def test_trouble_says_what_to_try() -> None:
    code, text = told([WELL, ILL])
    assert code == 1
    assert "problem  The search index is damaged." in text
    assert text.endswith("Try: moltbot-desktop memory doctor --fix\n")


def test_only_with_fix_anything_is_done() -> None:
    assert "Done" not in told([WELL], [MENDED])[1]
    code, text = told([WELL], [MENDED], fix=True)
    assert code == 0
    assert "Done:\n- Set index-1.sqlite aside" in text


def test_what_fix_could_not_mend_is_not_advised_again() -> None:
    code, text = told([ILL], [MENDED], fix=True)
    assert code == 1
    assert "Try:" not in text


def test_json_has_codes_and_sentences() -> None:
    code, text = told([ILL], [MENDED], fix=True, as_json=True, language=Language.CHINESE)
    found = json.loads(text)
    assert code == 1
    assert not found["ok"]
    assert found["findings"][0]["code"] == "damaged"
    assert found["findings"][0]["text"].startswith("搜索索引已损坏。")
    assert found["findings"][0]["facts"]["fault"] == "no table"
    assert found["done"][0]["check"] == "fix"


def test_the_command_line_knows_it() -> None:
    assert parse(["memory", "doctor", "--fix", "--json"]) == Arguments(
        "memory", "doctor", fix=True, json=True
    )


def codes() -> list[tuple[str, str]]:
    """Each check and code that the examination may give, as its source says."""
    found = []
    for call in ast.walk(ast.parse(inspect.getsource(examination))):
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "Finding":
            check, _, code = call.args[:3]
            assert isinstance(check, ast.Constant)
            found += [
                (str(check.value), str(part.value))
                for part in ast.walk(code)
                if isinstance(part, ast.Constant)
            ]
    return found


@pytest.mark.parametrize(("check", "code"), codes())
def test_every_finding_has_its_sentence(check: str, code: str) -> None:
    phrases = memory_doctor._PHRASES
    english, chinese = (table[f"{check}.{code}"] for table in (phrases.english, phrases.chinese))
    assert slots(english) == slots(chinese)
    assert any("\u4e00" <= character <= "\u9fff" for character in chinese) or english == chinese


def slots(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}
