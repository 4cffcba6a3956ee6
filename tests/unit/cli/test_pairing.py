"""`channels pairing`: who asks and who was let in, in words and in JSON."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from moltbot_desktop.cli.pairing import run_pairing
from moltbot_desktop.cli.parser import parse
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.channels import Sender
from moltbot_desktop.sdk.pairing import Contact, PairingRequest

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)
EVE = PairingRequest("telegram", "default", Sender("7", "Eve\x1b[31m\nAda (1)"), "KX7P2MQD", NOW)
ADA = Contact("irc", "work", Sender("ada"), NOW)


@dataclass
class Book:
    """`sdk.pairing.Pairings` with one request and one contact."""

    asked: list[tuple[str, ...]] = field(default_factory=list)
    empty: bool = False

    def requests(self) -> Sequence[PairingRequest]:
        return () if self.empty else (EVE,)

    def contacts(self) -> Sequence[Contact]:
        return () if self.empty else (ADA,)

    def approve(self, code: str, channel: str = "") -> Contact:
        self.asked.append(("approve", code, channel))
        return Contact(EVE.channel, EVE.account, EVE.sender, NOW)

    def refuse(self, code: str, channel: str = "") -> PairingRequest:
        self.asked.append(("refuse", code, channel))
        return EVE

    def remove(self, channel: str, sender: str, account: str = "") -> Sequence[Contact]:
        self.asked.append(("remove", channel, sender, account))
        return (ADA,) if sender == "ada" else ()


def said(book: Book, *line: str, language: Language = Language.ENGLISH) -> tuple[int, str]:
    out = io.StringIO()
    code = run_pairing(book, parse(["channels", "pairing", *line]), language, out)
    return code, out.getvalue()


def test_the_list_has_a_line_for_each_and_obeys_no_name() -> None:
    code, text = said(Book(), "list")
    asks, may = text.splitlines()
    assert code == 0
    assert asks.startswith("KX7P2MQD  Eve[31m Ada (1) (7) asks on telegram default")
    assert may.startswith("ada may write on irc work, since 2026-01-05")
    assert said(Book(), "list", "irc")[1].splitlines() == [may]


@pytest.mark.parametrize("language", Language)
def test_an_empty_list_says_how_it_comes_about(language: Language) -> None:
    assert len(said(Book(empty=True), "list", language=language)[1]) > 20


def test_each_action_is_told() -> None:
    book = Book()
    assert "may write" in said(book, "approve", "kx7p-2mqd")[1]
    assert "not let in" in said(book, "refuse", "telegram", "KX7P2MQD")[1]
    assert "any more" in said(book, "remove", "irc", "ada", "work")[1]
    code, text = said(book, "remove", "irc", "bob")
    assert code == 1 and "allowFrom" in text
    assert book.asked == [
        ("approve", "kx7p-2mqd", ""),
        ("refuse", "KX7P2MQD", "telegram"),
        ("remove", "irc", "ada", "work"),
        ("remove", "irc", "bob", ""),
    ]


def test_json_has_it_all() -> None:
    rows = json.loads(said(Book(), "list", "--json")[1])
    assert rows["requests"][0]["code"] == "KX7P2MQD" and rows["contacts"][0]["id"] == "ada"
    assert json.loads(said(Book(), "approve", "KX7P2MQD", "--json")[1])[0]["id"] == "7"
