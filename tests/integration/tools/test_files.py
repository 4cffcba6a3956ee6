"""read, write and find_files on a real disk."""

from __future__ import annotations

import os
import sys
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import ReadOnlyHome, StorageError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.tools.files import Read, Write
from moltbot_desktop.tools.find_files import FindFiles
from moltbot_desktop.tools.undo import FileHands
from moltbot_desktop.tools.undo_journal import UNDO_FOLDER, UndoJournal
from moltbot_desktop.tools.undo_records import MISSING, Item, Kind, State
from tests.fakes.tool_context import FakeCancel, call, tool_context

NOW = datetime(2026, 11, 21, 14, 30, tzinfo=ZoneInfo("Europe/Berlin"))


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    (tmp_path / "secret.txt").write_text("secret")
    return folder


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOW)


RUSSIAN = "Встреча перенесена на вторник, не забудьте документы."


class TestRead:
    def test_a_file_is_given_whole(self, workspace: Path) -> None:
        (workspace / "notes").mkdir()
        (workspace / "notes" / "a.md").write_text("one\ntwo\n")
        result = call(Read(), tool_context(workspace), path="notes/a.md")
        assert dict(result.data) == {"path": "notes/a.md", "text": "one\ntwo"}
        assert result.display == "notes/a.md:\n\none\ntwo"
        assert (result.private, result.taints) == (True, False)

    def test_what_is_read_of_an_unknown_encoding_says_so(self, workspace: Path) -> None:
        context = tool_context(workspace)
        (workspace / "sure.txt").write_bytes(RUSSIAN.encode("koi8-r"))
        sure = call(Read(), context, path="sure.txt")
        assert (sure.data["text"], sure.data["encoding"]) == (RUSSIAN, "koi8-r")
        (workspace / "short.txt").write_bytes("węgiel".encode("cp1250"))
        short = call(Read(), context, path="short.txt")
        assert str(short.data["encoding"]).endswith("(a guess, may be wrong)")
        assert short.display.startswith("(I am not sure that I read it right")
        (workspace / "plain.txt").write_text("plain", encoding="utf-8")
        assert "encoding" not in call(Read(), context, path="plain.txt").data

    def test_gbk_and_utf16_are_read(self, workspace: Path) -> None:
        (workspace / "gbk.txt").write_bytes("会议记录：下周一上午".encode("gbk"))
        (workspace / "utf16.txt").write_bytes("会议记录".encode("utf-16"))
        context = tool_context(workspace)
        assert call(Read(), context, path="gbk.txt").data["text"] == "会议记录：下周一上午"
        assert call(Read(), context, path="utf16.txt").data["text"] == "会议记录"

    def test_a_long_file_is_read_in_parts_without_a_gap(self, workspace: Path) -> None:
        lines = [f"line {number} " + "x" * (number % 90) for number in range(1, 1001)]
        (workspace / "long.txt").write_text("\n".join(lines))
        seen: list[str] = []
        offset = 1
        for _ in range(100):
            result = call(Read(), tool_context(workspace), path="long.txt", offset=offset)
            seen += str(result.data["text"]).split("\n")
            assert len(str(result.data["text"])) <= 8_000
            if "more" not in result.data:
                break
            following = result.data["next_offset"]
            assert isinstance(following, int)
            assert f"line {following}" in result.display
            offset = following
        assert seen == lines

    def test_offset_and_limit_count_lines(self, workspace: Path) -> None:
        (workspace / "a.txt").write_text("1\n2\n3\n4\n")
        result = call(Read(), tool_context(workspace), path="a.txt", offset=2, limit=2)
        assert dict(result.data) == {
            "path": "a.txt", "text": "2\n3", "more": True, "next_offset": 4,
        }  # fmt: skip
        past = call(Read(), tool_context(workspace), path="a.txt", offset=9)
        assert past.data["error"] == "the file has only 4 lines"

    def test_one_endless_line_is_cut_and_that_is_said(self, workspace: Path) -> None:
        (workspace / "a.json").write_text("[\n" + "x" * 100_000 + "\n]\n")
        context = tool_context(workspace)
        result = call(Read(), context, path="a.json", offset=2)
        assert len(str(result.data["text"])) == 8_000
        assert result.data["left_out"] == "92001 more characters of line 2"
        assert "line 2 goes on for 92001 more characters" in result.display
        assert result.data["next_offset"] == 3
        assert "left_out" not in call(Read(), context, path="a.json", offset=3).data

    @pytest.mark.parametrize("length", [7_999, 8_000])
    def test_a_line_that_just_fits_is_whole(self, workspace: Path, length: int) -> None:
        (workspace / "a.txt").write_text("x" * length + "\n")
        result = call(Read(), tool_context(workspace), path="a.txt")
        assert result.data["text"] == "x" * length and "left_out" not in result.data

    def test_binary_is_refused_plainly(self, workspace: Path) -> None:
        (workspace / "a.mp3").write_bytes(b"ID3\x04\x00" + bytes(100))
        result = call(Read(), tool_context(workspace, Language.CHINESE), path="a.mp3")
        assert result.display == "“a.mp3”不是文本文件，我读不了。"
        assert not result.ok

    def test_a_folder_tells_what_it_holds(self, workspace: Path) -> None:
        (workspace / "d" / "sub").mkdir(parents=True)
        (workspace / "d" / "b.txt").touch()
        (workspace / "d" / ".hidden").touch()
        result = call(Read(), tool_context(workspace), path="d")
        assert result.data["error"] == "that is a folder; it holds: b.txt, sub/"

    def test_a_missing_file_is_named(self, workspace: Path) -> None:
        result = call(Read(), tool_context(workspace), path="nope.txt")
        assert "find_files" in str(result.data["error"])
        assert "nope.txt" in result.display

    @pytest.mark.parametrize("path", ["../secret.txt", "/etc/passwd", "~/x", "link", "a\x00b"])
    def test_nothing_outside_is_read(self, workspace: Path, path: str) -> None:
        (workspace / "link").symlink_to("../secret.txt")
        result = call(Read(), tool_context(workspace), path=path)
        assert not result.ok
        assert "secret" not in str(result.data).replace("secret.txt", "")

    def test_an_opened_folder_is_read_and_taints(self, workspace: Path) -> None:
        context = tool_context(workspace, allowed=(workspace.parent,))
        result = call(Read(), context, path="../secret.txt")
        assert result.data["text"] == "secret"
        assert result.taints

    def test_a_huge_file_is_refused(self, workspace: Path) -> None:
        with (workspace / "huge.log").open("wb") as file:
            file.truncate(30 * 1024 * 1024)
        result = call(Read(), tool_context(workspace), path="huge.log")
        assert "30.0 MB" in result.display

    def test_a_file_without_permission_is_refused(self, workspace: Path) -> None:
        (workspace / "a.txt").write_text("x")
        (workspace / "a.txt").chmod(0)
        if os.access(workspace / "a.txt", os.R_OK):
            pytest.skip("this user may read everything")
        assert "not allowed" in call(Read(), tool_context(workspace), path="a.txt").display


