"""What the first page sees and writes of a real home, and when a home is new."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from moltbot_desktop.app.first_start import WINDOW_FILE, is_new
from moltbot_desktop.app.first_start_desk import FirstStart
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.config.load import load_config
from moltbot_desktop.core.i18n import Language
from tests.fakes.backup_homes import write


def desk_in(folder: Path) -> FirstStart:
    paths = Paths(folder / ".moltbot", folder, Path(__file__).resolve().parents[3])
    return FirstStart(
        paths, lambda: load_config(paths.home, environment={}).config, Language.ENGLISH
    )


def test_a_home_is_new_until_somebody_was_there(tmp_path: Path) -> None:
    for number, left in enumerate(("moltbot.json", WINDOW_FILE, "agents/main/sessions/a.jsonl")):
        paths = desk_in(tmp_path / str(number)).paths
        paths.home.mkdir(parents=True)
        (paths.home / "logs").mkdir()
        assert is_new(paths)
        write(paths.home / left, "{}")
        assert not is_new(paths)


def test_what_is_chosen_is_written_and_holds(tmp_path: Path) -> None:
    desk = desk_in(tmp_path)
    assert not desk.look().with_computer
    desk.speak(Language.CHINESE)
    desk.start_with_computer(wanted=True)
    assert desk.look().with_computer and desk.settings().ui.language == "zh"
    desk.start_with_computer(wanted=False)
    assert not desk.look().with_computer


def test_whoever_runs_is_told_once_the_file_says_it(tmp_path: Path) -> None:
    desk, seen = desk_in(tmp_path), list[tuple[str, bool]]()

    def written() -> None:
        ui = desk.settings().ui
        seen.append((ui.language, ui.autostart))

    desk = replace(desk, written=written)
    desk.speak(Language.CHINESE)
    desk.start_with_computer(wanted=True)
    assert seen == [("zh", False), ("zh", True)]


def test_it_tells_where_everything_is(tmp_path: Path) -> None:
    desk = desk_in(tmp_path)
    write(tmp_path / ".openclaw" / "openclaw.json", "{}")
    found = desk.look()
    assert (found.home, found.others) == (tmp_path / ".moltbot", (tmp_path / ".openclaw",))
    assert (found.resources / "translations").is_dir()
