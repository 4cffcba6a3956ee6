"""What passes over a channel's connections is told by host."""

from __future__ import annotations

from pathlib import Path

import pytest

from moltbot_desktop.channels.passing import Passing, size_of
from moltbot_desktop.sdk.channels import Attachment, DeliveryTarget, OutboundMessage

HERE = DeliveryTarget("sun")


def noting() -> tuple[Passing, list[tuple[str, int, int, int]]]:
    noted: list[tuple[str, int, int, int]] = []
    return Passing("sun", lambda *what: noted.append(what)), noted


def test_it_is_gathered_and_told_under_the_host_it_went_to() -> None:
    passing, noted = noting()
    passing.add(sent=5)
    passing.reaches(" API.Example.org ")
    passing.add(sent=7)
    passing.add(received=11)
    passing.flush()
    passing.flush()
    assert noted == [("sun", 1, 5, 0), ("api.example.org", 2, 7, 11)]


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
def test_what_goes_to_this_computer_leaves_nothing(host: str) -> None:
    passing, noted = noting()
    passing.reaches(host)
    passing.add(sent=5)
    passing.flush()
    assert noted == []


def test_words_and_files_count(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(bytes(100))
    files = tuple(Attachment(tmp_path / name, name) for name in ("a", "gone"))
    assert size_of(OutboundMessage(HERE, "茶 \ud83d", attachments=files)) == 3 + 1 + 1 + 100
