"""Links for a browser: from a shell, from the window, and from nobody else."""

from __future__ import annotations

import argparse
import re
from datetime import UTC, datetime
from pathlib import Path
from unittest.mock import patch

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.extensions.webchat.browsers import taken
from moltbot_desktop.extensions.webchat.house import House, folder_name
from moltbot_desktop.extensions.webchat.links import Links
from moltbot_desktop.extensions.webchat.settings import PORT, settings_from
from moltbot_desktop.extensions.webchat.uploads import MOST_BYTES, Uploads
from moltbot_desktop.sdk.plugins import CommandCall

ADDRESS = "http://127.0.0.1:18795"
CLOCK = ManualClock(datetime(2026, 3, 1, 10, tzinfo=UTC))


@pytest.fixture(params=list(Language))
def links(request: pytest.FixtureRequest, tmp_path: Path) -> Links:
    return Links(
        lambda name: House(tmp_path / folder_name(name), request.param, CLOCK), request.param
    )


def shell(links: Links, *words: str) -> int:
    parser = argparse.ArgumentParser()
    links.options(parser)
    return links.in_shell(parser.parse_args(words))


def call(owner: bool, arguments: str = "") -> CommandCall:
    return CommandCall(arguments, SessionKey("s"), Language.ENGLISH, "webchat", "7", owner)


def code_in(text: str) -> str:
    found = re.search(rf"{ADDRESS}/#([\w-]+)", text)
    assert found is not None
    return found[1]


def test_there_is_a_link_only_while_the_page_is_somewhere(
    links: Links, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shell(links) == 1 and "channels login webchat" in capsys.readouterr().out
    house = links.house("default")
    house.tell_address(ADDRESS)
    assert shell(links) == 0
    assert taken(house.folder, code_in(capsys.readouterr().out), CLOCK.now().timestamp())
    house.tell_address("")
    house.tell_address("")
    assert shell(links) == 1


def test_the_browser_is_opened_and_the_link_told_where_there_is_none(
    links: Links, capsys: pytest.CaptureFixture[str]
) -> None:
    links.house("default").tell_address(ADDRESS)
    with patch("webbrowser.open", return_value=True) as opened:
        assert shell(links, "--open") == 0
    assert code_in(opened.call_args.args[0]) not in capsys.readouterr().out
    with patch("webbrowser.open", return_value=False):
        assert shell(links, "--open") == 0
    assert code_in(capsys.readouterr().out)


def test_in_the_window_the_owner_gets_a_link_and_nobody_else(links: Links) -> None:
    house = links.house("work")
    house.tell_address(ADDRESS)
    assert ADDRESS not in links.in_chat(call(owner=False, arguments="work"))
    assert not list(house.folder.glob("invite*"))
    assert code_in(links.in_chat(call(owner=True, arguments="work")))
    assert "channels login webchat" in links.in_chat(call(owner=True))


def test_all_browsers_can_be_sent_away(links: Links, capsys: pytest.CaptureFixture[str]) -> None:
    assert shell(links, "--forget") == 0
    book = links.house("default").browsers
    book.add("one")
    book.add("two")
    assert shell(links, "--forget") == 0
    assert "2" in capsys.readouterr().out and book.all() == ()


@pytest.mark.parametrize(
    "said", ["http://evil.example", "http://127.0.0.1:1/#x", "x" * 500, "\xff"]
)
def test_an_address_that_is_none_of_ours_is_none(tmp_path: Path, said: str) -> None:
    (tmp_path / "listening").write_text(said, encoding="latin-1")
    assert House(tmp_path, Language.ENGLISH, CLOCK).link() == ""


def test_an_account_has_a_folder_whatever_it_is_called() -> None:
    names = ["default", "../x", "a/b", "", "é", "A", "a" * 50]
    folders = [folder_name(name) for name in names]
    assert len(set(folders)) == len(names)
    assert all(re.fullmatch(r"[a-z0-9-]{1,40}", one) for one in folders)


def test_settings_have_a_port() -> None:
    assert settings_from({}).port == PORT
    assert settings_from({"port": 0}).port == 0


def test_the_oldest_files_go_when_there_is_too_much(tmp_path: Path) -> None:
    files = Uploads(tmp_path / "files")
    source = tmp_path / "source"
    source.write_bytes(b"x" * 10)
    with patch("moltbot_desktop.extensions.webchat.uploads.MOST_KEPT", 25):
        kept = [files.put(source, "a", "b") for _ in range(5)]
    there = [files.path(one.id) is not None for one in kept]
    assert sum(there) == 3 and there[-1]
    assert files.path("../source") is None and files.path("0" * 32) is None
    assert files.expect("b", "a", "b", MOST_BYTES + 1) is None
