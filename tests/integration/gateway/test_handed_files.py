"""Files that programs hand over, on a real disk: all or none, nothing replaced, nowhere else."""

from __future__ import annotations

import asyncio
import base64
import os
import stat
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import MoltbotError, PathRefused, StorageError, UserInputInvalid
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.gateway import handed_files
from moltbot_desktop.gateway.handed_files import HandedFile, HandedFiles, KeptFile, read_handed
from moltbot_desktop.gateway.media_room import KEPT_DAYS
from moltbot_desktop.storage.files import write_all
from tests.integration.gateway.test_front_desk import at_once

KEY = SessionKey("agent:main:main")
PNG = b"\x89PNG\r\n\x1a\n" + bytes(30)
NOW = datetime(2026, 11, 22, 9, 0, tzinfo=UTC)


def handed(name: str, content: bytes) -> HandedFile:
    return HandedFile(name, base64.b64encode(content).decode())


def keeper(workspace: Path, most: int = 5_000_000, ids: str = "") -> HandedFiles:
    numbers = count(1)
    return HandedFiles(
        lambda _: workspace,
        lambda: most,
        lambda: ids or f"{next(numbers):08}-and-more",
        at_once,
        ManualClock(NOW),
    )


def keep(files: HandedFiles, *given: HandedFile) -> tuple[KeptFile, ...]:
    return asyncio.run(files.keep(given, KEY))


def lying(workspace: Path) -> dict[str, bytes]:
    folder = workspace / "media" / "inbound"
    return {one.name: one.read_bytes() for one in folder.iterdir()} if folder.exists() else {}


def test_files_lie_in_the_workspace_for_the_owner_alone(tmp_path: Path) -> None:
    kept = keep(keeper(tmp_path), handed("my plan.png", PNG), handed("note.md", b"hi"))
    assert [one.line for one in kept] == [
        "[media attached: media/inbound/00000001-my_plan.png (image/png)]",
        "[media attached: media/inbound/00000002-note.md (text/plain)]",
    ]
    assert lying(tmp_path) == {"00000001-my_plan.png": PNG, "00000002-note.md": b"hi"}
    assert {stat.S_IMODE(one.path.stat().st_mode) for one in kept} == {0o600}
    assert stat.S_IMODE(kept[0].path.parent.stat().st_mode) == 0o700


def test_what_lies_there_is_never_replaced(tmp_path: Path) -> None:
    files = keeper(tmp_path, ids="samesame")
    keep(files, handed("a.md", b"first"))
    with pytest.raises(StorageError):
        keep(files, handed("b.md", b"goes away again"), handed("a.md", b"second"))
    assert lying(tmp_path) == {"samesame-a.md": b"first"}


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("AAA", "no Base64"),
        ("AA=A", "no Base64"),
        ("AAAA AAAA", "no Base64"),
        ("ÄÄÄÄ", "no Base64"),
        ("A-_A", "no Base64"),
        ("", "is empty"),
        (base64.b64encode(bytes(101)).decode(), "101 bytes"),
    ],
)
def test_one_bad_file_and_none_is_kept(tmp_path: Path, content: str, problem: str) -> None:
    with pytest.raises(UserInputInvalid, match=problem):
        keep(keeper(tmp_path, most=100), handed("good.md", b"hi"), HandedFile("bad", content))
    assert lying(tmp_path) == {}


def test_a_full_disk_leaves_nothing_half(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writes = count(1)

    def second_fails(descriptor: int, data: bytes) -> None:
        if next(writes) == 2:
            os.write(descriptor, data[:1])
            raise OSError(28, "No space left on device")
        write_all(descriptor, data)

    monkeypatch.setattr(handed_files, "write_all", second_fails)
    with pytest.raises(StorageError):
        keep(keeper(tmp_path), handed("a.md", b"one"), handed("b.md", b"two"))
    assert lying(tmp_path) == {}


@pytest.mark.skipif(os.name == "nt", reason="links need a right on Windows")
@pytest.mark.parametrize("part", ["media", "media/inbound"])
def test_a_folder_that_is_a_link_is_refused(tmp_path: Path, part: str) -> None:
    workspace, outside = tmp_path / "workspace", tmp_path / "outside"
    (workspace / part).parent.mkdir(parents=True)
    (outside / "inbound").mkdir(parents=True)
    (workspace / part).symlink_to(outside)
    with pytest.raises(PathRefused):
        keep(keeper(workspace), handed("a.md", b"hi"))
    assert [one.name for one in outside.rglob("*")] == ["inbound"]


@pytest.mark.skipif(os.name == "nt", reason="links need a right on Windows")
def test_a_name_that_is_a_link_is_not_written_through(tmp_path: Path) -> None:
    folder = tmp_path / "media" / "inbound"
    folder.mkdir(parents=True)
    (folder / "samesame-a.md").symlink_to(tmp_path / "victim")
    with pytest.raises(MoltbotError):
        keep(keeper(tmp_path, ids="samesame"), handed("a.md", b"hi"))
    assert not (tmp_path / "victim").exists()


def test_old_ones_make_room(tmp_path: Path) -> None:
    old = keep(keeper(tmp_path, ids="old"), handed("a.md", b"old"))[0].path
    long_ago = (NOW - timedelta(days=KEPT_DAYS + 1)).timestamp()
    os.utime(old, (long_ago, long_ago))
    keep(keeper(tmp_path, ids="new"), handed("a.md", b"new"))
    assert lying(tmp_path) == {"new-a.md": b"new"}


def test_what_was_not_said_is_taken_away(tmp_path: Path) -> None:
    files = keeper(tmp_path)
    kept = keep(files, handed("a.md", b"one"), handed("b.md", b"two"))
    asyncio.run(files.drop(kept[:1]))
    assert lying(tmp_path) == {"00000002-b.md": b"two"}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["content", "fileName", "mimeType", "type", "x"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(JSON, st.text(max_size=300), st.binary(min_size=1, max_size=40))
def test_whatever_is_handed_over_lies_in_the_folder_or_is_refused(
    tmp_path_factory: pytest.TempPathFactory, given: object, name: str, content: bytes
) -> None:
    workspace = tmp_path_factory.mktemp("w")
    good = {"fileName": name, "content": base64.b64encode(content).decode()}
    more = given if isinstance(given, list) else [given]
    kept: tuple[KeptFile, ...] = ()
    try:
        kept = keep(keeper(workspace), *read_handed([good, *more]))
    except MoltbotError:
        kept = keep(keeper(workspace), *read_handed([good]))
    assert {one.path.name for one in kept} == set(lying(workspace))
    assert all(one.path.parent == workspace / "media" / "inbound" for one in kept)
    assert all("\n" not in one.line and "]" not in one.line[:-1] for one in kept)
    assert kept[0].path.read_bytes() == content