class TestWrite:
    def test_a_new_file_with_its_folders(self, workspace: Path, clock: ManualClock) -> None:
        result = call(
            Write(FileHands(clock)), tool_context(workspace), path="new/a/a.md", content="你好"
        )
        assert dict(result.data) == {"ok": True, "path": "new/a/a.md", "bytes": 6}
        assert (workspace / "new/a/a.md").read_text("utf-8") == "你好"
        assert result.display == "I wrote 6 bytes to new/a/a.md."

    def test_what_was_there_is_kept(self, workspace: Path, clock: ManualClock) -> None:
        (workspace / "a.md").write_text("old")
        result = call(Write(FileHands(clock)), tool_context(workspace), path="a.md", content="new")
        kept = workspace / ".moltbot/undo/20261121-143000-000001/a.md"
        assert kept.read_text() == "old"
        assert "/undo" in result.display
        call(Write(FileHands(clock)), tool_context(workspace), path="a.md", content="newer")
        assert (workspace / ".moltbot/undo/20261121-143000-000002/a.md").read_text() == "new"

    def test_the_same_content_keeps_nothing(self, workspace: Path, clock: ManualClock) -> None:
        (workspace / "a.md").write_text("same")
        call(Write(FileHands(clock)), tool_context(workspace), path="a.md", content="same")
        assert not (workspace / ".moltbot").exists()

    def test_blanks_in_the_content_stay(self, workspace: Path, clock: ManualClock) -> None:
        call(Write(FileHands(clock)), tool_context(workspace), path="a.txt", content="  a\n\n")
        assert (workspace / "a.txt").read_text() == "  a\n\n"

    @pytest.mark.skipif(sys.platform == "win32", reason="no such permissions there")
    def test_permissions_stay_and_new_files_are_private(
        self, workspace: Path, clock: ManualClock
    ) -> None:
        (workspace / "run.sh").write_text("old")
        (workspace / "run.sh").chmod(0o750)
        for name in ("run.sh", "new.txt"):
            call(Write(FileHands(clock)), tool_context(workspace), path=name, content="x")
        assert (workspace / "run.sh").stat().st_mode & 0o777 == 0o750
        assert (workspace / "new.txt").stat().st_mode & 0o777 == 0o600

    @pytest.mark.parametrize(
        "path", ["../x.txt", "/tmp/x.txt", "out/x.txt", "out", "NUL", "a:b", "dangling"]
    )
    def test_nothing_outside_is_written(
        self, workspace: Path, clock: ManualClock, path: str
    ) -> None:
        (workspace / "out").symlink_to("..")
        (workspace / "dangling").symlink_to("../made.txt")
        before = sorted(workspace.parent.iterdir())
        result = call(Write(FileHands(clock)), tool_context(workspace), path=path, content="x")
        assert not result.ok
        assert sorted(workspace.parent.iterdir()) == before
        assert (workspace.parent / "secret.txt").read_text() == "secret"

    @pytest.mark.parametrize("path", [".", "d", "d/", "new/", "f.txt/x.txt"])
    def test_folders_are_not_overwritten(
        self, workspace: Path, clock: ManualClock, path: str
    ) -> None:
        (workspace / "d").mkdir()
        (workspace / "f.txt").write_text("f")
        result = call(Write(FileHands(clock)), tool_context(workspace), path=path, content="x")
        assert not result.ok
        assert (workspace / "d").is_dir()
        assert (workspace / "f.txt").read_text() == "f"

    def test_missing_content_is_asked_for_by_name(
        self, workspace: Path, clock: ManualClock
    ) -> None:
        asked = call(Write(FileHands(clock)), tool_context(workspace), path="a.txt")
        assert asked.question == "What shall I write into a.txt?"
        assert not (workspace / "a.txt").exists()

    def test_a_file_is_emptied_and_undone(self, workspace: Path, clock: ManualClock) -> None:
        (workspace / "a.txt").write_text("old")
        hands = FileHands(clock)
        result = call(Write(hands), tool_context(workspace), path="a.txt", content="")
        assert (workspace / "a.txt").read_bytes() == b""
        assert result.display == "I emptied a.txt. /undo takes it back."
        made = call(Write(hands), tool_context(workspace), path="new.txt", content="")
        assert (workspace / "new.txt").read_bytes() == b"" and "empty" in made.display

    @pytest.mark.parametrize("encoding", ["cp1251", "big5", "utf-16", "utf-8-sig"])
    def test_a_file_keeps_its_encoding(
        self, workspace: Path, clock: ManualClock, encoding: str
    ) -> None:
        before = "會議改到星期二，請不要忘記帶文件，謝謝大家。" if encoding == "big5" else RUSSIAN
        (workspace / "a.txt").write_bytes(before.encode(encoding))
        result = call(Write(FileHands(clock)), tool_context(workspace), path="a.txt", content="ab")
        assert result.ok
        assert (workspace / "a.txt").read_bytes() == "ab".encode(encoding)

    def test_what_the_encoding_cannot_hold_is_utf8_and_told(
        self, workspace: Path, clock: ManualClock
    ) -> None:
        (workspace / "a.txt").write_bytes(RUSSIAN.encode("cp1251"))
        result = call(
            Write(FileHands(clock)), tool_context(workspace), path="a.txt", content="你好"
        )
        assert (workspace / "a.txt").read_text(encoding="utf-8") == "你好"
        assert result.data["encoding"] == "utf-8; it was cp1251"

    def test_lone_surrogates_do_not_stop_a_write(self, workspace: Path, clock: ManualClock) -> None:
        assert call(
            Write(FileHands(clock)), tool_context(workspace), path="a.txt", content="a\udc80b"
        ).ok

    def test_when_the_old_content_cannot_be_kept_nothing_is_overwritten(
        self, workspace: Path, clock: ManualClock
    ) -> None:
        (workspace / "a.md").write_text("old")
        (workspace / ".moltbot").write_text("a file where the undo folder should be")
        with pytest.raises(StorageError):
            call(Write(FileHands(clock)), tool_context(workspace), path="a.md", content="new")
        assert (workspace / "a.md").read_text() == "old"

    def test_a_read_only_folder_is_told(self, workspace: Path, clock: ManualClock) -> None:
        workspace.chmod(0o500)
        try:
            if os.access(workspace, os.W_OK):
                pytest.skip("this user may write everywhere")
            with pytest.raises(ReadOnlyHome):
                call(Write(FileHands(clock)), tool_context(workspace), path="a.txt", content="x")
        finally:
            workspace.chmod(0o700)


