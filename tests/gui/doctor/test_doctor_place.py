"""The place "Doctor": findings, the worst first, and what a press does about them."""

from __future__ import annotations

import pytest

from moltbot_desktop.core.errors import ToolError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.audit import Finding, Severity, TakeBack
from moltbot_desktop.ui.doctor.page import DoctorPlace
from tests.fakes.doctor_desk import FakeDoctorDesk
from tests.gui.places import Stage, button_in, texts_in

ROOT = Finding("process.root", Severity.WARNING)
OPEN = Finding(
    "grants.folder", Severity.CRITICAL, {"what": "write in /home", "id": "g1"}, TakeBack("g1")
)


def test_what_is_wrong_stands_with_why_and_what_to_do(stage: Stage) -> None:
    place = stage.show(DoctorPlace(stage.parts, FakeDoctorDesk(OPEN, ROOT)))
    assert [one.badge for one in place.rows.rows] == ["serious", "warning"]
    assert "Needs you: 2" in texts_in(place)
    place.rows.choose(place.rows.rows[1].id)
    assert "I run as the superuser." in texts_in(place)
    assert "Start me as yourself, without sudo." in texts_in(place)


def test_a_press_mends_it_and_it_is_gone(stage: Stage) -> None:
    desk = FakeDoctorDesk(OPEN, ROOT)
    place = stage.show(DoctorPlace(stage.parts, desk))
    button_in(place, "Mend it").click()
    stage.settle()
    assert desk.mended == [OPEN.repair]
    assert len(place.rows.rows) == 1
    assert place.done.label.text().startswith("Done: ")


def test_what_could_not_be_mended_says_why(stage: Stage) -> None:
    desk = FakeDoctorDesk(OPEN)
    place = stage.show(DoctorPlace(stage.parts, desk))
    desk.refusal = ToolError("The disk is read-only.", hint="Plug it in anew.")
    button_in(place, "Mend it").click()
    stage.settle()
    assert place.done.label.text() == "The disk is read-only. Plug it in anew."


def test_all_is_well(stage: Stage) -> None:
    place = stage.show(DoctorPlace(stage.parts, FakeDoctorDesk()))
    assert place.state.text.startswith("All is well.")
    assert not place.note.isVisible(), "there are no notes below"


@pytest.mark.parametrize("stage", [Language.CHINESE], indirect=True)
def test_findings_are_told_in_chinese(stage: Stage) -> None:
    place = stage.show(DoctorPlace(stage.parts, FakeDoctorDesk(ROOT)))
    assert place.rows.rows[0].title == "我正以超级用户身份运行。"
