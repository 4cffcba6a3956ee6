"""`doctor`: what is told, what is asked, the exit code."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from moltbot_desktop.cli.doctor import run_doctor
from moltbot_desktop.cli.parser import parse
from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.audit import Finding, Modes, Repair, Setting, Severity, TakeBack

HOME = Finding(
    "fs.home.readable",
    Severity.WARNING,
    {"path": "/h", "kind": "home", "reachable": 1},
    Modes(Path("/h"), 0o700),
)
NOTE = Finding("gateway.http.on", Severity.INFO, {"port": 18_789})
GRANT = Finding(
    "grants.unused", Severity.INFO, {"what": "git", "id": "abc", "days": 1}, TakeBack("abc")
)


class FakeDoctor:
    """Mended things are gone at the next look."""

    def __init__(self, *findings: Finding, refuses: bool = False) -> None:
        self.findings = findings
        self.mended: list[Repair] = []
        self.refuses = refuses

    def examine(self) -> tuple[Finding, ...]:
        return tuple(one for one in self.findings if one.repair not in self.mended)

    def mend(self, repair: Repair) -> None:
        if self.refuses:
            raise StorageError("The disk says no.", hint="Ask it again.")
        self.mended.append(repair)


def told(
    doctor: FakeDoctor, *words: str, answer: str = "", language: Language = Language.ENGLISH
) -> tuple[int, str]:
    out = io.StringIO()
    code = run_doctor(doctor, parse(["doctor", *words]), lambda _: answer, language, out)
    return code, out.getvalue()


def test_nothing_found_is_one_warm_sentence() -> None:
    code, text = told(FakeDoctor())
    assert code == 0
    assert text.startswith("All is well: I found nothing that makes this unsafe.\n")
    assert told(FakeDoctor(), language=Language.CHINESE)[1].startswith("一切正常")


def test_a_note_asks_for_nothing() -> None:
    code, text = told(FakeDoctor(NOTE))
    assert code == 0
    assert "note      The local web server is on (port 18789).  [gateway.http.on]" in text


def test_a_finding_says_what_why_and_what_to_do() -> None:
    code, text = told(FakeDoctor(HOME), "security")
    assert code == 1
    assert "warning   Others on this computer may read my folder: /h  [fs.home.readable]\n" in text
    assert "    chmod 700 /h\n" in text
    assert "doctor security --fix" in text


@pytest.mark.parametrize("answer", ["", "\n", "n\n", "perhaps\n"])
def test_only_a_yes_mends(answer: str) -> None:
    doctor = FakeDoctor(HOME)
    code, text = told(doctor, "--fix", answer=answer)
    assert (code, doctor.mended) == (1, [])
    assert "- chmod 700 /h" in text and "Nothing was changed." in text


@pytest.mark.parametrize(("words", "answer"), [((), "y\n"), ((), "是\n"), (("--yes",), "")])
def test_a_yes_mends_and_looks_again(words: tuple[str, ...], answer: str) -> None:
    doctor = FakeDoctor(HOME, HOME, GRANT)
    code, text = told(doctor, "--fix", *words, answer=answer)
    assert code == 0
    assert doctor.mended == [Modes(Path("/h"), 0o700), TakeBack("abc")]
    assert "Done:\n- chmod 700 /h\n- moltbot-desktop permissions revoke abc\n" in text


def test_json_alone_mends_nothing_and_has_one_shape() -> None:
    doctor = FakeDoctor(HOME)
    code, text = told(doctor, "--json", "--fix")
    shown = json.loads(text)
    assert (code, doctor.mended) == (1, [])
    assert set(shown) == {"ok", "section", "findings", "fixed", "failed"}
    (one,) = shown["findings"]
    assert set(one) == {"id", "severity", "found", "why", "do", "facts", "fix"}
    assert (one["severity"], one["fix"]) == ("warning", "chmod 700 /h")


def test_what_cannot_be_mended_is_told() -> None:
    code, text = told(FakeDoctor(HOME, refuses=True), "--fix", "--yes")
    assert code == 1
    assert "Not done: chmod 700 /h: The disk says no. Ask it again." in text


def test_a_setting_is_shown_as_it_would_be_typed() -> None:
    repair = Setting("tools.exec.safeBins", ["jq"])
    finding = Finding("exec.safe_bins", Severity.WARNING, {"programs": "awk"}, repair)
    assert (
        "moltbot-desktop config set tools.exec.safeBins '[\"jq\"]'" in told(FakeDoctor(finding))[1]
    )