class TestUndo:
    def test_the_oldest_are_forgotten(self, workspace: Path, clock: ManualClock) -> None:
        journal = UndoJournal(workspace, clock, most_steps=5)
        item = Item("a.txt", State(Kind.FILE, "x"), MISSING, kept=True)
        for number in range(8):
            journal.write_down(f"run {number}", [item], {"a.txt": str(number).encode()})
        assert len(journal.steps()) == 5
        folders = sorted(path for path in (workspace / UNDO_FOLDER).iterdir() if path.is_dir())
        assert len(folders) == 5
        assert (folders[-1] / "a.txt").read_bytes() == b"7"


class TestFindFiles:
    @pytest.fixture
    def files(self, workspace: Path) -> Path:
        for name in ("Report.pdf", "docs/old report.pdf", "docs/发票2026.pdf", "docs/notes.txt",
                     "photos/IMG_1.JPG", "node_modules/report.pdf", ".git/report.pdf",
                     ".hidden-report.pdf"):  # fmt: skip
            path = workspace / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        (workspace / "out").symlink_to("..")
        return workspace

    def test_names_are_found_the_best_first(self, files: Path, clock: ManualClock) -> None:
        result = call(FindFiles(clock), tool_context(files), pattern="report")
        assert dict(result.data) == {"count": 2, "files": ["Report.pdf", "docs/old report.pdf"]}
        assert result.display == "I found 2:\n- Report.pdf\n- docs/old report.pdf"

    def test_kinds_are_found(self, files: Path, clock: ManualClock) -> None:
        tool, context = FindFiles(clock), tool_context(files, Language.CHINESE)
        assert call(tool, context, pattern="图片").data["files"] == ["photos/IMG_1.JPG"]
        assert call(tool, context, pattern="pdf files").data["count"] == 3
        assert call(tool, context, pattern="发票").data["files"] == ["docs/发票2026.pdf"]

    def test_links_hidden_and_program_folders_are_left_out(
        self, files: Path, clock: ManualClock
    ) -> None:
        assert call(FindFiles(clock), tool_context(files), pattern="secret").data["count"] == 0

    def test_nothing_found_is_said(self, files: Path, clock: ManualClock) -> None:
        result = call(FindFiles(clock), tool_context(files), pattern="zebra")
        assert dict(result.data) == {"count": 0, "files": []}
        assert "zebra" in result.display
        assert result.ok

    def test_more_roots_are_looked_at_after_the_workspace(
        self, files: Path, clock: ManualClock, tmp_path: Path
    ) -> None:
        more = tmp_path / "Documents"
        more.mkdir()
        (more / "report.pdf").touch()
        result = call(FindFiles(clock, (more,)), tool_context(files), pattern="report.pdf")
        assert result.data["files"] == [
            "Report.pdf",
            "docs/old report.pdf",
            str(more / "report.pdf"),
        ]

    def test_many_hits_are_cut_and_counted(self, workspace: Path, clock: ManualClock) -> None:
        for number in range(45):
            (workspace / f"a{number}.txt").touch()
        result = call(FindFiles(clock), tool_context(workspace), pattern="*.txt")
        found = result.data["files"]
        assert isinstance(found, list)
        assert (result.data["count"], len(found), result.data["more"]) == (45, 30, True)

    def test_a_walk_ends_in_time(self, files: Path) -> None:
        class Hurrying(ManualClock):
            def monotonic(self) -> float:
                self.advance(10)
                return super().monotonic()

        for number in range(600):
            (files / f"x{number}").touch()
        result = call(FindFiles(Hurrying(NOW)), tool_context(files), pattern="*")
        assert result.data["more"] is True
        assert "did not look at all" in result.display

    def test_a_stopped_run_stops_the_walk(self, files: Path, clock: ManualClock) -> None:
        context = tool_context(files, cancel=FakeCancel(cancelled=True))
        assert call(FindFiles(clock), context, pattern="report").data["count"] == 0
