"""What the window may read of the files that came with messages."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from moltbot_desktop.app.attached_desk import KeptAttachments
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.config.load import load_config
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.sdk.attachments import AttachedFile

KEY = SessionKey("agent:main:main")
CAT = AttachedFile("media/inbound/1-cat.png", "image/png")


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return Paths(tmp_path / ".moltbot", tmp_path, tmp_path)


def desk_of(paths: Paths) -> KeptAttachments:
    return KeptAttachments(paths, lambda: load_config(paths.home).config, Language.ENGLISH)


def inbound(paths: Paths) -> Path:
    folder = paths.default_workspace / "media" / "inbound"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def test_a_file_is_read_whole_or_not_at_all(paths: Paths) -> None:
    desk = desk_of(paths)
    assert desk.read(KEY, CAT, 10) is None and desk.where(KEY, CAT) is None
    (inbound(paths) / "1-cat.png").write_bytes(b"12345")
    assert desk.read(KEY, CAT, 5) == b"12345"
    assert desk.read(KEY, CAT, 4) is None
    assert desk.where(KEY, CAT) == (inbound(paths) / "1-cat.png").resolve()


def test_every_agent_has_its_own(paths: Paths) -> None:
    (inbound(paths) / "1-cat.png").write_bytes(b"12345")
    assert desk_of(paths).read(SessionKey("agent:work:main"), CAT, 5) is None


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
@pytest.mark.parametrize("place", ["file", "folder", "pipe"])
def test_a_link_or_a_pipe_leads_nowhere(paths: Paths, place: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "1-cat.png").write_bytes(b"12345")
    folder = inbound(paths)
    if place == "file":
        (folder / "1-cat.png").symlink_to(secret / "1-cat.png")
    elif place == "pipe":
        os.mkfifo(folder / "1-cat.png")
    else:
        folder.rmdir()
        folder.symlink_to(secret)
    desk = desk_of(paths)
    assert desk.read(KEY, CAT, 5) is None and desk.where(KEY, CAT) is None


@pytest.mark.parametrize("name", ["..", ".", ""])
def test_a_folder_is_no_file(paths: Paths, name: str) -> None:
    inbound(paths)
    file = AttachedFile(f"media/inbound/{name}", "text/plain")
    assert desk_of(paths).read(KEY, file, 5) is None and desk_of(paths).where(KEY, file) is None
