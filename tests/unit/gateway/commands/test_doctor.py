"""/doctor tells the worst first, in few words, and mends nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.gateway.commands.desk import CommandDesk
from moltbot_desktop.gateway.commands.ports import CommandCall, CommandReply
from moltbot_desktop.sdk.audit import Finding, Modes, Severity
from tests.fakes.commands import fake_ports

HOME = Finding(
    "fs.home.writable",
    Severity.CRITICAL,
    {"path": "/h", "kind": "home", "reachable": 1},
    Modes(Path("/h"), 0o700),
)
ROOT = Finding("process.root", Severity.WARNING)
NOTE = Finding("gateway.http.on", Severity.INFO, {"port": 1})


def said(*findings: Finding, language: Language = Language.ENGLISH) -> CommandReply:
    async def look() -> Sequence[Finding]:
        return findings

    desk = CommandDesk(replace(fake_ports(), doctor=look))
    call = CommandCall("doctor", "", SessionKey("agent:main:main"), language)
    return asyncio.run(desk.answer(call))


def test_nothing_found_is_one_sentence() -> None:
    assert said().text == "All is well: I found nothing that makes this unsafe."
    assert said(language=Language.CHINESE).text == "一切正常：没有发现不安全的地方。"


def test_each_finding_says_what_and_what_to_do() -> None:
    assert said(HOME, ROOT, NOTE).text.splitlines() == [
        "- Critical: Others on this computer may change my folder: /h",
        "  chmod 700 /h",
        "- Warning: I run as the superuser.",
        "  Start me as yourself, without sudo.",
        "- Note: The local web server is on (port 1).",
        "In a terminal, moltbot-desktop doctor --fix mends some of it, after asking you.",
    ]


def test_notes_alone_ask_for_nothing() -> None:
    assert said(NOTE).text.endswith("None of this asks for anything to be done.")


def test_many_findings_are_cut_and_counted() -> None:
    text = said(*[ROOT] * 15).text
    assert text.count("superuser") == 12
    assert "… and 3 things more" in text


def test_a_build_without_it_says_so() -> None:
    call = CommandCall("doctor", "", SessionKey("agent:main:main"), Language.ENGLISH)
    assert not asyncio.run(CommandDesk(fake_ports()).answer(call)).ok
