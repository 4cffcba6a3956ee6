"""The place "Models": three lists, what stands beside them, and what a press does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QStandardPaths, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QFileDialog, QProgressBar, QPushButton

from moltbot_desktop.core.errors import EgressSealed, ModelFileInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.model_shelf import JobKind, JobState, ModelCheck, ModelJob, Shelf
from moltbot_desktop.ui.models.page import ModelsPlace
from moltbot_desktop.ui.models.words import OFFERED, SERVERS
from moltbot_desktop.ui.place import PERMISSIONS
from tests.fakes.assistant_client import FakeAssistantClient
from tests.fakes.model_desk import OFFER, OWN, SERVER, STARTER, FakeModelDesk
from tests.gui.places import Stage, answer, button_in, texts_in


def shown(stage: Stage, desk: FakeModelDesk, part: str = "") -> ModelsPlace:
    place = stage.show(ModelsPlace(stage.parts, desk))
    if part:
        place.segments.choose(part)
        stage.settle()
    return place


def choose(stage: Stage, place: ModelsPlace, name: str) -> None:
    place.rows.choose(name)
    stage.settle()


def press(stage: Stage, place: ModelsPlace, text: str) -> None:
    button_in(place.area, text).click()
    stage.settle()


def buttons(place: ModelsPlace) -> list[str]:
    return [one.text() for one in place.area.findChildren(QPushButton) if one.isVisible()]


def tick(stage: Stage, place: ModelsPlace) -> None:
    place._tick()
    stage.settle()


def test_what_is_in_use_stands_first_with_what_is_known_of_it(stage: Stage) -> None:
    place = shown(stage, FakeModelDesk(OWN, STARTER, OFFER))
    assert [(one.title, one.badge) for one in place.rows.rows] == [
        ("starter", "in use"),
        ("qwen3-1.7b", "fits"),
    ]
    choose(stage, place, "qwen3-1.7b")
    said = texts_in(place)
    assert place.rows.rows[1].detail == "chat · 1.83 GB · Apache-2.0"
    assert "1.83 GB · Apache-2.0 licence · reads 32,768 tokens at once" in said
    assert (
        "It fits: with its conversation and 1 GB to spare it takes 4.0 GB of memory, about 12 GB"
        " are free." in said
    )
    assert "It writes about 21 tokens a second." in said
    assert "SHA-256: " + " ".join(["06060606"] * 8) in said
    [explained] = [one for one in said if one.startswith("A token is ")]
    assert said.index(explained) > said.index("It writes about 21 tokens a second.")


def test_a_licence_is_written_as_people_write_it(stage: Stage) -> None:
    """Files have it in small letters."""
    own = replace(OWN, licence="mit", size=4_004)
    place = shown(stage, FakeModelDesk(own, replace(OWN, name="other", licence="my own words")))
    assert [one.detail for one in place.rows.rows] == [
        "chat · 1.83 GB · my own words",
        "chat · 4.0 kB · MIT",
    ]
    choose(stage, place, own.name)
    assert "4.0 kB · MIT licence · reads 32,768 tokens at once" in texts_in(place)


def test_models_of_ones_own_stand_as_people_count(stage: Stage) -> None:
    lines = [replace(OWN, name=f"mine-{number}") for number in (10, 2, 1)]
    place = shown(stage, FakeModelDesk(*lines, STARTER))
    titles = [one.title for one in place.rows.rows]
    assert titles == ["starter", "mine-1", "mine-2", "mine-10"]


def test_using_one_lets_the_next_message_load_it(stage: Stage) -> None:
    desk, client = FakeModelDesk(), FakeAssistantClient()
    place = shown(stage, desk)
    place.set_client(client)
    choose(stage, place, "qwen3-1.7b")
    press(stage, place, "Use it")
    assert desk.told == [("use", "qwen3-1.7b")]
    assert place.rows.rows[0].title == "qwen3-1.7b" and place.rows.rows[0].badge == "in use"
    assert place.done.label.text() == "“qwen3-1.7b” answers from your next message on."
    assert client.unloads == 1


def test_a_setting_that_wins_is_told(stage: Stage) -> None:
    desk = FakeModelDesk()
    desk.overruled = "models.chat: other"
    place = shown(stage, desk)
    choose(stage, place, "qwen3-1.7b")
    press(stage, place, "Use it")
    assert "models.chat: other" in place.done.label.text()


def test_removing_asks_with_what_it_frees(stage: Stage) -> None:
    desk = FakeModelDesk()
    place = shown(stage, desk)
    choose(stage, place, "qwen3-1.7b")
    place.rows.setFocus()
    stage.press(Qt.Key.Key_Delete)
    assert "1.83 GB" in answer(place, "Cancel")
    assert desk.told == []
    press(stage, place, "Remove")
    answer(place, "Remove")
    stage.settle()
    assert desk.told == [("remove", "qwen3-1.7b")]
    assert place.done.label.text() == "Removed: qwen3-1.7b"


def test_what_came_with_the_program_cannot_be_removed(stage: Stage) -> None:
    place = shown(stage, FakeModelDesk())
    assert buttons(place) == ["Try it out", "Show folder"]


def test_a_file_that_is_only_pointed_at_is_forgotten_and_brought_back(stage: Stage) -> None:
    desk = FakeModelDesk(STARTER, replace(OWN, linked=True, in_use=True))
    place = shown(stage, desk)
    choose(stage, place, OWN.name)
    press(stage, place, "Forget")
    assert OWN.name not in [one.title for one in place.rows.rows]
    place.done.undo.click()
    stage.settle()
    assert desk.told == [
        ("remove", OWN.name),
        ("point_at", OWN.path),
        ("use", OWN.name),
    ]


def test_an_unusable_file_says_why(stage: Stage) -> None:
    broken = replace(OWN, problem="It is cut off in the middle.")
    place = shown(stage, FakeModelDesk(STARTER, broken))
    choose(stage, place, OWN.name)
    said = texts_in(place)
    assert "What was found: It is cut off in the middle." in said
    assert any(one.startswith("This file cannot be used: it is damaged, or ") for one in said)
    assert buttons(place) == ["Show folder", "Remove"]


def test_fetching_shows_how_far_it_is_and_ends_here(stage: Stage) -> None:
    desk = FakeModelDesk()
    place = shown(stage, desk, OFFERED)
    badges: list[int] = []
    place.badge_changed.connect(badges.append)
    press(stage, place, "Fetch")
    assert desk.told == [("fetch", "qwen3-4b")]
    assert buttons(place) == ["Pause", "Cancel"]
    assert badges[-1] == 1
    bar = place.area.findChild(QProgressBar)
    assert bar is not None
    desk.moves("qwen3-4b", 1_250_000_000, speed=10e6)
    tick(stage, place)
    assert place.rows.rows[0].badge == "50 %"
    assert "1.25 GB of 2.50 GB · 10.0 MB/s · 2:04 left" in texts_in(place)
    assert place.area.findChild(QProgressBar) is bar and bar.value() == 50  # nothing made anew
    desk.ends("qwen3-4b")
    tick(stage, place)
    stage.settle()
    assert place.done.label.text() == "It is here: qwen3-4b"
    assert badges[-1] == 0
    assert "qwen3-4b" not in [one.title for one in place.rows.rows]


def test_paused_it_goes_on_later_or_is_thrown_away(stage: Stage) -> None:
    desk = FakeModelDesk()
    place = shown(stage, desk, OFFERED)
    press(stage, place, "Fetch")
    desk.moves("qwen3-4b", 1_250_000_000)
    press(stage, place, "Pause")
    assert place.rows.rows[0].badge == "paused, 50 %"
    press(stage, place, "Go on")
    assert desk.told[-1] == ("fetch", "qwen3-4b")
    press(stage, place, "Pause")
    desk.lines[3] = replace(desk.lines[3], fetched=5)
    press(stage, place, "Go on")
    press(stage, place, "Cancel")
    assert "thrown away" in answer(place, "Throw away")
    stage.settle()
    assert desk.told[-1] == ("discard", "qwen3-4b")
    assert buttons(place) == ["Fetch"]


def test_a_failure_says_why_and_where_the_files_come_from(stage: Stage) -> None:
    desk = FakeModelDesk()
    place = shown(stage, desk, OFFERED)
    gone: list[tuple[str, str]] = []
    place.place_requested.connect(lambda *where: gone.append(where))
    press(stage, place, "Fetch")
    desk.ends("qwen3-4b", "The hub cannot be reached. Try again later.")
    tick(stage, place)
    said = texts_in(place)
    assert "The hub cannot be reached. Try again later." in said
    assert "Fetched from https://hub.example" in said
    assert buttons(place) == ["Try again", "Settings", "All right"]
    press(stage, place, "Settings")
    assert gone == [("settings", "general#models.providers")]
    press(stage, place, "All right")
    assert buttons(place) == ["Fetch"]


def test_a_download_elsewhere_is_seen_at_the_rail(stage: Stage) -> None:
    desk = FakeModelDesk()
    place = shown(stage, desk, OFFERED)
    badges: list[int] = []
    place.badge_changed.connect(badges.append)
    press(stage, place, "Fetch")
    place.left()
    place.hide()
    desk.ends("qwen3-4b")
    stage.qtbot.waitUntil(lambda: badges[-1] == 0)
    stage.settle()
    assert ("dismiss", "qwen3-4b") in desk.told


def test_while_the_seal_is_closed_the_way_to_it_stands_where_one_would_fetch(
    stage: Stage,
) -> None:
    desk = FakeModelDesk()
    desk.sealed = True
    place, wanted = shown(stage, desk, OFFERED), []
    place.place_requested.connect(lambda *to: wanted.append(to))
    assert "The seal is closed: nothing can be fetched until it is opened." in texts_in(place)
    assert "Fetch" not in buttons(place)
    press(stage, place, "Go to the seal")
    assert wanted == [(PERMISSIONS, "network")]


def test_the_closed_seal_says_what_to_do(stage: Stage) -> None:
    """Where it was closed since the place was looked at."""
    desk = FakeModelDesk()
    desk.refusal = EgressSealed("The seal is closed.", hint="Open it.")
    place = shown(stage, desk, OFFERED)
    press(stage, place, "Fetch")
    assert place.done.label.text() == "The seal is closed. Open it."


def test_a_file_is_dropped_and_copied(stage: Stage, tmp_path: Path) -> None:
    desk = FakeModelDesk()
    place = shown(stage, desk, OFFERED)
    file = tmp_path / "mine.gguf"
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(file))])
    buttons_held, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    action = Qt.DropAction.CopyAction
    enter = QDragEnterEvent(QPoint(5, 5), action, mime, buttons_held, keys)
    place.dragEnterEvent(enter)
    assert enter.isAccepted()
    place.dropEvent(QDropEvent(QPoint(5, 5), action, mime, buttons_held, keys))
    assert answer(place, "Copy") == "Add “mine.gguf”?"
    stage.settle()
    assert desk.told == [("add", "mine.gguf")]
    assert place.rows.rows[0].title == "mine.gguf"
    desk.ends("mine.gguf", made="mine")
    tick(stage, place)
    stage.settle()
    assert place.done.label.text() == "It is here: mine"
    assert place.rows.current == "mine"  # it is what the person wants next


class EndsMeanwhile(FakeModelDesk):
    """Looks at the files before the copy's end, and at the jobs after it."""

    def look(self) -> Shelf:
        files = tuple(self.lines)
        if any(one.live for one in self.running.values()):
            self.ends("mine.gguf", made="mine")
        return replace(super().look(), models=files)


def test_a_copy_that_ends_while_it_is_looked_is_shown(stage: Stage, tmp_path: Path) -> None:
    place = shown(stage, EndsMeanwhile())
    place.offer(tmp_path / "mine.gguf")
    answer(place, "Copy")
    stage.settle()
    assert place.rows.current == "mine"


def test_files_are_looked_for_where_downloads_are(
    stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    downloads = tmp_path / "Downloads"
    downloads.mkdir()
    monkeypatch.setattr(QStandardPaths, "writableLocation", lambda _: str(downloads))
    place = shown(stage, FakeModelDesk())
    place.import_file.click()
    [asked] = place.findChildren(QFileDialog)
    assert Path(asked.directory().absolutePath()) == downloads
    asked.reject()


def test_a_file_may_stay_where_it_is(stage: Stage, tmp_path: Path) -> None:
    desk = FakeModelDesk()
    place = shown(stage, desk)
    place.offer(tmp_path / "mine.gguf")
    answer(place, "Leave it there")
    stage.settle()
    assert desk.told == [("point_at", str(tmp_path / "mine.gguf"))]
    assert place.rows.current == "mine"


def test_what_is_no_model_is_refused_with_the_reason(stage: Stage, tmp_path: Path) -> None:
    desk = FakeModelDesk()
    desk.refusal = ModelFileInvalid("“x.gguf” is a web page.")
    place = shown(stage, desk)
    place.offer(tmp_path / "x.gguf")
    answer(place, "Copy")
    stage.settle()
    assert place.done.label.text() == "“x.gguf” is a web page."


def test_trying_out_tells_the_figures_and_the_answer(stage: Stage) -> None:
    desk = FakeModelDesk()
    place = shown(stage, desk)
    press(stage, place, "Try it out")
    assert desk.told == [("try", "starter")]
    assert place.rows.rows[0].badge == "trying…"
    check = ModelCheck("starter", "chat", 0.52, 1.2, 8_000_000, 88.4, "I can remember things.")
    desk.tried(ModelJob("starter", JobKind.TRY, JobState.DONE, check=check))
    tick(stage, place)
    said = texts_in(place)
    assert "It works: loaded in 0.5 s · 88.4 tokens a second · 8.0 MB of memory" in said
    assert "It wrote: I can remember things." in said


def test_servers_are_listed_and_lead_to_the_settings(stage: Stage) -> None:
    place = shown(stage, FakeModelDesk(STARTER, SERVER), SERVERS)
    assert [one.title for one in place.rows.rows] == ["house/qwen3-32b"]
    assert buttons(place) == ["Settings"]


def test_without_a_server_the_page_says_what_one_is_good_for(stage: Stage) -> None:
    place = shown(stage, FakeModelDesk(), SERVERS)
    gone: list[tuple[str, str]] = []
    place.place_requested.connect(lambda *where: gone.append(where))
    assert place.state.text.startswith("No server is set up.")
    place.state.button.click()
    assert gone == [("settings", "general#models.providers")]


def test_a_desk_that_cannot_look_says_so(stage: Stage) -> None:
    desk = FakeModelDesk()
    desk.looking = ModelFileInvalid("The list is damaged.", hint="Install it again.")
    place = shown(stage, desk)
    assert "The list is damaged. Install it again." in place.state.text


@pytest.mark.parametrize("stage", [Language.CHINESE], indirect=True)
def test_it_is_told_in_chinese(stage: Stage) -> None:
    place = shown(stage, FakeModelDesk())
    assert place.rows.rows[0].badge == "使用中"
    assert place.title.text() == "模型"
